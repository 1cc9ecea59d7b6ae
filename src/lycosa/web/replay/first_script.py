"""Keeps archived pages from WebRTC: the first script of every document, and a header.

The script removes WebRTC and its relatives from the window before any script of the page runs. A
page can make windows that no server answers for (frames of about:blank and srcdoc, pop-ups), each
of which has WebRTC again. They are cleared when they come: where an element is inserted, where the
parser has made one, and where the page asks an element or `open` for its window. A frame's first
document shares its window with what is loaded into it, so srcdoc finds it cleared.

`Connection-Allowlist` is the browser's own wall (Chromium 148 and later; others ignore it): it ends
a page that uses WebRTC nevertheless, and lets it connect to its own origin alone.

Always true, in a browser with that header: no packet of an archived page leaves for another origin.
Not promised in others: a page may find a way to a window that is not cleared. The browser that
`lycosa replay --open` starts has neither UDP nor a way to other servers (`replay_browser`).
"""

from __future__ import annotations

ALLOWLIST = "(response-origin);redirects=allow;webrtc=block"
"""The header: only the own origin; a redirect's target is checked when it is followed."""

FIRST_SCRIPT = """(() => {
"use strict";
const names = ["RTCPeerConnection", "webkitRTCPeerConnection", "mozRTCPeerConnection",
  "RTCDataChannel", "RTCIceTransport", "RTCRtpTransceiver", "RTCSessionDescription",
  "RTCIceCandidate", "WebTransport"];
const inserts = {
  Node: ["appendChild", "insertBefore", "replaceChild"],
  Element: ["append", "prepend", "before", "after", "replaceWith", "replaceChildren",
    "insertAdjacentElement", "insertAdjacentHTML", "setHTMLUnsafe", "moveBefore"],
  CharacterData: ["before", "after", "replaceWith"],
  DocumentType: ["before", "after", "replaceWith"],
  Document: ["append", "prepend", "replaceChildren", "write", "writeln", "execCommand"],
  DocumentFragment: ["append", "prepend", "replaceChildren"],
  ShadowRoot: ["setHTMLUnsafe"],
  Range: ["insertNode", "surroundContents"],
};
const setters = {Element: ["innerHTML", "outerHTML"], ShadowRoot: ["innerHTML"]};
const {apply, getOwnPropertyDescriptor: own, defineProperty: define} = Reflect;
const windows = [];

function clear(one) {
  try {
    const first = own(one, names[0]);
    if (first && !first.configurable) return;
    for (const name of names) {
      delete one[name];
      define(one, name, {value: undefined});
    }
    windows.push(new WeakRef(one));
    watch(one);
  } catch { /* a window of another origin */ }
}

function clearAll() {
  for (const ref of windows) {
    const one = ref.deref();
    for (let n = 0; one && n < one.length; n += 1) clear(one[n]);
  }
}

function wrap(owner, name, key) {
  const found = owner && own(owner.prototype || owner, name);
  if (!found || typeof found[key] !== "function") return;
  const before = found[key];
  found[key] = function (...given) {
    const answer = apply(before, this, given);
    clearAll();
    if (answer && answer.window) clear(answer);
    return answer;
  };
  define(owner.prototype || owner, name, found);
}

function watch(one) {
  for (const [kind, methods] of Object.entries(inserts)) {
    for (const name of methods) wrap(one[kind], name, "value");
  }
  for (const [kind, parts] of Object.entries(setters)) {
    for (const name of parts) wrap(one[kind], name, "set");
  }
  for (const kind of ["HTMLIFrameElement", "HTMLFrameElement", "HTMLObjectElement"]) {
    wrap(one[kind], "contentWindow", "get");
    wrap(one[kind], "contentDocument", "get");
  }
  wrap(one, "open", "value");
  // The parser of the page: its observers run before its next script.
  new one.MutationObserver(clearAll).observe(one.document, {childList: true, subtree: true});
}

clear(window);
})();"""

FIRST_ELEMENT = f"<script>{FIRST_SCRIPT}</script>"
