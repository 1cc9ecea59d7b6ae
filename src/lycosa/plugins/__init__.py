"""What others add to a crawl: hooks, given as functions or found by the name of a plugin.

A `Plugin` is a name and some functions. A job names the plugins it uses (`[plugins] use`); a
program may also hand them over. `loading` finds them, and makes `Hooks` of them: all that a
worker calls. Every process of a crawl loads its own.

    on_page       a page that would be kept: more facts, links and columns, or fewer links
    on_url        a rule beside the job's rules: accept, reject, replace
    extractors    readers of content types that Lycosa does not read
    schedulers    orders of the crawl
    scores        what URLs are worth, for orders that go by it
    partitioners  what stays together in a partition

A plugin is a stranger's code. What it does to one page or one URL, by raising or by giving back
nonsense, costs that page an outcome (`HOOK_FAILED`) and that URL its admission, with the traceback
in the log file. What orders the crawl cannot be stepped over: there the crawl ends with a
`PluginError`, and can be resumed when the plugin is mended.

    plugin        the record that a plugin is
    pages         a page as a hook sees it
    columns       the columns that plugins add to `pages`
    hooks         everything that a worker calls, guarded
    orders        schedulers, scores and partitioners of plugins, held to their promises
    loading       from names to hooks
"""
