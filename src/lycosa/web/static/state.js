// The state of the crawl in the head of every page.

import { get, own } from "./api.js";
import { find } from "./dom.js";

export function showState(state) {
  const pill = find("#state");
  pill.hidden = false;
  pill.className = `pill ${state}`;
  if (pill.textContent !== state) pill.textContent = state;
}

export async function watchState() {
  for (;;) {
    try {
      showState((await get(own(""))).state);
    } catch {
      find("#state").hidden = true;
    }
    await new Promise((resolve) => setTimeout(resolve, 5000));
  }
}
