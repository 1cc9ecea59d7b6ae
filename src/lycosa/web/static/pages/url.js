import { get, own, page, raw, save, send, trying } from "../api.js";
import { confirmed, find, h, notice, show, table } from "../dom.js";
import { count, moment, size, words } from "../format.js";
import { watchState } from "../state.js";

const form = find("#which");
const asked = new URLSearchParams(location.search).get("url");

const link = (url) => h("a", { href: page("url", { url }) }, h("bdi", {}, url));

function links(title, list, hasMore) {
  return h("section", { class: "card" }, h("h2", {}, title), list.length ? table(title, [
    { title: "URL", kind: "url", cell: (one) => link(one.url) }, { title: "Text", cell: (one) => h("bdi", {}, one.text || "–") },
    { title: "Kind", cell: (one) => words(one.kind) }, { title: "Followed", cell: (one) => (one.reason === "followed" ? "yes" : words(one.reason)) },
  ], list) : h("p", { class: "help" }, "None is known."), hasMore ? h("p", { class: "help" }, `The first ${list.length} are shown.`) : null);
}

function captures(facts) {
  const download = (one, part, name) => h("button", { class: "small", onclick: () => trying(async () => save(name,
    await raw("GET", own(`/captures/${part}?${new URLSearchParams({ url: facts.url, fetch_id: part === "text" ? "" : one.fetch_id })}`)))) }, part);
  return h("section", { class: "card wide" }, h("h2", {}, "Captures"), facts.captures.length ? table("Captures", [
    { title: "Fetched", cell: (one) => moment(one.moment) }, { title: "Outcome", cell: (one) => words(one.outcome) }, { title: "Status", right: true, cell: (one) => String(one.status || "–") },
    { title: "Type", cell: (one) => one.content_type || "–" }, { title: "Size", right: true, cell: (one) => size(one.size_bytes) },
    { title: "Title", cell: (one) => h("bdi", {}, one.title || (one.redirect_url ? `→ ${one.redirect_url}` : "–")) },
    { title: "Download", cell: (one) => (one.is_stored ? h("span", { class: "row" }, download(one, "body", "body.bin"), download(one, "headers", "headers.txt"), facts.text ? download(one, "text", "text.txt") : null) : "–") },
  ], facts.captures) : h("p", { class: "help" }, "The URL has not been fetched yet."));
}

// Drawn, not linked: the picture needs the token, and the policy of this page allows no other images.
function screenshot(facts) {
  const canvas = h("canvas", { class: "picture", role: "img", "aria-label": `The page as a browser showed it: ${facts.url}`, width: 1280, height: 800 });
  trying(async () => {
    const answer = await raw("GET", own(`/captures/screenshot?${new URLSearchParams({ url: facts.url })}`));
    const image = await createImageBitmap(await answer.blob());
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d").drawImage(image, 0, 0);
    canvas.dataset.shown = "yes";
  });
  return h("section", { class: "card wide" }, h("h2", {}, "Screenshot"), canvas);
}

const give = (method, path, body, said) => trying(async () => { notice(`${said} (order ${(await send(method, own(path), body)).number})`); });

function actions(facts) {
  const url = new URL(facts.url);
  const suggested = { prefix: facts.url.replace(/[^/]*$/, ""), host: facts.host, regex: url.pathname.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\d+/g, "\\d+") };
  const kind = h("select", { name: "kind" }, [["prefix", "begins with"], ["host", "host is"], ["regex", "matches"]].map(([value, text]) => h("option", { value }, text)));
  const value = h("input", { name: "value", required: true, spellcheck: "false", value: suggested.prefix });
  const found = h("div", { "aria-live": "polite" });
  const rule = () => ({ action: "reject", [kind.value]: [value.value] });
  kind.addEventListener("change", () => { value.value = suggested[kind.value]; show(found); });
  const preview = () => trying(async () => {
    const fit = await send("POST", own("/rule-preview"), rule());
    show(found, h("p", {}, h("b", {}, count(fit.fits)), ` of ${count(fit.pending)} URLs in the queue fit.`), fit.examples.length ? h("ul", { class: "list" }, fit.examples.map((one) => h("li", { class: "mono" }, one))) : null);
    return fit;
  });
  const exclude = async (event) => {
    event.preventDefault();
    const fit = await preview();
    if (fit && await confirmed("Exclude these URLs?", `${count(fit.fits)} URLs in the queue fit, and so do all that are found later.`, "Exclude them")) await give("POST", "/rules", rule(), "Excluded.");
  };
  return h("section", { class: "card wide" }, h("h2", {}, "Steer"),
    h("form", { class: "stack", onsubmit: exclude }, h("div", { class: "row end" }, h("label", {}, "Exclude URLs: ", kind), h("label", { class: "grow" }, "Value", value), h("button", { type: "button", onclick: preview }, "Preview"), h("button", { class: "danger" }, "Exclude")), found),
    h("p", {}),
    h("div", { class: "row" },
      facts.is_blocked ? h("button", { onclick: () => give("DELETE", `/blocked/${encodeURIComponent(facts.host)}`, undefined, "Unblocked.") }, `Unblock ${facts.host}`)
        : h("button", { class: "danger", onclick: async () => { if (await confirmed(`Block ${facts.host}?`, "No more requests go to it. What it has sent is kept.", "Block it")) await give("POST", "/blocked", { host: facts.host }, "Blocked."); } }, `Block ${facts.host}`),
      h("button", { onclick: () => give("POST", "/retry", { what: "failed" }, "Failed URLs go back into the queue.") }, "Retry failed URLs")));
}

async function look(url) {
  form.elements.url.value = url;
  const facts = await trying(() => get(own(`/url?${new URLSearchParams({ url })}`)));
  if (!facts) return;
  document.title = `${facts.url} · Lycosa`;
  show(find("#facts"),
    h("p", { class: "lead" }, h("bdi", { class: "mono" }, facts.url), " ", facts.standing, "."),
    facts.is_known ? h("p", { class: "help" }, [facts.depth ? `${facts.depth} links from a seed` : "a seed, or the target of its redirect", facts.address ? `at ${facts.address}` : "", facts.due ? `due ${moment(facts.due)}` : "", facts.topic].filter(Boolean).join(" · ")) : null,
    h("div", { class: "two" },
      captures(facts),
      facts.has_screenshot ? screenshot(facts) : null,
      h("section", { class: "card" }, h("h2", {}, "What happened"), facts.history.length ? h("ol", { class: "steps" }, facts.history.map((one) => h("li", {}, h("time", {}, moment(one.moment)), h("bdi", {}, one.what)))) : h("p", { class: "help" }, "Nothing yet.")),
      h("section", { class: "card" }, h("h2", {}, "Text"), facts.text ? h("pre", { class: "text", tabindex: "0", role: "region", "aria-label": "Text" }, facts.text) : h("p", { class: "help" }, "No text is stored.")),
      links("Links to it", facts.links_in, facts.has_more_in), links("Links from it", facts.links_out, facts.has_more_out), actions(facts)));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const url = form.elements.url.value.trim();
  history.pushState(null, "", page("url", { url }));
  look(url);
});
window.addEventListener("popstate", () => { const url = new URLSearchParams(location.search).get("url"); if (url) look(url); });
if (asked) look(asked);
watchState();
