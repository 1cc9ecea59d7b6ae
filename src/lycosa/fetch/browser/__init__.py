"""A browser without network: renders a page from given parts, and reports its links.

    renderer         a browser as its worker sees it, on the event loop
    browser_process  the process that drives Chromium, and answers its requests
    tab              a tab of the browser: documents, frames, and what a page leaves
    requests         requests of a page, and the answers that the browser gets to them
    chromium         starts Chromium so that it reaches nothing
    devtools         speaks the DevTools protocol over pipes
    guard            watches memory and time of the browser's processes, and ends them
    protocol         the messages between the two
    executable       finds the browser, or says what to install

Scripts that run inside pages are in `scripts`: `before.js` turns navigations into links and removes
ways out of the page; `explore.js` scrolls, and tries what can be clicked.

Always true:
  * no process of the browser can open a socket to any machine, this one included;
  * a page gets only parts from the caller;
  * a page finds nothing that another has left: pages share a tab only if they are of one origin;
  * nothing is left running: not after a page that does not end, nor when the caller is killed.
"""
