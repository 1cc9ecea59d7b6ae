"""The service worker of replay: the player's own, behind a wall.

The player's worker answers its own page without a policy, and archived pages with one that lets
web sockets through. An archived page has the player's origin, so its script can reach into the
player's page and ask other servers from there. This worker loads the player's, hands it the
requests of its own origin, and adds a policy to every answer; requests to other origins end here.
"""

from __future__ import annotations

import json

PLAYER_WORKER = "player-worker.js"

_WORKER = """"use strict";
const POLICY = %(policy)s;
const add = self.addEventListener.bind(self);
const listeners = [];
self.addEventListener = (kind, listener, ...more) =>
  kind === "fetch" ? void listeners.push(listener) : add(kind, listener, ...more);

function walled(answer) {
  if (answer.type === "error" || answer.type.startsWith("opaque") || answer.status < 200) {
    return answer;
  }
  const headers = new Headers(answer.headers);
  headers.append("Content-Security-Policy", POLICY);
  const {status, statusText} = answer;
  return new Response(answer.body, {status, statusText, headers});
}

add("fetch", (event) => {
  if (new URL(event.request.url).origin !== self.location.origin) {
    event.respondWith(Response.error());
    return;
  }
  const seen = new Proxy(event, {
    get(target, name) {
      if (name === "respondWith") {
        return (answer) => target.respondWith(Promise.resolve(answer).then(walled));
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
    return (_WORKER % {"policy": json.dumps(policy), "player": PLAYER_WORKER}).encode()
