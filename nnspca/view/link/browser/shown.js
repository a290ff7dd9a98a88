// What is shown at a place of the page: kept while the page is run again, drawn anew where its room or the theme changed.

const places = new WeakMap();

/** Return what is shown at a place, made where there is nothing yet or the place was drawn anew. */
function shownAt(root, make) {
  let shown = places.get(root);
  if (!shown || !root.contains(shown.box)) {
    shown?.detach();
    shown = make();
    places.set(root, shown);
  }
  return shown;
}

function element(kind, { dataset = {}, ...settings } = {}, ...children) {
  const node = Object.assign(document.createElement(kind), settings);
  Object.assign(node.dataset, dataset);
  node.append(...children);
  return node;
}

const button = (settings, ...children) => element("button", { type: "button", ...settings }, ...children);

/** Words as nodes, each piece read by `read`; what stands between ** is bold. */
const bold = (words, read = (piece) => [piece]) => words.split("**").flatMap((piece, at) => (at % 2 ? [element("b", {}, ...read(piece))] : read(piece)));

/** Let the address say `said`, without asking the server; what is empty is left out. Only on the page it was begun on. */
function sayInAddress(home, said) {
  if (location.pathname !== home || !location.protocol.startsWith("http")) return;
  const address = new URL(location.href);
  for (const [key, value] of Object.entries(said)) {
    if (value) address.searchParams.set(key, value);
    else address.searchParams.delete(key);
  }
  try {
    if (address.href !== location.href) history.replaceState(history.state, "", address);
  } catch { /* Safari takes ten a second: a later one says it */ }
}

/** What shows a component by a class of things that are shown. */
const shows = (Kind) => (component) => {
  const { data, parentElement } = component, shown = shownAt(parentElement, () => new Kind(parentElement, data));
  shown.take?.(data);
  return shown.attach(component);
};

/** Has a `box` and the `palette` it was last drawn in; draws itself on `resize()` and in `tick(now)`. */
class Shown {
  constructor(root, box, watched = box) {
    Object.assign(this, { root, home: location.pathname, box: root.querySelector(box), watched: root.querySelector(watched) });
  }

  find(selector) { return this.root.querySelector(selector); }

  /** Keep what `data` is known by; tell whether it is other data than before. */
  renewed({ signature }) {
    const other = signature !== this.signature;
    this.signature = signature;
    return other;
  }

  say(what, words) {
    const place = this.find(`[data-say=${what}]`), text = words.replaceAll(" %", "\u00a0%").replaceAll(" = ", "\u00a0=\u00a0"); // kept on one line
    if (place.textContent !== text) place.textContent = text;
  }

  /** Show words beside a place; none hide the tip. */
  tip(words, x, y, wide, tip = this.find(".tip")) {
    tip.hidden = !words;
    if (!words) return;
    tip.textContent = words;
    tip.style.left = `${Math.max(0, Math.min(x + 12, wide - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(0, y - 34)}px`;
  }

  /** Let the button of Play say whether it plays. */
  sayPlaying(on, words) {
    Object.assign(this.find("[data-do=play]"), { textContent: words, ariaPressed: String(on) });
    this.box.dataset.playing = String(on);
  }

  /** Draw all anew. */
  stir() {
    this.dirty = true;
    this.wake();
  }

  wake() {
    if (this.frame || !this.attached) return;
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      if (!this.attached) return;
      const begun = performance.now(), { frames = 0, slowest = 0 } = this.box.dataset;
      this.tick(now);
      Object.assign(this.box.dataset, { frames: Number(frames) + 1, slowest: Math.max(slowest, performance.now() - begun) });
    });
  }

  /** Let the address say what is shown, soon: it is not changed several times a second. */
  remember() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.write(), 300);
  }

  resize() { this.wake(); }

  /** The place has another size. */
  resized() { if (this.box.clientWidth !== this.width) this.resize(); }

  /** The theme can change without anything else changing: look whether the colours did. */
  look() { if (this.palette && wearing(this.box).paper !== this.palette.paper) this.resize(); }

  /** Begin to follow the page; return the cleanup of this call. */
  attach() {
    const call = (this.calls = (this.calls ?? 0) + 1);
    if (!this.attached) {
      this.attached = true;
      this.observer = new ResizeObserver(() => this.resized());
      this.observer.observe(this.watched);
      this.leaving = new AbortController();
      const { signal } = this.leaving;
      document.addEventListener("keydown", (event) => this.byKey?.(event), { signal });
      addEventListener("resize", () => this.resized(), { signal });
      this.watching = setInterval(() => this.look(), 400);
      this.resize();
    }
    // Streamlit calls it late: after the next call has begun it would stop what is shown
    return () => { if (this.calls === call) this.detach(); };
  }

  detach() {
    this.attached = false;
    this.observer?.disconnect();
    this.leaving?.abort();
    clearInterval(this.watching);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }
}

/** Do what `acts` has for a key, and nothing else. */
function actOnKey(event, acts) {
  if (event.ctrlKey || event.metaKey || event.altKey || !acts[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  acts[event.key]();
}

/** Follow a pointer on a thing: `press` tells by false that no drag begins; `hover` is told nothing where the pointer leaves. */
function followPointer(thing, { press, drag, release = () => {}, hover = () => {} }) {
  let held = false;
  thing.addEventListener("pointerdown", (event) => {
    held = !event.button && press(...placeOf(event, thing), event) !== false;
    if (held) thing.setPointerCapture(event.pointerId);
  });
  thing.addEventListener("pointermove", (event) => (held ? drag : hover)(...placeOf(event, thing), event));
  for (const end of ["pointerup", "pointercancel"]) {
    thing.addEventListener(end, (event) => {
      if (held) release(...placeOf(event, thing), end === "pointerup");
      held = false;
    });
  }
  thing.addEventListener("pointerleave", () => hover());
}

/** Where on a thing an event is, in its own pixels. */
function placeOf(event, element) {
  const box = element.getBoundingClientRect(), scale = larger(element);
  return [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
}

/** The room from the top of a thing to the end of the screen, wherever the page is scrolled to. */
function roomBelow(element) {
  const main = (element.getRootNode().host ?? element).closest("[data-testid=stMain]"), foot = isScene() ? main.getBoundingClientRect().bottom : innerHeight;
  return (foot - element.getBoundingClientRect().top) / larger(element) - (main?.scrollTop ?? scrollY);
}
