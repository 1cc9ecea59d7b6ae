"""Loads plugins and calls their hooks, so that a faulty one cannot harm the crawl.

A `Plugin` is a name and some functions. A job names the plugins it uses (`[plugins] use`), and a
program may pass others in. Every process of a crawl loads its own. The functions are hooks:

  * `on_page` sees a page that would be kept, and may add facts, links, columns and items or drop
    links;
  * `on_url` accepts, rejects or replaces a URL, before the job's rules;
  * `extractors` read content types that Lycosa does not read;
  * `schedulers`, `scores` and `partitioners` decide the order of the crawl and its partitions.

A plugin is foreign code. If it fails on one page or URL, by raising or by returning nonsense, that
page gets an outcome (`hook_failed`) and that URL is not admitted, with the traceback in the log
file. A scheduler, score or partitioner cannot be skipped: if it fails, the crawl ends with a
`PluginError` and can be resumed when the plugin is fixed.

    plugin      the record `Plugin`
    pages       a page as hooks see it
    columns     the columns that plugins add to the table `pages`
    items       rows that plugins read out of pages: their kinds, types, keys and bounds
    following   targets of `page.follow`, and the next page of a list
    posting     what a hook hands to `page.post`
    posts       posts what plugins ask for, each once
    hooks       calls the page and URL hooks, catching every failure
    guarded     checks every result of a plugin's scheduler, score or partitioner
    scheduling  chooses the scheduler and partitioner that a job names
    loader      finds plugins by name and makes `Hooks` of them
    feature     a job's own code sees pages
"""
