import { Problem, get, own, page, raw, save, send, trying } from "../api.js";
import { leftOut } from "../charts.js";
import { find, h, notice, show, table } from "../dom.js";
import { count, moment, size, words } from "../format.js";
import { watchState } from "../state.js";

const LIMIT = 50, CSV_ROWS = 10_000, CSV_PARTS = 10, OLD_SECONDS = 60, SLOT = "lycosa-columns";
const FILTERS = ["text", "host", "outcome", "type", "topic"];
const USUAL = ["url", "title", "outcome", "status", "type", "size", "fetched"];
const form = find("#filter");
let state = {}, before = [], asked = 0;

const known = (one, text) => (one.fetched ? text : "–");
const COLUMNS = {
  url: { title: "URL", kind: "url", cell: (one) => h("a", { href: page("url", { url: one.url }), title: one.url }, h("bdi", {}, one.url)) },
  title: { title: "Title", kind: "title", cell: (one) => h("bdi", { title: one.title }, one.title || "–") },
  outcome: { title: "Outcome", cell: (one) => words(one.outcome) },
  status: { title: "Status", right: true, cell: (one) => (one.status ? String(one.status) : "–") },
  type: { title: "Type", cell: (one) => h("bdi", {}, one.type || "–") },
  size: { title: "Size", right: true, cell: (one) => known(one, size(one.size)) },
  depth: { title: "Depth", right: true, cell: (one) => count(one.depth) },
  fetched: { title: "Fetched", kind: "moment", cell: (one) => known(one, moment(one.fetched)) },
  host: { title: "Host", cell: (one) => h("a", { href: here({ host: one.host }) }, h("bdi", {}, one.host)) },
  language: { title: "Language", cell: (one) => h("bdi", {}, one.language || "–") },
  topic: { title: "Topic", cell: (one) => h("bdi", {}, one.topic || "–") },
};

const kept = (localStorage.getItem(SLOT) ?? "").split(" ").filter((name) => name in COLUMNS);
let shown = kept.length ? kept : USUAL;

// The address has filters and order, so that a list can be linked to.
function read() {
  const given = new URLSearchParams(location.search);
  state = Object.fromEntries(FILTERS.map((name) => [name, given.get(name) ?? ""]));
  state.sort = given.get("sort") in COLUMNS ? given.get("sort") : "fetched";
  state.order = given.get("order") === "ascending" ? "ascending" : "descending";
  before = [""];
}

const filters = (more = {}) => Object.fromEntries(Object.entries({ ...state, ...more }).filter(([name, value]) => value && FILTERS.includes(name)));
const here = (more = {}) => {
  const changed = { ...state, ...more };
  const order = changed.sort === "fetched" && changed.order === "descending" ? {} : { sort: changed.sort, order: changed.order };
  return page("pages", { ...filters(more), ...order });
};

function go(more) {
  history.pushState(null, "", here(more));
  return begin();
}

function option(value, number) {
  return h("option", { value }, `${value} (${count(number)})`);
}

async function showCounts(number) {
  const found = await get(own(`/page-list/counts?${new URLSearchParams(filters())}`));
  if (number !== asked) return;
  const all = Object.values(found.by.outcome).reduce((sum, one) => sum + one, 0);
  const chip = (outcome, title, rows) => h("a", { class: "chip", href: here({ outcome }), "aria-current": state.outcome === outcome ? "true" : null }, title, h("b", {}, count(rows)));
  show(find("#outcomes"), chip("", "all", all), Object.entries(found.by.outcome).map(([name, rows]) => chip(name, words(name), rows)));
  for (const name of ["type", "topic"]) {
    const values = Object.entries(found.by[name]).filter(([value]) => value);
    if (state[name] && !values.some(([value]) => value === state[name])) values.unshift([state[name], 0]);
    show(form.elements[name], h("option", { value: "" }, "all"), values.map(([value, rows]) => option(value, rows)));
    form.elements[name].value = state[name];
    form.elements[name].closest("label").hidden = name === "topic" && !values.length;
  }
  const [first] = Object.keys(found.by.host ?? {});
  if (first) form.elements.host.placeholder = first;
  find("#count").textContent = `${count(found.total)} ${found.total === 1 ? "URL" : "URLs"}${find("#count").dataset.queue ?? ""}`;
}

function aboutQueue(found) {
  if (!found.queue_as_of) return ". The log of this crawl is in a server: URLs that have not been fetched are not listed.";
  const isOld = Date.now() / 1000 - found.queue_as_of > OLD_SECONDS;
  find("#update").hidden = !isOld;
  return isOld ? `. The queue is as of ${moment(found.queue_as_of)}; fetches are newer.` : "";
}

// A large crawl needs a copy of its list, which is made once and then when it is asked for.
async function made(isAnew) {
  let copy = await get(own("/page-list/copy"));
  if (copy.state !== "making" && (isAnew || copy.state === "none")) copy = await send("POST", own("/page-list/copy"));
  while (copy.state === "making") {
    find("#making").textContent = `The list of this large crawl is being made: ${copy.progress}`;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    copy = await get(own("/page-list/copy"));
  }
  find("#making").textContent = "";
  if (copy.state === "failed") throw new Problem(500, copy.problem);
}

async function rows(query) {
  try {
    return await get(own(`/page-list?${query}`));
  } catch (error) {
    if (error.status !== 409) throw error;
    await made(true);
    return get(own(`/page-list?${query}`));
  }
}

function sortable(name) {
  const { title, ...more } = COLUMNS[name];
  const isSorted = state.sort === name;
  return {
    title, ...more, sorted: isSorted ? state.order : "none",
    sort: () => {
      const isFirst = !isSorted && ["size", "fetched", "status"].includes(name) ? "descending" : "ascending";
      const order = isSorted ? (state.order === "ascending" ? "descending" : "ascending") : isFirst;
      go({ sort: name, order }).then(() => [...document.querySelectorAll("th button")].find((one) => one.textContent === title)?.focus());
    },
  };
}

async function look() {
  const number = (asked += 1);
  const query = new URLSearchParams({ ...filters(), sort: state.sort, order: state.order, limit: LIMIT, cursor: before.at(-1) });
  const found = await trying(() => rows(query));
  if (number !== asked) return;
  if (!found) { find("#count").textContent = ""; return; }
  const names = Object.keys(COLUMNS).filter((name) => shown.includes(name));
  show(find("#list"), found.rows.length ? table("Pages", names.map(sortable), found.rows) : h("p", { class: "card" }, "No URL passes these filters."));
  const first = (before.length - 1) * LIMIT;
  find("#place").textContent = found.rows.length ? `${count(first + 1)}–${count(first + found.rows.length)}` : "";
  find("#previous").disabled = before.length < 2;
  find("#next").disabled = !found.next;
  find("#next").dataset.cursor = found.next;
  find("#count").dataset.queue = aboutQueue(found);
  await trying(() => showCounts(number));
}

function begin() {
  read();
  for (const name of ["text", "host"]) form.elements[name].value = state[name];
  find("#clear").href = page("pages");
  return look();
}

async function download() {
  const parts = [];
  let cursor = "";
  for (let part = 0; part < CSV_PARTS; part += 1) {
    const query = new URLSearchParams({ ...filters(), sort: state.sort, order: state.order, limit: CSV_ROWS, format: "csv", cursor });
    const answer = await raw("GET", own(`/page-list?${query}`));
    const text = await answer.text();
    parts.push(part ? text.slice(text.indexOf("\n") + 1) : text);
    const [, next = ""] = (answer.headers.get("Link") ?? "").match(/^<([^>]*)>/) ?? [];
    cursor = next ? new URL(next, location.origin).searchParams.get("cursor") : "";
    if (!cursor) break;
  }
  await save("pages.csv", new Response(new Blob(parts, { type: "text/csv" })));
  if (cursor) notice(`The file has the first ${count(CSV_ROWS * CSV_PARTS)} rows. All of them: lycosa export DIR pages --format csv`);
}

for (const [name, { title }] of Object.entries(COLUMNS)) {
  const box = h("input", { type: "checkbox", value: name, checked: shown.includes(name) });
  box.addEventListener("change", () => {
    shown = [...document.querySelectorAll("#columns input:checked")].map((one) => one.value);
    if (!shown.length) shown = ["url"];
    localStorage.setItem(SLOT, shown.join(" "));
    look();
  });
  find("#columns fieldset").append(h("label", { class: "inline" }, box, title));
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  go(Object.fromEntries(["text", "host", "type", "topic"].map((name) => [name, form.elements[name].value.trim()])));
});
for (const name of ["type", "topic"]) form.elements[name].addEventListener("change", () => form.requestSubmit());
find("#previous").addEventListener("click", () => { before.pop(); look(); });
find("#next").addEventListener("click", (event) => { before.push(event.currentTarget.dataset.cursor); look(); });
find("#save").addEventListener("click", () => trying(download));
find("#update").addEventListener("click", () => trying(async () => { await made(true); await look(); }));
window.addEventListener("popstate", begin);
begin();
trying(async () => show(find("#left-out"), leftOut((await get(own("/progress"))).left_out_rows, "h2")));
watchState();
