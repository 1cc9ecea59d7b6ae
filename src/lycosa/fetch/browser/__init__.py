"""A browser without network: renders a page from given parts, and reports its links.

    renderer         a browser as its worker sees it, on the event loop
    browser_process  the process that drives Chromium, by Playwright, and answers its requests
    chromium         starts Chromium so that it reaches nothing
    guard            watches memory and time of the browser's processes, and ends them
    protocol         the messages between the two
    executable       finds the browser, or says what to install

Scripts that run inside pages are in `scripts`: `before.js` turns navigations into links and removes
ways out of the page; `explore.js` scrolls, and tries what can be clicked.

Always true:
  * no process of the browser can open a socket to any machine, this one included;
  * a page gets only parts from the caller;
  * nothing is left running: not after a page that does not end, nor when the caller is killed.
"""
