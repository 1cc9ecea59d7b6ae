"""The service worker of replay: the player's own, behind a wall.

The player's worker answers its own page without a policy, and archived pages with one that lets
web sockets through. An archived page has the player's origin, so its script can reach into the
player's page and ask other servers from there. This worker loads the player's, hands it the
requests of its own origin, and adds a policy to every answer; requests to other origins end here.

WebRTC sends packets to any address, and no Content-Security-Policy covers it. So every HTML
document gets a first script that removes it (`replay_first`). A document in a frame that is not
HTML, or not in an encoding that begins like ASCII, can have none: it is put into a sandbox without
scripts and with an origin of its own, so that other pages cannot use its window. PDF is left out,
because browsers show none in a sandbox.
"""

from __future__ import annotations

import json

from lycosa.web.replay.first_script import ALLOWLIST, FIRST_ELEMENT

PLAYER_WORKER = "player-worker.js"

_WORKER = r""""use strict";
const POLICY = %(policy)s, ALLOWLIST = %(allowlist)s;
const FIRST = new TextEncoder().encode(%(first)s);
const LOOKED_AT = 1024;
const add = self.addEventListener.bind(self);
const listeners = [];
self.addEventListener = (kind, listener, ...more) =>
  kind === "fetch" ? void listeners.push(listener) : add(kind, listener, ...more);

// Where the first script stands: behind a mark of UTF-8 and a doctype, without which pages look
// otherwise; -1 in UTF-16, where it cannot stand.
function place(bytes) {
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xff && bytes[1] === 0xfe)) {
    return -1;
  }
  const text = new TextDecoder("latin1").decode(bytes);
  return /^(?:\xef\xbb\xbf)?(?:\s*(?:<!--[^]*?-->\s*)*<!doctype[^>]*>)?/i.exec(text)[0].length;
}

async function beginning(reader) {
  let bytes = new Uint8Array(0);
  while (bytes.length < LOOKED_AT) {
    const {done, value} = await reader.read();
    if (done) break;
    const both = new Uint8Array(bytes.length + value.length);
    both.set(bytes);
    both.set(value, bytes.length);
    bytes = both;
  }
  return bytes;
}

function following(pieces, reader) {
  return new ReadableStream({
    start(stream) { for (const piece of pieces) if (piece.length) stream.enqueue(piece); },
    async pull(stream) {
      const {done, value} = await reader.read();
      if (done) stream.close(); else stream.enqueue(value);
    },
    cancel(why) { return reader.cancel(why); },
  });
}

async function walled(answer, request) {
  if (answer.type === "error" || answer.type.startsWith("opaque") || answer.status < 200) {
    return answer;
  }
  const headers = new Headers(answer.headers);
  headers.append("Content-Security-Policy", POLICY);
  headers.set("Connection-Allowlist", ALLOWLIST);
  const {status, statusText} = answer;
  const isDocument = request.mode === "navigate" ||
    ["document", "iframe", "frame", "object", "embed"].includes(request.destination);
  if (!isDocument || answer.body === null) {
    return new Response(answer.body, {status, statusText, headers});
  }
  const kind = (headers.get("Content-Type") || "").toLowerCase();
  const reader = answer.body.getReader();
  const bytes = await beginning(reader);
  const isHtml = /^\s*text\/html\b/.test(kind) && !/charset\s*=\s*["']?utf-?(16|32|7)/.test(kind);
  const at = isHtml ? place(bytes) : -1;
  if (at < 0) {
    if (!/^\s*application\/pdf\b/.test(kind)) {
      headers.append("Content-Security-Policy", "sandbox");
    }
    return new Response(following([bytes], reader), {status, statusText, headers});
  }
  // A policy of the archived page must not forbid the first script alone.
  headers.set("Content-Security-Policy", POLICY);
  headers.delete("Content-Length");
  const pieces = [bytes.subarray(0, at), FIRST, bytes.subarray(at)];
  return new Response(following(pieces, reader), {status, statusText, headers});
}

add("fetch", (event) => {
  const {request} = event;
  if (new URL(request.url).origin !== self.location.origin) {
    event.respondWith(Response.error());
    return;
  }
  const seen = new Proxy(event, {
    get(target, name) {
      if (name === "respondWith") {
        return (answer) => target.respondWith(
          Promise.resolve(answer).then((found) => walled(found, request)));
      }
      const found = Reflect.get(target, name, target);
      return typeof found === "function" ? found.bind(target) : found;
    },
  });
  for (const listener of listeners) listener(seen);
});
importScripts("./%(player)s");
"""


def worker(policy: str) -> bytes:
    """Return the script of the worker, which adds this policy to every answer."""
    told = {
        "policy": json.dumps(policy),
        "allowlist": json.dumps(ALLOWLIST),
        "first": json.dumps(FIRST_ELEMENT),
        "player": PLAYER_WORKER,
    }
    return (_WORKER % told).encode()
