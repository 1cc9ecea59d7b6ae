import { get, own, page, trying } from "../api.js";
import { find, h, show } from "../dom.js";
import { count } from "../format.js";
import { watchState } from "../state.js";

const url = (text) => h("bdi", {}, text);
const route = (urls) => urls.map((one, place) => [place ? " → " : "", url(one)]);

function finding(one) {
  const quoted = one.text && one.text !== one.target_url ? [" “", h("bdi", {}, one.text), "”"] : null;
  return h("li", {},
    h("div", {}, h("a", { href: page("url", { url: one.url }) }, url(one.url)), one.target_url ? [" → ", url(one.target_url)] : null, quoted),
    one.detail ? h("div", { class: "why" }, h("bdi", {}, one.detail)) : null,
    one.hops.length ? h("div", { class: "why" }, route(one.hops)) : null);
}

function card(check) {
  const more = check.count - check.findings.length;
  return h("section", { class: "card" },
    h("h2", {}, check.title, h("span", { class: `pill of-${check.severity}` }, `${count(check.count)} × ${check.severity}`)),
    h("p", { class: "help" }, `${check.meaning} ${check.mend}`),
    h("ul", { class: "list" }, check.findings.map(finding)),
    more ? h("p", { class: "help" }, `${count(more)} more: lycosa check-site --only ${check.name} --all`) : null);
}

async function look() {
  show(find("#checks"), h("p", { class: "help" }, "Checking the site …"));
  const found = await trying(() => get(own("/checks")));
  if (!found) return show(find("#checks"));
  const has = found.findings > 0;
  show(find("#checks"),
    h("p", { class: `verdict ${has ? "bad" : "good"}` }, has ? `${count(found.findings)} findings on ${count(found.pages)} pages.` : `Nothing found on ${count(found.pages)} pages.`),
    found.checks.map(card));
}

find("#again").addEventListener("click", look);
look();
watchState();
