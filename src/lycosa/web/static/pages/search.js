import { get, own, page, trying } from "../api.js";
import { find, h, show } from "../dom.js";
import { count, moment } from "../format.js";
import { makingButton } from "../making.js";
import { watchState } from "../state.js";

const form = find("#search");
const LIMIT = 10;
const FACETS = { site: "Sites", language: "Languages", type: "Types", topic: "Topics" };
const PREFIX = { site: "site", language: "lang", type: "type", topic: "topic" };
const here = (query) => page("search", query);

// Places are counted in characters; a script counts some of them twice.
function marked({ text, marks }) {
  const letters = Array.from(text), parts = [];
  let at = 0;
  for (const [begin, end] of marks) {
    if (begin < at) continue;
    parts.push(letters.slice(at, begin).join(""), h("mark", {}, letters.slice(begin, end).join("")));
    at = end;
  }
  return [...parts, letters.slice(at).join("")];
}

function hit(one, query) {
  return h("article", { class: "hit" },
    h("h2", {}, h("a", { href: page("url", { url: one.url }) }, h("bdi", {}, one.title || one.url))),
    h("p", { class: "at" }, h("bdi", {}, one.url)),
    h("p", {}, marked(one.snippet)),
    h("p", { class: "more" }, [moment(one.moment).slice(0, 10), one.language, one.topic].filter(Boolean).join(" · "), one.copies.length ? ` · ${count(one.copies.length)} copies elsewhere` : "",
      one.more_of_site ? [" · ", h("a", { href: here({ q: `${query} site:${one.host}` }) }, `${count(one.more_of_site)} more of ${one.host}`)] : null));
}

function facets(found, query) {
  return Object.entries(FACETS).filter(([name]) => (found.facets[name] ?? []).length > 1).map(([name, title]) => [h("h2", {}, title),
    h("ul", {}, found.facets[name].slice(0, 8).map(([value, number]) => h("li", {}, h("a", { href: here({ q: `${query} ${PREFIX[name]}:${value}` }) }, h("bdi", {}, value)), h("span", {}, count(number)))))]);
}

async function look() {
  const asked = new URLSearchParams(location.search);
  const query = asked.get("q") ?? "", number = Math.max(1, Number(asked.get("page")) || 1);
  form.elements.q.value = query;
  if (!query) return form.elements.q.focus();
  document.title = `${query} · Search · Lycosa`;
  const found = await trying(() => get(own(`/search?${new URLSearchParams({ q: query, limit: LIMIT, page: number })}`)));
  if (!found) return show(find("#hits"));
  const parts = [found.total ? `${count(found.total)} of ${count(found.pages)} pages` : `Nothing was found in ${count(found.pages)} pages`, found.is_partial ? "too few have all words, so some of them count" : "", ...found.notes, `${Math.max(1, Math.round(found.milliseconds))} ms`];
  show(find("#summary"), parts.filter(Boolean).join(" · "), found.did_you_mean ? [" · did you mean ", h("a", { href: here({ q: found.did_you_mean }) }, found.did_you_mean), "?"] : null);
  show(find("#hits"), found.hits.map((one) => hit(one, query)));
  show(find("#facets"), facets(found, query));
  const step = (text, to) => h("a", { class: "button", href: here({ q: query, page: to }) }, text);
  show(find("#pager"), number > 1 ? step("Previous", number - 1) : null, found.hits.length === LIMIT && found.total > number * LIMIT ? step("Next", number + 1) : null);
}

form.addEventListener("submit", (event) => { event.preventDefault(); history.pushState(null, "", here({ q: form.elements.q.value.trim() })); look(); });
window.addEventListener("popstate", look);
look();
makingButton("index", "#index", { first: "Build the index", again: "Bring the index up to date" }, look);
watchState();
