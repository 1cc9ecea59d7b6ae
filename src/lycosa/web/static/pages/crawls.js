import { get, page, trying } from "../api.js";
import { find, h, show } from "../dom.js";
import { ago, count, ending, size } from "../format.js";

const ENDED = ["ended", "resting"];

function card(one) {
  return h("article", { class: "card" },
    h("h2", {}, h("a", { href: page(ENDED.includes(one.state) ? "pages" : "now", {}, one.name) }, h("bdi", {}, one.name)), h("span", { class: `pill ${one.state}` }, one.state)),
    one.problem ? h("p", { class: "notice bad" }, one.problem) : null,
    h("dl", {}, [["pages", count(one.pages)], ["size", size(one.bytes)], ["in queue", count(one.pending)]].map(
      ([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    h("p", { class: "help" }, h("bdi", { class: "mono" }, one.seeds[0] ?? ""), one.seeds_count > 1 ? ` and ${count(one.seeds_count - 1)} more seeds` : ""),
    h("p", { class: "help" }, one.changed ? `written ${ago(one.changed)}` : "not begun", one.reason ? ` · ended: ${ending(one.reason)}` : "", one.log ? " · a cluster" : ""));
}

async function look() {
  const found = await trying(() => get("/crawls"));
  if (!found) return;
  find("#new").hidden = !found.can_create;
  show(find("#crawls"), found.crawls.length ? found.crawls.map(card) : h("p", {}, "There is no crawl in this folder yet."));
}

await look();
setInterval(() => { if (!document.hidden) look(); }, 5000);
