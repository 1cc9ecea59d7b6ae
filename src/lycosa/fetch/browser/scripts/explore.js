// Looks at a frame as a reader would: waits until it is quiet, scrolls, and tries what can be
// clicked. Gives links to TOKEN as they appear, and the document before the first click: it stands
// whatever follows. With `look` it stops before it clicks: the page is then as a reader sees it first.
// Returns how many elements were clicked, and where those of the page stand that were `tried` and
// those that were `lost`, because a click has taken them away; `skip` are those tried before.
async ({ token, clicks, scrolls, milliseconds, serialise, look, skip = [] }) => {
  const state = window[token + "State"];
  if (!state) return { clicked: 0, tried: [], lost: [] };
  const began = performance.now();
  const isLate = () => performance.now() - began > milliseconds;
  const pause = (time) => new Promise((done) => state.later(done, time));

  const roots = () => [document, ...state.roots.filter((root) => root.isConnected !== false)];
  const all = (selector) => roots().flatMap((root) => [...root.querySelectorAll(selector)]);
  const collect = () => {
    const templates = all("template").map((one) => one.content);
    for (const root of [...roots(), ...templates]) {
      for (const one of root.querySelectorAll("a[href], area[href]")) {
        const href = one.href?.baseVal ?? one.href;
        if (href) state.tell("anchor", href, one.textContent || one.title || "", one.getAttribute("rel") || "");
      }
      for (const one of root.querySelectorAll("a")) {
        const href = one.getAttributeNS("http://www.w3.org/1999/xlink", "href");
        if (href) state.tell("anchor", href, one.textContent);
      }
    }
  };
  let changes = 0;
  let added = []; // elements that came into the page since this was emptied
  const watcher = new MutationObserver((found) => {
    changes += found.length;
    for (const { addedNodes } of found) {
      for (const one of addedNodes) if (one instanceof Element && added.length < 2000) added.push(one);
    }
  });
  const watch = (root) => {
    try {
      watcher.observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ["href"] });
    } catch {}
  };
  roots().forEach(watch);
  // Quiet is a page that between two looks has changed nothing, and asked for nothing.
  const settle = async (quiet, most, withTimers = false) => {
    const start = performance.now();
    let seen = "";
    while (performance.now() - start < most && !isLate()) {
      const now = changes + " " + (await state.requests());
      if (now === seen && !(withTimers && state.timers.size)) break;
      seen = now;
      await pause(quiet);
      await state.idle();
    }
  };
  const scroll = async () => {
    let height = 0;
    for (let step = 0; step < scrolls && !isLate(); step++) {
      const root = document.scrollingElement || document.documentElement;
      const sum = () => root.scrollHeight + inner.reduce((total, one) => total + one.scrollHeight, 0);
      const inner = all("*").slice(0, 5000).filter((one) => one.scrollHeight > one.clientHeight + 40
        && one.clientHeight > 40 && /auto|scroll/.test(getComputedStyle(one).overflowY));
      const before = changes;
      if (!step) height = sum();
      for (const one of [root, ...inner]) one.scrollTop = one.scrollHeight;
      window.dispatchEvent(new Event("scroll"));
      document.dispatchEvent(new Event("scroll", { bubbles: true }));
      window.dispatchEvent(new Event("wheel"));
      await state.frames();
      await settle(20, 500);
      collect();
      if (sum() === height && changes === before) break;
      height = sum();
    }
    window.scrollTo(0, 0);
  };

  await settle(100, 2500, true);
  collect();
  await scroll();
  collect();
  if (look) {
    for (const one of document.getAnimations()) {
      try {
        one.finish();
      } catch {
        one.cancel(); // an endless one has no end to show
      }
    }
    watcher.disconnect();
    return null;
  }
  if (serialise) {
    const html = document.documentElement.getHTML ? outer() : document.documentElement.outerHTML;
    state.say("document", document.baseURI, html, "");
  }

  function outer() {
    const root = document.documentElement;
    const open = root.cloneNode(false).outerHTML.replace(/<\/html>$/i, "");
    const kind = document.doctype ? "<!DOCTYPE html>" : "";
    return kind + open + root.getHTML({ serializableShadowRoots: true, shadowRoots: state.roots }) + "</html>";
  }

  // -- trying what can be clicked -----------------------------------------------------------
  const ON = "[onclick], [onmousedown], [onmouseup], [onmouseover], [onchange],"
    + " [ondblclick], [onfocus], [onkeydown], [onpointerdown], [ontouchstart], [onmouseenter], [oncontextmenu],"
    + " [oninput]";
  const PLAIN = ON + ", button, summary, [role=button], [role=link],"
    + " [role=tab], [role=menuitem], [role=option], [role=treeitem], a:not([href]), a[href^='#'],"
    + " a[href^='javascript:' i], input[type=button], input[type=submit], input[type=image],"
    + " input[type=checkbox], input[type=radio], select, label, [tabindex]:not([tabindex^='-'], pre), [data-href], [data-url],"
    + " [data-link], [data-target], [data-to], [aria-expanded], [aria-haspopup], option, area:not([href])";
  const HANDLERS = ["onclick", "oninput", "onchange", "onkeydown", "onkeyup", "onmouseover", "onmouseenter",
    "onmousedown", "onmouseup", "onpointerdown", "ondblclick", "onfocus", "ontouchstart", "oncontextmenu"];
  const tried = new Map();
  const MOST_TRIES = 3;
  // An element that has changed since its click may do something else now.
  const look_of = (one) => [...one.attributes].map((two) => two.name + two.value).join("\n").slice(0, 2000)
    + one.textContent.slice(0, 500);
  const isTried = (one) => {
    const looks = tried.get(one);
    return !!looks && (looks.size >= MOST_TRIES || looks.has(look_of(one)));
  };
  // Of elements that look alike to the letter, some without any effect stand for the rest.
  const idle_tries = new Map();
  const MOST_IDLE = 3;
  const likeness_of = (one, look) =>
    one.matches("a[href^='#']:not([href='#'])") && !/^#[/!]/.test(one.getAttribute("href"))
      ? "place\n" + one.className : one.localName + "\n" + look;
  // Where an element stands, so that it is found when a page has made its view again.
  const place_of = (one) => {
    const steps = [];
    for (let at = one; at !== document.documentElement; at = at.parentElement) {
      if (!at?.parentElement || steps.length >= 60) return "";
      steps.push(at.localName + ":" + [...at.parentElement.children].indexOf(at));
    }
    return steps.reverse().join(" ");
  };
  const at_place = (place) => {
    let at = document.documentElement;
    for (const step of place.split(" ")) {
      const [name, number] = step.split(":");
      at = at.children[number];
      if (at?.localName !== name) return null;
    }
    return at;
  };
  const hasProps = (one) => {
    for (const name of Object.keys(one)) {
      if (name.startsWith("__reactProps$")) {
        const props = one[name];
        return !!(props && (props.onClick || props.onMouseDown || props.onPointerDown || props.onMouseEnter));
      }
      if (name === "_vei" || name === "__vnode") return true;
    }
    return Object.getOwnPropertySymbols(one).some((symbol) => String(symbol) === "Symbol(_vei)")
      || HANDLERS.some((name) => typeof one[name] === "function");
  };
  // What a control does, its parts do as well, unless they listen themselves.
  const CONTROLS = "button, summary, [role=button], [role=tab], [role=menuitem], a[href]";
  const isPart = (one) => !!one.parentElement?.closest(CONTROLS);
  // Vue marks every element of a component with an attribute of this form.
  const hasData = (one) => [...one.attributes].some(({ name }) => /^data-(?!v-[0-9a-f]{8}$)/.test(name));
  const listens = (one) => state.handled.has(one) || hasProps(one);
  // A link to a place of the page alone leads nowhere else.
  const leadsToPlace = (one) => {
    const href = one.getAttribute("href") || "";
    if (!one.matches("a[href^='#']") || /^#[\/!]/.test(href)) return false;
    let name = href.slice(1);
    try {
      name = decodeURIComponent(name);
    } catch {}
    return !!name && !!document.getElementById(name);
  };
  // Without `fresh` in the whole page; otherwise among these elements and what is in them.
  const candidates = (fresh = null) => {
    const inside = fresh && new Set(fresh.filter((one) => one.isConnected)
      .flatMap((one) => [one, ...one.querySelectorAll("*")]));
    const found = new Set(inside ? [...inside].filter((one) => one.matches(PLAIN)) : all(PLAIN));
    for (const one of found) if (leadsToPlace(one) && !listens(one) && !one.matches(ON)) found.delete(one);
    let isDelegated = false;
    for (const [one] of state.handled) {
      if (one instanceof Element && one.isConnected && (!inside || inside.has(one))) {
        const isRoot = one === document.body || one === document.documentElement;
        if (!isRoot) found.add(one);
        if (isRoot || one.childElementCount) isDelegated = true;
        if (isRoot || one.matches(CONTROLS)) continue;
        for (const child of [...one.children].slice(0, 200)) if (!child.matches("a[href], form")) found.add(child);
      } else if (one === document || one === window || one instanceof Node && one.childElementCount) isDelegated = true;
    }
    for (const one of (inside ? [...inside] : all("body *")).slice(0, 3000)) {
      if (found.has(one)) continue;
      if (hasProps(one)) found.add(one);
      else if (isDelegated && !isPart(one) && !one.matches("a[href]")
        && (hasData(one) || getComputedStyle(one).cursor === "pointer")) found.add(one);
    }
    return [...found].filter((one) => {
      if (isTried(one) || !one.isConnected) return false;
      if (one.matches("script, style, link, meta, html, head, body, template")) return false;
      if (one.matches("a[href]") && !/^(#|javascript:)/i.test(one.getAttribute("href"))) return false;
      const form = one.form || one.closest?.("form");
      const sends = one.matches("button:not([type=button]):not([type=reset]), input[type=submit], input[type=image]");
      return !(form && sends && (form.method || "get").toLowerCase() !== "get");
    });
  };
  const fire = (one, Kind, name, more = {}) =>
    one.dispatchEvent(new Kind(name, { bubbles: !/enter$|leave$|^focus$|^toggle$/.test(name), cancelable: true, composed: true, view: window, ...more }));
  const attempt = (one) => {
    const box = one.getBoundingClientRect?.() || { left: 0, top: 0, width: 0, height: 0 };
    const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, button: 0 };
    for (const name of ["pointerover", "pointerenter"]) fire(one, PointerEvent, name, at);
    for (const name of ["mouseover", "mouseenter", "mousemove"]) fire(one, MouseEvent, name, at);
    fire(one, PointerEvent, "pointerdown", at);
    fire(one, MouseEvent, "mousedown", at);
    if (window.TouchEvent) {
      fire(one, TouchEvent, "touchstart");
      fire(one, TouchEvent, "touchend");
    }
    if (one.matches("input, select, textarea, button, [tabindex], a")) {
      fire(one, FocusEvent, "focus");
      fire(one, FocusEvent, "focusin");
    }
    fire(one, PointerEvent, "pointerup", at);
    fire(one, MouseEvent, "mouseup", at);
    if (typeof one.click === "function") one.click();
    else fire(one, MouseEvent, "click", at);
    const types = state.handled.get(one) || new Set();
    if (types.has("dblclick") || one.ondblclick) fire(one, MouseEvent, "dblclick", at);
    if (types.has("contextmenu") || one.oncontextmenu) fire(one, MouseEvent, "contextmenu", at);
    if (types.has("keydown") || one.onkeydown || one.matches("[tabindex], input, [role]")) {
      for (const name of ["keydown", "keypress", "keyup"]) fire(one, KeyboardEvent, name, { key: "Enter", code: "Enter", keyCode: 13 });
    }
    if (types.has("wheel")) fire(one, WheelEvent, "wheel");
    if (types.has("dragstart") && window.DragEvent) fire(one, DragEvent, "dragstart");
    if (one.matches("input, textarea") && !one.matches("[type=checkbox], [type=radio], [type=submit], [type=button], [type=file], [type=password], [type=hidden]")
      && (types.size || one.oninput || one.onchange)) {
      if (!one.value && one.matches("textarea, input:not([type]), [type=text], [type=search]")) one.value = "a";
      fire(one, Event, "input");
      fire(one, Event, "change");
    }
  };
  const choose = async (one) => {
    for (let place = 0; place < Math.min(one.options.length, 20); place++) {
      one.selectedIndex = place;
      fire(one, Event, "input");
      fire(one, Event, "change");
      await pause(5);
    }
  };
  let clicked = 0;
  for (const name of skip.length ? [] : ["resize", "orientationchange", "focus", "pageshow", "popstate", "online", "storage",
    "visibilitychange", "beforeprint", "afterprint", "mousemove", "mouseout", "mouseleave"]) {
    const target = name.startsWith("visib") || name.startsWith("mouse") ? document : window;
    target.dispatchEvent(new Event(name, { bubbles: true }));
  }
  for (const [one, types] of [...state.handled]) {
    if (one !== document && one !== window && one !== document.body) continue;
    const target = one === window ? window : one;
    if (types.has("keydown") || types.has("keyup")) {
      for (const key of ["Enter", "ArrowRight", "ArrowDown", "n", "j", " "]) {
        target.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true }));
        target.dispatchEvent(new KeyboardEvent("keyup", { key, code: key, bubbles: true, cancelable: true }));
      }
    }
    for (const name of ["click", "mousemove", "wheel", "touchstart"]) {
      if (types.has(name)) target.dispatchEvent(new Event(name, { bubbles: true, cancelable: true }));
    }
  }
  const home = location.href, entry = window.navigation?.currentEntry?.key;
  // What leads to another view of the page is left again: that view has a URL of its own.
  const go_home = async () => {
    for (let step = 0; step < 3 && location.href !== home && !isLate(); step++) {
      // By its key, since two steps back at once would be one too many.
      const way = window.navigation?.traverseTo(entry);
      way?.committed.catch(() => undefined);
      await Promise.race([way?.finished.catch(() => undefined), pause(300)]);
      await settle(20, 500);
    }
  };
  const places = new Map();
  const skipped = new Set(skip);
  const first = candidates().filter((one) => {
    const place = place_of(one);
    if (place) places.set(one, place);
    return !skipped.has(place);
  });
  const queue = [...first];
  const done = [], lost = [];
  const known = new Set(queue);
  for (let lists = 0; clicked < clicks && !isLate(); ) {
    if (!queue.length) {
      if (++lists > 4) break;
      queue.push(...candidates().filter((one) => !(skipped.has(place_of(one)) && !known.has(one))));
      queue.forEach((one) => known.add(one));
      if (!queue.length) break;
    }
    let one = queue.shift();
    const place = places.get(one);
    if (!one.isConnected) {
      one = place && at_place(place);
      if (!one) {
        if (place) lost.push(place);
        continue;
      }
      if (isTried(one)) continue;
    }
    if (place) done.push(place);
    const look = look_of(one);
    const alike = likeness_of(one, look);
    if ((idle_tries.get(alike) || 0) >= MOST_IDLE && !one.matches("option, input")) continue;
    tried.set(one, (tried.get(one) || new Set()).add(look));
    known.add(one);
    clicked++;
    const news = state.news;
    const shadows = state.roots.length;
    added = [];
    const before = changes;
    try {
      if (one.matches("select")) await choose(one);
      else attempt(one);
    } catch {}
    await pause(4);
    if (changes !== before || location.href !== home) {
      await settle(10, 300);
      collect();
      if (state.news === news) idle_tries.set(alike, (idle_tries.get(alike) || 0) + 1);
      if (location.href !== home) {
        await go_home();
        state.roots.forEach(watch);
        continue;
      }
      state.roots.forEach(watch);
      // What the click has just made goes before the rest: the next click may take it away.
      const made = candidates(state.roots.length === shadows ? added : null).filter((two) => !known.has(two) && !tried.has(two));
      made.forEach((two) => known.add(two));
      queue.unshift(...made);
    }
    else if (state.news === news) idle_tries.set(alike, (idle_tries.get(alike) || 0) + 1);
    if (!queue.length) {
      await settle(30, 600);
      collect();
    }
  }
  for (const one of queue) if (places.has(one)) lost.push(places.get(one));
  await settle(clicked ? 50 : 10, 1500, true);
  collect();
  watcher.disconnect();
  return { clicked, tried: done, lost };
};
