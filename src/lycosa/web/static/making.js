// A button that has something made from the crawl, in the background, and tells how far that is.

import { get, own, send, trying } from "./api.js";
import { find } from "./dom.js";
import { ago } from "./format.js";

export async function makingButton(kind, selector, titles, isMade = () => {}) {
  const button = find(selector), place = find(`${selector}-progress`);
  let before = "";
  async function look(found) {
    button.disabled = found.state === "making";
    button.textContent = found.made ? titles.again : titles.first;
    const told = { none: "", making: `Under way: ${found.progress}`, failed: found.problem, ready: `Made ${ago(found.made ?? 0)}.` };
    place.textContent = told[found.state];
    place.classList.toggle("bad", found.state === "failed");
    if (before === "making" && found.state === "ready") isMade();
    before = found.state;
    if (found.state === "making") setTimeout(() => trying(async () => look(await get(own(`/${kind}`)))), 1000);
  }
  button.addEventListener("click", () => trying(async () => look(await send("POST", own(`/${kind}`)))));
  await trying(async () => look(await get(own(`/${kind}`))));
}
