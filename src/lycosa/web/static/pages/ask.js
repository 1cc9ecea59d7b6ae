import { own, page, raw, save, trying } from "../api.js";
import { find, h, show, table } from "../dom.js";
import { count } from "../format.js";
import { watchState } from "../state.js";

const EXAMPLES = {
  sql: {
    "Outcomes": "select outcome, count(*) as pages\nfrom pages\ngroup by all\norder by pages desc",
    "Hosts with most pages": "select host, count(*) as pages, sum(size_bytes) as bytes\nfrom pages\nwhere outcome = 'kept'\ngroup by all\norder by pages desc\nlimit 20",
    "Broken links": "select l.source_url, l.target_url, p.status\nfrom links l join pages p on p.url_id = l.target_id\nwhere p.outcome = 'not_found'\nlimit 100",
    "Slowest answers": "select url, epoch(ended - began) as seconds\nfrom pages\norder by seconds desc\nlimit 20",
    "Most linked pages": "select target_url, count(distinct source_id) as pages\nfrom links\nwhere source_id <> target_id\ngroup by all\norder by pages desc\nlimit 20",
    "Columns of pages": "describe pages",
  },
  sparql: {
    "Types of things": "SELECT ?type (COUNT(*) AS ?things)\nWHERE { ?thing a ?type }\nGROUP BY ?type\nORDER BY DESC(?things)\nLIMIT 20",
    "Properties": "SELECT ?property (COUNT(*) AS ?times)\nWHERE { ?thing ?property ?value }\nGROUP BY ?property\nORDER BY DESC(?times)\nLIMIT 20",
    "Names and pages": "SELECT ?name ?page\nWHERE { GRAPH ?page { ?thing schema:name|schemas:name|foaf:name ?name } }\nLIMIT 50",
    "Titles": "SELECT ?page ?title\nWHERE { GRAPH ?page { ?page dcterms:title|og:title ?title } }\nLIMIT 50",
  },
};
const HELP = {
  sql: "Tables: pages, links, text, hosts, and those of lycosa study. Nothing can be changed; a query has 30 s.",
  sparql: "Each page has a graph, named by its URL. Known prefixes: dcterms, foaf, og, owl, rdf, rdfs, schema, schemas (https), skos, xsd.",
};
const form = find("#ask"), query = find("#query"), examples = find("#examples");
const language = () => form.elements.language.value;
const drafts = {};

function choose() {
  const own = EXAMPLES[language()];
  show(examples, Object.keys(own).map((name) => h("option", {}, name)));
  query.value = drafts[language()] ?? Object.values(own)[0];
  find("#ask-help").textContent = HELP[language()];
}

const ask = (format) => raw("POST", own(`/${language()}`), { query: query.value, format });

function cell(value) {
  if (value === null || value === undefined) return "–";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /^https?:\/\//.test(text) ? h("a", { href: page("url", { url: text }) }, h("bdi", {}, text)) : h("bdi", {}, text);
}

function shown(columns, rows) {
  return table("Answer", columns.map((title, place) => ({ title, kind: rows.some((row) => /^https?:/.test(String(row[place]))) ? "url" : null, right: rows.length > 0 && rows.every((row) => row[place] === null || typeof row[place] === "number"), cell: (row) => cell(row[place]) })), rows);
}

async function run() {
  const began = performance.now();
  find("#summary").textContent = "Asking …";
  show(find("#answer"));
  const answer = await trying(() => ask(language() === "sql" ? "json" : ""));
  if (!answer) { find("#summary").textContent = ""; return; }
  const seconds = `${((performance.now() - began) / 1000).toFixed(2)} s`;
  if (!answer.headers.get("content-type").includes("json")) {
    show(find("#answer"), h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": "Answer" }, await answer.text()));
    find("#summary").textContent = `A graph, in ${seconds}.`;
    return;
  }
  const found = await answer.json();
  if (found.boolean !== undefined) { find("#summary").textContent = `${found.boolean ? "Yes" : "No"}, in ${seconds}.`; return; }
  const columns = found.columns ?? found.head.vars;
  const rows = found.rows ?? found.results.bindings.map((one) => columns.map((name) => one[name]?.value ?? null));
  find("#summary").textContent = `${count(rows.length)} ${rows.length === 1 ? "row" : "rows"} in ${seconds}${found.is_cut ? "; there are more" : ""}.`;
  show(find("#answer"), shown(columns, rows));
}

form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
form.addEventListener("change", (event) => { if (event.target.name === "language") choose(); });
examples.addEventListener("change", () => { query.value = EXAMPLES[language()][examples.value]; });
query.addEventListener("input", () => { drafts[language()] = query.value; });
query.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); } });
find("#csv").addEventListener("click", () => trying(async () => save("answer.csv", await ask("csv"))));
find("#json").addEventListener("click", () => trying(async () => save("answer.json", await ask("json"))));
choose();
watchState();
