// Runs in every frame before the page's own scripts. TOKEN names the way to tell of a link.
//
// A navigation is reported and cancelled: the page stays where it is. Forms are never sent. What
// could reach beyond the page (WebRTC, beacons, windows, dialogs) is taken away. Timers run
// ten times as fast, so that what a page shows after seconds is shown at once.
(() => {
  const token = "TOKEN";
  if (window[token + "State"]) return;
  const later = window.setTimeout.bind(window);
  const call = window[token], json = JSON.stringify;
  const say = (...said) => call(json(said));
  const state = { later, say, roots: [], handled: new Map(), told: new Set(), news: 0, timers: new Set() };
  Object.defineProperty(window, token + "State", { value: state });
  const MOST_TOLD = 5000;
  // How many requests the page has made, told when all before this question are answered.
  let waiting = [];
  state.requests = () => new Promise((done) => {
    waiting.push(done);
    later(() => done(-1), 1000);
    say("requests", "", "", "");
  });
  state.heard = (count) => {
    for (const done of waiting) done(count);
    waiting = [];
  };
  const idle = window.requestIdleCallback?.bind(window), frame = window.requestAnimationFrame.bind(window);
  state.idle = () => new Promise((done) => (idle ? idle(done, { timeout: 200 }) : later(done, 20)));
  // Observers of what is in view are called with the frames, which a hidden page has none of.
  state.frames = () => new Promise((done) => {
    later(done, 100);
    frame(() => frame(done));
  });

  const absolute = (url) => {
    try {
      return new URL(String(url), document.baseURI).href;
    } catch {
      return "";
    }
  };
  state.tell = (how, url, text = "", rel = "") => {
    const found = absolute(url);
    if (!/^https?:/.test(found) || state.told.size >= MOST_TOLD) return;
    const name = how + " " + found + " " + rel;
    if (state.told.has(name)) return;
    state.told.add(name);
    // Another place of the page is nothing new; a view of it is.
    if (/#[/!]/.test(found) || found.split("#")[0] !== location.href.split("#")[0]) state.news++;
    try {
      say(how, found, String(text).trim().slice(0, 200), String(rel));
    } catch {}
  };

  // -- navigations ----------------------------------------------------------------------
  const of_form = (form, submitter) => {
    const method = (submitter?.getAttribute("formmethod") || form.method || "get").toLowerCase();
    if (method !== "get") return "";
    const target = new URL(submitter?.getAttribute("formaction") || form.action || "", document.baseURI);
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (typeof value === "string") fields.append(name, value);
    }
    target.search = fields.toString();
    return target.href;
  };
  if (window.navigation) {
    window.navigation.addEventListener("navigate", (event) => {
      if (event.formData) {
        if (event.cancelable) event.preventDefault();
        return;
      }
      const url = event.destination.url;
      if (event.downloadRequest !== null) {
        state.tell("download", url);
        if (event.cancelable) event.preventDefault();
      } else if (event.hashChange) {
        state.tell("hash", url);
      } else if (event.destination.sameDocument) {
        state.tell("state", url);
      } else {
        state.tell("navigation", url);
        if (event.cancelable && location.href !== "about:blank") event.preventDefault();
      }
    });
  }
  for (const name of ["pushState", "replaceState"]) {
    const real = History.prototype[name];
    History.prototype[name] = function (data, title, url) {
      if (url !== undefined && url !== null) state.tell("state", url);
      return real.apply(this, arguments);
    };
  }
  // Back beyond the first view is another document, where nothing is: only views are left.
  // In a tab that is used again an empty document stands before the page's: its history begins here.
  const entries = window.navigation?.entries.bind(window.navigation) ?? (() => []);
  const views = () => entries().filter((one) => one.sameDocument);
  const count = Object.getOwnPropertyDescriptor(History.prototype, "length").get;
  state.entries = () => count.call(history);
  if (window.navigation) {
    window.Navigation.prototype.entries = views;
    Object.defineProperty(History.prototype, "length", { get: () => views().length || 1, configurable: true,
      enumerable: true });
  }
  const back = History.prototype.back, forward = History.prototype.forward;
  const leads_to_view = (step) => {
    return !!entries()[(window.navigation?.currentEntry?.index ?? -1) + step]?.sameDocument;
  };
  History.prototype.back = function () {
    if (leads_to_view(-1)) back.call(this);
  };
  History.prototype.forward = function () {
    if (leads_to_view(1)) forward.call(this);
  };
  const go = History.prototype.go;
  History.prototype.go = function (step) {
    if (step && leads_to_view(Math.trunc(step))) go.call(this, step);
  };
  const elsewhere = (url) => {
    if (url) state.tell("window", url);
    const place = {
      assign: (to) => state.tell("window", to),
      replace: (to) => state.tell("window", to),
      toString: () => "about:blank",
      set href(to) {
        state.tell("window", to);
      },
      get href() {
        return "about:blank";
      },
    };
    const other = {
      closed: false, close() {}, focus() {}, blur() {}, postMessage() {}, opener: null,
      document: { write() {}, writeln() {}, open() {}, close() {} },
    };
    Object.defineProperty(other, "location", { get: () => place, set: (to) => state.tell("window", to) });
    return other;
  };
  window.open = (url) => elsewhere(url);
  HTMLFormElement.prototype.submit = function () {
    const url = of_form(this, null);
    if (url) state.tell("form", url);
  };
  window.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    const url = of_form(event.target, event.submitter);
    if (url) state.tell("form", url);
  });
  window.addEventListener("click", (event) => {
    const link = event.composedPath().find((one) => one.matches?.("a[href], area[href]"));
    if (!link || event.defaultPrevented) return;
    const href = link.getAttribute("href") || "";
    if (href.startsWith("#") || href.startsWith("javascript:")) return;
    event.preventDefault();
    state.tell("click", link.href, link.textContent, link.rel);
  });

  // -- what is listened to ----------------------------------------------------------------
  const OF_USERS = new Set(["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup",
    "touchstart", "touchend", "mouseover", "mouseenter", "pointerenter", "pointerover", "mousemove",
    "contextmenu", "keydown", "keyup", "keypress", "change", "input", "focus", "focusin", "toggle",
    "wheel", "auxclick", "dragstart", "drop", "copy", "select"]);
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, handler, options) {
    if (handler && OF_USERS.has(type)) {
      const target = this ?? window;
      const types = state.handled.get(target) || new Set();
      types.add(type);
      if (state.handled.size < 20000) state.handled.set(target, types);
    }
    return listen.apply(this ?? window, arguments);
  };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, { ...options, mode: "open", serializable: true });
    state.roots.push(root);
    return root;
  };

  // -- frames tell of their links by themselves: not every frame can be asked ------------------
  if (window !== window.top) {
    const collect = () => {
      for (const one of document.querySelectorAll("a[href], area[href]")) {
        state.tell("anchor", one.href?.baseVal ?? one.href, one.textContent, one.getAttribute("rel") || "");
      }
    };
    listen.call(window, "load", collect);
    for (const time of [50, 300, 800, 2000]) later(collect, time);
  }

  // -- the same in every round: what a page asks for must not depend on the moment or on chance --
  const start = performance.now();
  const RealDate = Date;
  const now = () => MOMENT + Math.floor((performance.now() - start) / 1000) * 1000;
  window.Date = new Proxy(RealDate, {
    construct: (kind, given) => (given.length ? new RealDate(...given) : new RealDate(now())),
    apply: () => new RealDate(now()).toString(),
    get: (kind, name) => (name === "now" ? now : Reflect.get(kind, name)),
  });
  let seed = 20251;
  Math.random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };

  // -- time, and what leads out of the page -------------------------------------------------
  const sooner = (delay) => (delay > 20 ? Math.max(20, delay / 10) : delay);
  const timeout = window.setTimeout, interval = window.setInterval;
  const forget = window.clearTimeout;
  window.setTimeout = (handler, delay, ...rest) => {
    if (typeof handler !== "function" || !(delay > 20 && delay <= 20000)) {
      return timeout.call(window, handler, sooner(delay), ...rest);
    }
    const number = timeout.call(window, (...given) => {
      state.timers.delete(number);
      handler(...given);
    }, sooner(delay), ...rest);
    state.timers.add(number);
    return number;
  };
  window.clearTimeout = (number) => {
    state.timers.delete(number);
    forget.call(window, number);
  };
  window.setInterval = (handler, delay, ...rest) =>
    interval.call(window, handler, Math.max(20, sooner(delay)), ...rest);
  window.alert = window.print = window.close = window.stop = () => undefined;
  window.confirm = () => false;
  window.prompt = () => null;
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel",
    "WebTransport", "SharedWorker", "PaymentRequest", "showOpenFilePicker", "showSaveFilePicker"]) {
    try {
      delete window[name];
    } catch {}
  }
  delete Navigator.prototype.serviceWorker;
  // A socket closes as if its server had: the protocol shows no request of it to the crawl.
  window.WebSocket = class WebSocket extends EventTarget {
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSING = 2;
    static CLOSED = 3;
    constructor(url) {
      super();
      Object.assign(this, { url: String(url), readyState: 0, bufferedAmount: 0, protocol: "", extensions: "",
        binaryType: "blob" });
      later(() => {
        this.readyState = 3;
        for (const event of [new Event("error"), new CloseEvent("close", { code: 1006 })]) {
          this["on" + event.type]?.(event);
          this.dispatchEvent(event);
        }
      }, 0);
    }
    send() {
      if (!this.readyState) throw new DOMException("still connecting", "InvalidStateError");
    }
    close() {}
  };
  try {
    Navigator.prototype.sendBeacon = () => true;
  } catch {}
})();
