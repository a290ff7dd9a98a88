// The presenter: the figures of a page as slides, found by what they are; keys move among them and their steps.

/** Whether a thing takes the arrow keys itself. */
const typed = (element) => element?.closest?.("input, textarea, select, [contenteditable=true], [role=slider], [role=spinbutton], "
  + "[role=combobox], [role=radiogroup], [role=tablist], [role=application]");

/** Everything in a slide, what shadow roots hold included. */
function* within(root) {
  for (const element of root.querySelectorAll("*")) {
    yield element;
    if (element.shadowRoot) yield* within(element.shadowRoot);
  }
}

const large = (element) => element.offsetWidth >= FIGURE && element.offsetHeight >= FIGURE;

/** Whether one place is another drawn anew: a page gives each of its figures a key. */
const same = (one, other) => {
  const [key, of] = [one, other].map((place) => [...place?.classList ?? []].find((name) => name.startsWith("st-key-")));
  return Boolean(key) && key === of;
};

class Presenter {
  constructor(tell) {
    this.tell = tell;
    this.on = false;
    this.wanted = 0;
    this.many = 0; // as many as the foot says
    this.asked = 0; // when a key asked for a slide that was being drawn anew
    this.foot = element("div", { id: "nnspca-foot", role: "status" });
    this.sheet = element("style", { id: "nnspca-presenting", textContent: SHEET });
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    document.addEventListener("keydown", (event) => this.page(event), { signal, capture: true });
    addEventListener("resize", () => this.on && this.fit(), { signal });
    const said = new URLSearchParams(location.search);
    if (said.get("present") === "true") this.enter(Math.max(Number.parseInt(said.get("slide"), 10) || 1, 1) - 1, false);
  }

  /** The figures of the page, in the order of the page: charts, images, and whatever a component draws. */
  slides() {
    const main = document.querySelector("[data-testid=stMain]"), found = [];
    for (const place of main?.querySelectorAll("[data-testid=stElementContainer]") ?? []) {
      if (!place.checkVisibility() || place.querySelector("[data-testid=stElementContainer]")) continue;
      const host = [...place.querySelectorAll("*")].find((e) => e.shadowRoot);
      const figure = host ? [...within(host.shadowRoot)].some((e) => e.tagName === "CANVAS" && large(e))
        : [...place.querySelectorAll(".js-plotly-plot, [data-testid=stImage]")].some(large);
      if (figure || (place === this.here && place.isConnected)) found.push(place);
    }
    const drawn = found.filter((place) => place.dataset.stale !== "true"); // the rest is on its way out
    const fresh = found.filter((place) => drawn.includes(place) || (place === this.here && !drawn.some((other) => same(other, place))));
    return fresh.length ? fresh : found.length ? found : [main?.querySelector("[data-testid=stMainBlockContainer]")].filter(Boolean);
  }

  /** Which of the slides is shown, or was before it was drawn anew; −1: none. */
  placeIn(all) {
    const at = all.indexOf(this.here);
    return at < 0 ? all.findIndex((place) => same(place, this.here)) : at;
  }

  enter(at = 0, byHand = true) {
    if (this.on) return;
    this.on = true;
    this.wanted = at;
    document.documentElement.dataset.presenting = "true";
    document.head.append(this.sheet);
    document.body.append(this.foot);
    document.activeElement?.blur();
    this.watching = setInterval(() => this.look(), 300);
    // a page that is drawn anew replaces the slide: its successor is shown in the same frame
    this.changes = new MutationObserver(() => { if (this.here && !this.here.isConnected) this.look(); });
    this.changes.observe(document.body, { childList: true, subtree: true });
    this.look();
    if (byHand) {
      this.write();
      this.tell("on", true);
    }
  }

  leave() {
    this.clear();
    this.write();
    this.tell("on", false);
    dispatchEvent(new Event("resize")); // figures have the page's width again
  }

  /** Look no longer, and let nothing of the slides be on the page. */
  clear() {
    this.on = false;
    clearInterval(this.watching);
    this.changes?.disconnect();
    this.show(null);
    delete document.documentElement.dataset.presenting;
    for (const part of [this.sheet, this.foot, this.code]) part?.remove();
  }

  /** Keep to the slide that is shown while the page around it grows; take the wanted one once it is there. */
  look() {
    const worn = getComputedStyle(document.querySelector("[data-testid=stApp]"));
    document.documentElement.style.setProperty("--slide-ink", worn.color);
    document.documentElement.style.setProperty("--slide-paper", worn.backgroundColor);
    const all = this.slides(), kept = this.pending ? -1 : this.placeIn(all);
    if (this.pending && this.here?.isConnected && all.length < this.many && performance.now() - this.asked < PATIENCE) return;
    const at = kept >= 0 ? kept : Math.min(this.wanted, all.length - 1);
    this.pending = at < this.wanted && kept < 0; // a link's slide may still be on its way
    if (all[at] !== this.here) this.show(all[at]);
    else this.fit();
    // said when it holds for two looks at a page at rest: one that is being drawn anew has fewer
    const drawing = document.querySelector("[data-testid=stApp]").dataset.testScriptState !== "notRunning";
    const rests = all.length === this.counted && !drawing;
    if (rests || !this.foot.dataset.said) this.count(at, all.length);
    if (rests && !this.pending) this.wanted = at; // others may have come before it
    this.counted = drawing ? undefined : all.length;
    if (!new URLSearchParams(location.search).has("present")) this.write(); // the page wrote the address anew
  }

  show(slide) {
    for (const marked of this.marked ?? []) marked.removeAttribute("data-slide");
    this.here = slide;
    this.marked = slide ? [slide, ...[...within(slide)].filter((e) => e.shadowRoot)] : [];
    for (const marked of this.marked) marked.dataset.slide = "here";
    if (!slide) return;
    this.fit(true);
    setTimeout(() => dispatchEvent(new Event("resize")), 50); // charts take the room they have now
  }

  /** Enlarge the slide as far as its figure allows, and never so little that type is small. */
  fit(anew = false) {
    const slide = this.here;
    if (!slide) return;
    for (const host of within(slide)) if (host.shadowRoot && !host.dataset.slide) { host.dataset.slide = "here"; this.marked.push(host); }
    // a chart is drawn with larger type as it is, and so it has the pixels of the screen; all else is enlarged, on a screen
    // smaller than SCREEN by less, as its type is read from the same distance
    const chart = slide.querySelector(".js-plotly-plot"), most = READABLE / SMALLEST + 1e-4;
    const zoom = chart ? 1 : Math.max(1, most * Math.min(1, innerWidth / SCREEN[0], innerHeight / SCREEN[1]));
    slide.style.setProperty("--slide-tall", chart ? `${Math.min(chart.layout?.meta?.tall ?? Infinity, innerHeight - FOOT - 2 * AIR)}px` : "auto");
    const key = `${zoom} ${innerWidth} ${innerHeight}`;
    if (anew || key !== this.fitted) {
      this.fitted = key;
      this.wide = 1;
      slide.style.removeProperty("--slide-wide");
      document.documentElement.style.setProperty("--slide-zoom", String(zoom));
    } else if (!chart && slide.scrollHeight > slide.clientHeight + 1 && this.wide > LEAST_WIDE) {
      this.wide -= 0.05; // what is drawn as wide as it may be is too tall: narrower, it fits
      slide.style.setProperty("--slide-wide", `${100 * this.wide}%`);
    }
  }

  count(at, all) {
    const title = document.title.split(" · ")[0], where = `${title} · ${at + 1} of ${all}`;
    this.many = all;
    if (this.foot.dataset.said === where) return;
    this.foot.dataset.said = where;
    this.foot.dataset.at = String(at + 1);
    const hint = "Page Up, Page Down, or ← → outside a figure: slide · Q: QR code for a phone · Esc: leave";
    this.foot.replaceChildren(element("b", { textContent: where }), element("span", { className: "hint", textContent: hint }));
  }

  /** On or back: first within the slide, then among slides. */
  turn(by) {
    if (this.code?.isConnected) { this.hideCode(); return; }
    const within = new CustomEvent("nnspca-step", { detail: by, cancelable: true });
    if (!document.dispatchEvent(within)) return;
    const all = this.slides(), many = Math.max(all.length, this.many);
    const from = Math.min(this.wanted, many - 1), there = from + by; // a link may want one that the page does not have
    if (there < 0 || there >= many) return;
    // a page that is drawn anew lacks some for a moment: what is wanted is shown once all are back
    const whole = all.length === many && (!this.pending || from < this.wanted) && this.placeIn(all) === from;
    this.wanted = there;
    this.pending = !whole;
    this.asked = performance.now();
    if (whole) {
      this.show(all[there]);
      this.count(there, all.length);
    }
    this.write();
  }

  write() {
    sayInAddress(location.pathname, { present: this.on, slide: this.on && this.wanted && this.wanted + 1 });
  }

  key(event) {
    const target = event.composedPath()[0];
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.on) {
      if (event.key.toLowerCase() === "p" && !event.shiftKey && !typed(target)) {
        event.preventDefault();
        this.enter();
      }
      return;
    }
    const acts = { ArrowRight: () => this.turn(1), ArrowLeft: () => this.turn(-1), q: () => this.toggleCode(), Q: () => this.toggleCode() };
    if (event.key === "Escape") {
      if (this.code?.isConnected) this.hideCode();
      else this.leave();
    } else if (acts[event.key] && !typed(target)) acts[event.key]();
    else return;
    event.preventDefault();
  }

  /** What a clicker sends is the presenter's, whatever is focused. */
  page(event) {
    const by = { PageDown: 1, PageUp: -1 }[event.key];
    if (!this.on || !by) return;
    event.preventDefault();
    event.stopPropagation();
    this.turn(by);
  }

  /** The address of this view, without the slides: a phone shows the page. */
  get address() {
    const address = new URL(location.href);
    for (const key of ["present", "slide"]) address.searchParams.delete(key);
    return address.href;
  }

  toggleCode() {
    if (this.code?.isConnected) { this.hideCode(); return; }
    this.code = element("div", { id: "nnspca-code", role: "dialog", ariaLabel: "A code that opens this view on a phone" });
    document.body.append(this.code);
    this.draw();
    if (this.data?.code?.address !== this.address) this.tell("address", this.address);
  }

  hideCode() { this.code?.remove(); }

  /** What the page sent: the code of an address, and whether data of the person's own are shown. */
  take(data) {
    this.data = data;
    if (this.code?.isConnected) this.draw();
  }

  draw() {
    const { code, own } = this.data ?? {}, known = code?.address === this.address;
    const line = (words, shown = true) => element("p", { textContent: words, hidden: !shown });
    const picture = element("div", { role: "img", ariaLabel: `Code of ${this.address}`, innerHTML: known ? code.svg : "" });
    this.code.dataset.address = known ? code.address : "";
    this.code.replaceChildren(picture,
      line(known && !code.svg ? "The address is too long for a code: copy it instead." : "Point a phone's camera here: it opens this view."),
      line(this.address),
      line("Only this computer can open this address. Start the app with --server.address 0.0.0.0 and open it by this computer's name or number.", known && code.near),
      line("The link never contains uploaded data: other devices open this view with other data.", Boolean(own)));
  }

  end() {
    this.clear();
    this.leaving.abort();
  }
}
