// Asks the server. The token comes in the fragment of the first address, is kept for this tab and
// its siblings, and goes out as a header alone.

import { find, notice } from "./dom.js";

const KEY = "lycosa-token";
const siblings = "BroadcastChannel" in window ? new BroadcastChannel("lycosa-token") : null;

function taken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(KEY);
}

let token = taken();
siblings?.addEventListener("message", (event) => {
  if (event.data === "wanted" && token) siblings.postMessage({ token });
  else if (event.data?.token && !token) token = event.data.token;
});

// A new tab asks the others first, and then the user.
async function wanted() {
  if (token) return token;
  siblings?.postMessage("wanted");
  await new Promise((resolve) => setTimeout(resolve, 150));
  if (!token) await asked();
  sessionStorage.setItem(KEY, token);
  return token;
}

let asking = null;
function asked() {
  asking ??= new Promise((resolve) => {
    const dialog = find("#token");
    dialog.showModal();
    dialog.addEventListener("close", () => {
      token = dialog.querySelector("input").value.trim();
      asking = null;
      resolve();
    }, { once: true });
  });
  return asking;
}

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

async function request(method, path, { body, headers = {}, signal } = {}) {
  for (;;) {
    const given = { ...headers, Authorization: `Bearer ${await wanted()}` };
    if (body !== undefined) given["Content-Type"] = "application/json";
    if (method !== "GET") given["Idempotency-Key"] ??= crypto.randomUUID?.() ?? String(Math.random());
    const answer = await fetch(`/api/v1${path}`, {
      method, headers: given, body: body === undefined ? undefined : JSON.stringify(body), signal, cache: "no-store",
      credentials: "omit",
    });
    if (answer.status === 401) {
      sessionStorage.removeItem(KEY);
      token = null;
      await asked();
      continue;
    }
    if (answer.ok) return answer;
    const problem = await answer.json().catch(() => ({}));
    throw new Problem(answer.status, problem.detail || problem.title || `the server says ${answer.status}`);
  }
}

export const get = async (path) => (await request("GET", path)).json();
export const send = async (method, path, body) => (await request(method, path, { body })).json();
export const raw = (method, path, body) => request(method, path, { body });

export const crawl = document.body.dataset.crawl;
export const own = (path) => `/crawls/${encodeURIComponent(crawl)}${path}`;
export const page = (name, query = {}, of = crawl) => {
  const text = new URLSearchParams(query).toString();
  return `/crawl/${encodeURIComponent(of)}/${name}${text ? `?${text}` : ""}`;
};

// Runs something and shows what went wrong, if anything did.
export async function trying(act) {
  try {
    notice("");
    return await act();
  } catch (error) {
    notice(error.message || String(error), true);
    return undefined;
  }
}

export async function save(name, answer) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Calls back for every frame of the crawl, for as long as the page is open.
export async function frames(take, lost) {
  let last = "";
  for (;;) {
    try {
      const headers = last ? { "Last-Event-ID": last } : {};
      const answer = await request("GET", own("/events"), { headers });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const events = (rest + value).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          const fields = Object.fromEntries(event.split("\n").map((line) => line.split(/: (.*)/s)));
          if (fields.event === "frame") {
            last = fields.id;
            take(JSON.parse(fields.data));
          } else if (fields.event === "problem") {
            throw new Problem(500, JSON.parse(fields.data).detail);
          }
        }
      }
      lost("the server has ended the connection");
    } catch (error) {
      lost(error.message || String(error));
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}
