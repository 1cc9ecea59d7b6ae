import { get, own, page, send, trying } from "../api.js";
import { confirmed, find, h, notice, show, table } from "../dom.js";
import { count, duration, words } from "../format.js";
import { watchState } from "../state.js";

const asked = new URLSearchParams(location.search);
const state = { filter: asked.get("filter") ?? "", sort: "pending", order: "descending", first: 0 };
const LIMIT = 50;
const form = find("#filter");
form.elements.filter.value = state.filter;

async function look() {
  const query = new URLSearchParams({ filter: state.filter, sort: state.sort, order: state.order, cursor: state.first, limit: LIMIT });
  const found = await trying(() => get(own(`/hosts?${query}`)));
  if (!found) return;
  const sortable = (key, title, more) => ({
    title, ...more, sorted: state.sort === key ? state.order : "none",
    sort: () => {
      state.order = state.sort === key && state.order === "descending" ? "ascending" : "descending";
      if (state.sort !== key && key === "host") state.order = "ascending";
      Object.assign(state, { sort: key, first: 0 });
      look().then(() => [...document.querySelectorAll("th button")].find((one) => one.textContent === title)?.focus());
    },
  });
  find("#count").textContent = `${count(found.total)} hosts`;
  show(find("#hosts"), table("Hosts", [
    sortable("host", "Host", { kind: "url", cell: (one) => h("a", { href: page("pages", { host: one.host }) }, h("bdi", {}, one.host)) }),
    sortable("kept", "Kept", { right: true, cell: (one) => h("a", { href: page("pages", { host: one.host, outcome: "kept" }) }, count(one.kept)) }),
    sortable("pending", "In queue", { right: true, cell: (one) => h("a", { href: page("pages", { host: one.host, outcome: "pending" }) }, count(one.pending)) }),
    sortable("state", "State", { cell: (one) => words(one.state) }),
    sortable("due", "Waits for", { cell: (one) => [one.why, one.due ? `${duration(Math.max(0, one.due - found.as_of))}` : ""].filter(Boolean).join(", ") || "–" }),
    { title: "Address", cell: (one) => h("span", { class: "mono" }, one.address || "–") },
    { title: "Robots", cell: (one) => words(one.robots) || "–" },
    { title: "Change", cell: (one) => (one.state === "blocked"
      ? h("button", { class: "small", onclick: () => change("DELETE", `/blocked/${encodeURIComponent(one.host)}`, undefined, `${one.host} is no longer blocked.`) }, "Unblock", h("span", { class: "quiet" }, ` ${one.host}`))
      : h("button", { class: "small danger", onclick: () => block(one.host) }, "Block", h("span", { class: "quiet" }, ` ${one.host}`))) },
  ], found.hosts));
  const last = state.first + found.hosts.length;
  find("#place").textContent = found.total ? `${count(state.first + 1)}–${count(last)}` : "";
  find("#previous").disabled = state.first === 0;
  find("#next").disabled = !found.next;
}

const change = (method, path, body, said) => trying(async () => {
  const done = await send(method, own(path), body);
  notice(`${said} Order ${done.number}; the table follows when it is applied.`);
});

async function block(host) {
  if (await confirmed(`Block ${host}?`, "No more requests go to it. What it has sent is kept.", "Block it")) await change("POST", "/blocked", { host }, `${host} is blocked.`);
}

form.addEventListener("submit", (event) => { event.preventDefault(); Object.assign(state, { filter: form.elements.filter.value.trim(), first: 0 }); look(); });
find("#previous").addEventListener("click", () => { state.first = Math.max(0, state.first - LIMIT); look(); });
find("#next").addEventListener("click", () => { state.first += LIMIT; look(); });
look();
watchState();
