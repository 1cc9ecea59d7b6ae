"""Renders pages in Chromium's own sandbox, which root does not get: a program for a test.

    unshare --user --map-user=1000 --map-group=1000 python tests/sandboxed_pages.py FOLDER

It prints, as JSON, the document, the parts and the renderers of each page.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from rendered import TestBrowser, test_browser

ORIGIN = "https://one.test"
HOSTILE = """<p id=seen></p><script>
    document.cookie = 'left=cookie; path=/'; document.cookie = 'old=1; path=/; max-age=999999';
    localStorage.left = sessionStorage.left = window.name = 'left';
    history.replaceState('left', ''); history.pushState('left', '', '/view');
    navigation.updateCurrentEntry({state: 'left'});
    const opened = indexedDB.open('left'), made = new Promise((done) => opened.onsuccess = done);
    opened.onupgradeneeded = () => opened.result.createObjectStore('left');
    const put = caches.open('left').then((cache) => cache.put('/left', new Response('left')));
    navigator.storage.getDirectory().then((folder) => folder.getFileHandle('left', {create: true}));
    navigator.storageBuckets.open('left').then((one) => one.indexedDB.open('left'));
    navigator.locks.request('left', () => new Promise(() => {}));
    navigator.serviceWorker?.register('/worker.js').catch(() => 0);
    if (window.SharedWorker) new SharedWorker('/worker.js');
    document.fonts.add(new FontFace('left', new ArrayBuffer(8)));
    Object.prototype.left = Array.prototype.left = 'left'; window.left = 'left';
    const channel = new BroadcastChannel('left'); setInterval(() => channel.postMessage('left'), 5);
    addEventListener('pagehide', () => { localStorage.late = document.cookie = 'late=1';
      fetch('/late-part', {keepalive: true}) });
    addEventListener('unload', () => { sessionStorage.late = '1' });
    const hold = setTimeout(() => {}, 19000);
    setTimeout(async () => { await made; await put;
      seen.textContent = JSON.stringify([document.cookie.length,
      localStorage.length, sessionStorage.length, window.name, history.state,
      (await indexedDB.databases()).length, (await caches.keys()).length,
      (await navigator.storageBuckets.keys()).length, (await navigator.locks.query()).held.length,
      [...document.fonts].length]);
      clearTimeout(hold) }, 1000);
    </script>"""
GOOD = """<p id=seen></p><script>const at_first = [history.length, navigation.entries().length];
    (async () => {
    const hold = setTimeout(() => {}, 19000);  // a page with a timer is not quiet yet
    let heard = ''; new BroadcastChannel('left').onmessage = (event) => heard += event.data;
    await new Promise((done) => setTimeout(done, 1500));
    let files = 0; for await (const _ of (await navigator.storage.getDirectory()).keys()) files++;
    const buckets = await navigator.storageBuckets.keys();
    const locks = await navigator.locks.query(), fonts = [...document.fonts].length;
    const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
    const others = [buckets, locks.held, locks.pending, workers].map((one) => one.length).join('');
    seen.textContent = JSON.stringify([document.cookie, localStorage.length, sessionStorage.length,
      window.name, history.state, others, fonts,
      navigation.entries().map((one) => one.getState() ?? '').join(''),
      (await indexedDB.databases()).length, (await caches.keys()).length, files,
      ({}).left ?? '', window.left ?? '', heard, document.referrer,
      ...at_first, history.length]);
    clearTimeout(hold);
    })()</script>"""
FRAMED = "<p>framed</p><iframe src=https://two.test/frame></iframe>"
WORKING = """<p>working</p><script>
    new Worker(URL.createObjectURL(new Blob(['setInterval(() => {}, 5)'])))</script>"""
STUBBORN = """<p>stubborn</p><script>addEventListener('pagehide', () => { for (;;); })</script>"""
FRAME = {"https://two.test/frame": ("text/html", "<script>localStorage.left = 'left'</script>")}
PAGES: list[tuple[str, str, str]] = [
    ("hostile", ORIGIN, HOSTILE),
    ("good", ORIGIN, GOOD),
    ("good again", ORIGIN, GOOD),
    ("elsewhere", "https://three.test", GOOD),
    ("framed", "https://three.test", FRAMED),
    ("after a frame", "https://three.test", GOOD),
    ("working", "https://three.test", WORKING),
    ("after a worker", "https://three.test", GOOD),
    ("stubborn", "https://three.test", STUBBORN),
    ("after a stubborn page", "https://three.test", GOOD),
]


def renderers(browser: TestBrowser) -> list[int]:
    """Return the processes of pages."""
    found = []
    for number in browser.processes():
        with suppress(OSError):
            if b"--type=renderer" in Path(f"/proc/{number}/cmdline").read_bytes():
                found.append(number)
    return found


def main(folder: str) -> None:
    """Render the pages one after the other."""
    told: dict[str, Any] = {}
    with test_browser(Path(folder) / "home", may_lack_sandbox=False) as browser:
        for name, origin, page in PAGES:
            shown = browser.render(page, FRAME, url=f"{origin}/{name.replace(' ', '-')}")
            told[name] = {
                "ending": shown.done.ending,
                "html": shown.done.html.partition("<script>")[0],
                "wanted": shown.wanted,
                "missing": shown.done.missing,
                "renderers": renderers(browser),
                "detail": shown.done.detail,
            }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
