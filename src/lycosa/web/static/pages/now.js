import { crawl, frames, get, own, page, send, trying } from "../api.js";
import { HostWeb, PHASES, bars, curves, leftOut } from "../charts.js";
import { confirmed, find, h, notice, show, table } from "../dom.js";
import { ago, count, duration, ending, moment, size } from "../format.js";
import { showState } from "../state.js";

const KEPT = 300, SLOT = `frames ${crawl}`;
let past = JSON.parse(sessionStorage.getItem(SLOT) ?? "[]");
let current = null, orders = -1;
const web = new HostWeb(find("#web"));

function remember(frame) {
  if (past.length && frame.moment - past.at(-1)[0] > 60) past = [];
  past.push([frame.moment, frame.pages_per_second, frame.pages, frame.pending]);
  past = past.slice(-KEPT);
  sessionStorage.setItem(SLOT, JSON.stringify(past));
}

const figure = (name, value, leads) => h("dl", { class: "figure" }, h("dt", {}, name), h("dd", {}, leads ? h("a", { href: leads }, value) : value));
const listOf = (outcome) => page("pages", { outcome });

function standing(frame) {
  if (frame.state === "paused") return "Paused: no request is begun until you resume it. Requests under way were finished and kept.";
  if (frame.state === "stopping") return "It is stopping: requests under way are finished.";
  if (frame.state === "running") {
    const left = frame.pending ? ` At least ${duration(frame.seconds_left)} to go ${frame.limited_by ? `to the limit of ${frame.limited_by}.` : "at these pauses; new links add to it."}` : "";
    return `Running for ${duration(frame.seconds)} with ${count(frame.workers)} ${frame.workers === 1 ? "worker" : "workers"}.${left}`;
  }
  if (frame.reason === "exhausted" && !frame.pending) return Object.keys(frame.left_out).length ? "Complete within its limits." : "Complete.";
  const why = frame.reason ? `The last run ended: ${ending(frame.reason)}.` : "No process crawls it now.";
  return frame.pending ? `${why} ${count(frame.pending)} URLs are left.` : why;
}

function take(frame) {
  current = frame;
  remember(frame);
  showState(frame.state);
  show(find("#figures"),
    figure("pages a second", frame.pages_per_second.toFixed(1)),
    figure("pages", count(frame.pages), listOf("kept")),
    figure("kept", size(frame.bytes)),
    figure("in queue", count(frame.pending), listOf("pending")),
    figure("under way", count(frame.in_flight)),
    figure("time left, at least", frame.pending ? duration(frame.seconds_left) : "–"),
    frame.free_disk_bytes ? figure("free disk", size(frame.free_disk_bytes)) : null);
  const text = standing(frame);
  if (find("#standing").textContent !== text) find("#standing").textContent = text;
  const each = web.show(frame.hosts);
  const names = Object.keys(PHASES).filter((name) => frame.hosts[name] !== undefined);
  show(find("#phases"), names.map((name) => h("li", { title: PHASES[name] }, h("span", { class: `swatch ${name}` }), h("span", {}, name), h("b", {}, count(frame.hosts[name])))),
    each > 1 ? h("li", {}, h("span"), h("span", {}, "a dot is"), h("b", {}, count(each))) : null);
  find("#curves").hidden = past.length < 2;
  show(find("#rate"), curves("Pages a second over the last minutes", [past.map(([at, rate]) => [at, rate])], true));
  show(find("#growth"), curves("Pages and queue over the last minutes", [past.map(([at, , pages]) => [at, pages]), past.map(([at, , , queue]) => [at, queue])]),
    h("span", { class: "key" }, h("i"), "pages"), h("span", { class: "key second" }, h("i"), "in queue"));
  show(find("#waits"), waits(frame));
  if (!isListed) show(find("#outcomes"), bars(frame.outcomes));
  show(find("#refusals"), Object.keys(frame.refusals).length ? [h("h3", {}, "Refused URLs"), bars(frame.refusals, "")] : null,
    leftOut(frame.left_out_rows));
  steer(frame);
}

// Bars of URLs, as soon as the list of pages can count them; until then, of answers.
let isListed = false;
async function showOutcomes() {
  try {
    const found = await get(own("/page-list/counts"));
    isListed = true;
    show(find("#outcomes"), bars(found.by.outcome, "kept", listOf));
  } catch {
    isListed = false;
  }
  setTimeout(showOutcomes, document.hidden ? 60_000 : 10_000);
}

function waits(frame) {
  if (!frame.waits.length) return h("p", { class: "help" }, frame.pending ? "Nothing in particular: hosts are asked as their pauses allow." : "Nothing is left to do.");
  const now = Date.now() / 1000;
  const more = frame.waits_count - frame.waits.length;
  return [h("ul", { class: "list" }, frame.waits.map((one) => h("li", {}, h("bdi", { class: "mono" }, one.who), " ", h("span", { class: "why" }, one.why, one.until > now ? `, ${duration(Math.max(0, Math.round(one.until - now)))} more` : "")))),
    more > 0 ? h("p", { class: "help" }, `and ${count(more)} more hosts`) : null];
}

// -- steering -------------------------------------------------------------------------------

const LIMITS = {
  "limits.pages": ["Stop after pages", 1], "limits.bytes": ["Stop after bytes", 1], "limits.seconds": ["Stop after seconds", 1],
  "politeness.delay_seconds": ["Pause of a host, seconds", "any"], "fetch.connections": ["Connections", 1], "fetch.bytes_per_second": ["Bytes a second", 1],
};

function steer(frame) {
  const isAlive = ["running", "paused", "stopping"].includes(frame.state);
  for (const [name, isShown] of [["pause", frame.state === "running"], ["resume", frame.state === "paused"], ["start", !isAlive], ["stop", frame.state === "running" || frame.state === "paused"]]) {
    const button = find(`#${name}`);
    if (button.hidden === isShown) {
      const hadFocus = document.activeElement === button;
      button.hidden = !isShown;
      if (hadFocus && !isShown) (find("#steer button:not([hidden])") ?? find("#main")).focus();
    }
  }
  if (!find("#limits").children.length) {
    show(find("#limits"), Object.entries(LIMITS).filter(([key]) => key in frame.limits).map(([key, [title, step]]) =>
      h("label", {}, title, h("input", { name: key, type: "number", min: 0, step, inputmode: "decimal", value: frame.limits[key] ?? "" }))),
    h("div", { class: "row" }, h("button", {}, "Change"), h("span", { class: "help" }, "Empty goes back to the job's own value; 0 is no limit.")));
  } else {
    for (const [key, value] of Object.entries(frame.limits)) {
      const input = find("#limits").elements[key];
      if (input && input !== document.activeElement && input.value === input.defaultValue) input.value = input.defaultValue = value ?? "";
    }
  }
  if (frame.orders_applied !== orders) {
    orders = frame.orders_applied;
    showOrders();
  }
}

const give = (method, path, body, said) => trying(async () => {
  const done = await send(method, own(path), body);
  notice(`${said} (order ${[done].flat().map((one) => one.number).join(", ")})`);
  await showOrders();
});

find("#pause").addEventListener("click", () => give("POST", "/pause", undefined, "Pausing: no request begins from now on."));
find("#resume").addEventListener("click", () => give("POST", "/resume", undefined, "Going on."));
find("#start").addEventListener("click", () => trying(async () => {
  const begun = await send("POST", own("/start"));
  notice(`Started as process ${begun.pid}.`);
}));
find("#stop").addEventListener("click", async () => {
  if (await confirmed("Stop the crawl?", "It ends cleanly and can be started again later, where it was.", "Stop it")) await give("POST", "/stop", undefined, "Stopping.");
});
find("#retry").addEventListener("click", () => give("POST", "/retry", { what: "failed" }, "Failed URLs go back into the queue."));
find("#seed").addEventListener("submit", (event) => {
  event.preventDefault();
  give("POST", "/seeds", { seeds: [event.target.elements.seed.value] }, "The seed was added.").then(() => event.target.reset());
});
find("#limits").addEventListener("submit", async (event) => {
  event.preventDefault();
  const values = {};
  for (const input of event.target.querySelectorAll("input")) {
    if (input.value === "" && input.defaultValue !== "") values[input.name] = null;
    else if (input.value !== input.defaultValue) values[input.name] = Number(input.value);
  }
  if (!Object.keys(values).length) return notice("Nothing was changed.");
  const reached = {
    "limits.pages": [current?.pages, (number) => `has ${count(number)} ${number === 1 ? "page" : "pages"}`],
    "limits.bytes": [current?.bytes, (number) => `has ${size(number)}`],
    "limits.seconds": [current?.seconds, (number) => `has run for ${duration(number)}`],
  };
  const [end] = Object.entries(reached).filter(([key, [now]]) => values[key] && now >= values[key]);
  if (end && !(await confirmed("End the crawl?", `It ${end[1][1](end[1][0])} already, so this limit ends it. Answers under way are kept, and it can be started again with a higher limit.`, "End it"))) return undefined;
  return give("PATCH", "/limits", { values }, "Changed.").then(() => { for (const input of event.target.querySelectorAll("input")) input.defaultValue = input.value; });
});

const told = ({ kind, ...more }) => [kind.replaceAll("-", " "), ...Object.values(more).map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one)))].join(" ");

async function showOrders() {
  const [given, rules] = await Promise.all([get(own("/orders")), get(own("/rules"))]);
  const added = rules.rules.filter((one) => one.number);
  show(find("#orders"),
    given.orders.length ? h("ul", { class: "list" }, given.orders.slice(-8).reverse().map((one) => h("li", {}, h("b", {}, `${one.number} `), h("span", { class: "mono" }, told(one.order)), " ",
      h("span", { class: "why" }, ago(one.moment), current?.is_live && one.number > given.applied ? ", not applied yet" : "")))) : h("p", { class: "help" }, "No order was given yet."),
    added.length ? [h("h3", {}, "Rules that were added"), h("ul", { class: "list" }, added.map((one) => h("li", {}, h("span", { class: "mono" }, JSON.stringify(one.rule)), " ",
      h("button", { class: "small", onclick: () => give("DELETE", `/rules/${one.number}`, undefined, "The rule was removed.") }, "Remove", h("span", { class: "quiet" }, ` rule ${one.number}`)))))] : null,
    h("p", { class: "help" }, "Exclude pages from a page's own view: ", h("a", { href: page("url") }, "URL"), "."));
}

async function showMembers() {
  const found = await get(own("/members"));
  if (!found.is_cluster) return;
  find("#members-card").hidden = false;
  show(find("#members"), table("Members", [
    { title: "Number", right: true, cell: (one) => String(one.number) }, { title: "Machine", cell: (one) => one.machine }, { title: "Standing", cell: (one) => one.standing },
    { title: "Partitions", right: true, cell: (one) => count(one.partitions) }, { title: "Pages", right: true, cell: (one) => count(one.pages) }, { title: "In queue", right: true, cell: (one) => count(one.pending) },
  ], found.members), found.reasons.map((one) => h("p", { class: "help" }, one)));
  setTimeout(showMembers, 5000);
}

trying(showOrders);
showOutcomes();
trying(showMembers);
frames((frame) => { take(frame); }, (why) => notice(`${why}; trying again. Last seen ${current ? moment(current.moment) : "never"}.`, true));
