// The player: k runs along the path, and all that names k on the page follows; the server is told of k when it comes to rest.

const WHOLE = 9000; // milliseconds from the first k to the last
const STEP = 50; // milliseconds a k stands at least: browsers take some 20 addresses a second
const GLOW = 420; // milliseconds a feature stays bright after it came in

class Player extends Shown {
  constructor(root, data) {
    super(root, ".play");
    this.picture = this.find(".picture");
    this.graph = this.find(".curve");
    this.samples = this.find(".strips");
    this.card = this.find(".why");
    this.curve = new Curve();
    this.fresh = new Set();
    this.sent = []; // each k the page was told, or will be by a box, and has not answered
    this.listen();
    this.take(data);
  }

  /** Take a path, or the same one grown; k stays where the person has it unless the page asks for another. */
  take(data) {
    this.live(data.live);
    if (!data.curve || !this.renewed(data)) return; // news of the live run alone
    data = { ...data, ...data.curve };
    const other = data.about !== this.about;
    this.about = data.about;
    this.say("note", data.note);
    this.growing = Boolean(data.note);
    if (!data.ks.length) return;
    this.path = new Path(data);
    this.point(data);
    if (other || !this.components) this.components = new Components(() => this.redraw());
    this.components.take(data.here);
    this.complete();
    this.path.scene.names &&= this.components.names;
    if (data.ks.length < 2) this.graph.ariaDisabled = "true"; // there is nowhere to go yet
    else this.graph.removeAttribute("aria-disabled");
    const told = this.sent.lastIndexOf(data.k) + 1; // the page answers, while the person may have gone on
    this.sent.splice(0, other ? this.sent.length : told);
    if (other || (data.k !== this.asked && !this.playing && !this.dragging)) this.touched = !other && told > 0 && this.k !== data.k;
    if (other || data.k === this.typed) this.typed = undefined;
    this.asked = data.k;
    this.waits = data.waits;
    Object.assign(this.box.dataset, { steps: data.ks.length - 1, bounds: data.band.ks.length, proven: data.band.proven.filter(Boolean).length });
    if (!this.touched && !this.typed) this.k = this.path.ks[this.path.nearestStop(data.k)];
    if (other) this.play(false);
    Object.assign(this.graph, { ariaValueMin: String(data.ks[0]), ariaValueMax: String(data.ks.at(-1)) });
    this.shown = undefined;
    this.resize();
  }

  /** Take what was pressed: the strips of the samples, the one drawn over the component, why a feature is used. */
  point({ strips, sample, why, apart, k }) {
    this.strips = strips && new Strips(strips);
    this.samples.hidden = !strips;
    if (strips) this.samples.style.height = `${this.strips.tall}px`;
    Object.assign(this.path, { sample, why, apart, pointedAt: k });
    const { image, axis } = this.path.scene;
    if (sample?.image && image) this.overlaid = { ...this.path.scene, image: { ...image, mean: unpack(sample.image) } };
    else if (sample?.axis && axis) this.overlaid = { ...this.path.scene, axis: { ...axis, sample: unpack(sample.axis) } };
    else this.overlaid = null;
    if (!why) return;
    for (const place of ["asks", "note", "code"]) this.say(`why-${place}`, why[place]);
    this.card.querySelector("ul").replaceChildren(...why.says.map((textContent) => element("li", { textContent })));
    this.covariances = why.support && { support: unpack(why.support), weights: unpack(why.weights) };
  }

  /** What the picture is drawn over: the mean, or the sample that was pressed; beside names, how far it is from the mean. */
  scene() {
    const { scene, sample } = this.path;
    if (!sample?.away || !scene.names) return this.overlaid ?? scene;
    const said = (i) => (sample.away[i] === undefined ? "" : `, ${sample.away[i] > 0 ? "+" : ""}${decimals(sample.away[i], 1)} sd`);
    return { ...scene, beside: 104, say: (weight, i) => decimals(weight, 3) + said(i) };
  }

  /** Open the answer to why beside the feature that was pressed, while its k is shown. */
  openCard() {
    const { why } = this.path, place = why && this.drawn.frame(why.feature), { card, picture } = this;
    card.hidden = !why;
    if (!why) return;
    const [x, y, wide, tall] = place ?? [0, 0, picture.clientWidth, 0], sight = picture.parentElement;
    const right = sight.offsetLeft + x + wide + 10, room = this.box.clientWidth - card.offsetWidth - 4, below = right > room;
    const top = below && room < 200 ? sight.offsetTop + y + tall + 8 : Math.max(sight.offsetTop, sight.offsetTop + y - 30);
    Object.assign(card.style, { left: `${clamp(right, 4, Math.max(room, 4))}px`, top: `${Math.min(top, sight.offsetTop + 120)}px` });
  }

  /** Close the answer to why. */
  close() {
    if (this.path?.why) this.tell?.("why", { at: -1 });
    this.card.hidden = true;
    this.picture.focus?.();
  }

  /** Fetch the components of the path once a person comes near what moves k; while it grows, later ones once needed. */
  complete(event) {
    this.near ||= event?.target.closest?.(".st-key-k, .st-key-narrow, .st-key-stage");
    if (this.near && this.path && (!this.path.going || !this.components.address)) this.components.fetch(this.path.path);
  }

  /** Draw what has come. */
  redraw() {
    this.complete();
    this.shown = undefined;
    this.resize();
  }

  /** The component of a stop; where it is not here it is fetched, and asked for again. */
  part(s) {
    const found = this.components.at.get(this.path.ks[s]);
    if (!found) {
      this.components.fetch(this.path.path);
      clearTimeout(this.asking);
      this.asking = setTimeout(() => this.redraw(), AGAIN_AFTER);
    }
    return found;
  }

  /** Say how the live run goes; while it does, its component and bound stand in the chart. */
  live(point) {
    this.say("live", point.says);
    this.curve.live = point.share === undefined ? null : point;
    this.stir();
  }

  listen() {
    this.find("[data-do=play]").addEventListener("click", () => this.play(!this.playing));
    this.find("[data-do=close]").addEventListener("click", () => this.close());
    this.graph.addEventListener("keydown", (event) => {
      const step = (by) => () => this.step(by), far = Infinity;
      actOnKey(event, { ArrowRight: step(1), ArrowUp: step(1), ArrowLeft: step(-1), ArrowDown: step(-1), PageUp: step(10), PageDown: step(-10), Home: step(-far), End: step(far) });
    });
    this.box.addEventListener("keydown", (event) => {
      const play = ["BUTTON", "SUMMARY", "PRE"].includes(event.target.tagName) ? {} : { " ": () => this.play(!this.playing) };
      actOnKey(event, this.card.hidden ? play : { ...play, Escape: () => this.close() });
    });
    followPointer(this.graph, {
      press: (x, y) => this.press(x, y),
      drag: (x) => this.follow(x),
      release: (x, y, done) => { this.dragging = false; if (done) this.rest(); },
      hover: (x, y) => this.hover(x, y),
    });
    this.picture.addEventListener("pointermove", (event) => this.hint(event));
    this.picture.addEventListener("pointerleave", () => { this.find(".tip").hidden = true; });
    this.picture.addEventListener("click", (event) => {
      const feature = this.drawn?.at(...placeOf(event, this.picture));
      if (feature !== undefined && !this.playing) this.tell?.("why", { at: feature === this.path.why?.feature ? -1 : feature });
    });
    this.samples.addEventListener("pointermove", (event) => {
      const sample = this.strips?.at(...placeOf(event, this.samples)), [x, y] = placeOf(event, this.picture);
      const words = sample === undefined ? "" : `${this.strips.words(sample, this.part(this.shown).scores)}. Click to see it.`;
      this.tip(words, x, y, this.picture.offsetWidth);
    });
    this.samples.addEventListener("pointerleave", () => this.tip(""));
    this.samples.addEventListener("click", (event) => {
      const sample = this.strips?.at(...placeOf(event, this.samples));
      if (sample !== undefined && !this.playing) this.tell?.("over", { at: sample === this.path.sample?.at ? -1 : sample });
    });
  }

  /** Take a point of another solver's curve, or begin to drag k. */
  press(x, y) {
    if (!this.path) return false;
    const point = this.curve.pointAt(x, y);
    this.play(false);
    if (point) {
      this.touched = false;
      this.tell?.("point", { k: point.k, method: point.method });
      return false;
    }
    this.dragging = true;
    this.follow(x);
  }

  /** Say what lies below a pointer that hovers over the chart. */
  hover(x, y) {
    const words = x !== undefined && this.path && !this.playing ? this.curve.hint(x, y) : "";
    this.tip(words, x, y, this.graph.offsetWidth, this.find(".curve-tip"));
  }

  follow(x) { this.go(this.path.ks[this.path.nearestStop(Math.max(this.curve.kAt(x), this.path.ks[0]))]); }

  /** Walk so many values of k along the curve. */
  step(by) {
    if (!this.path || this.path.ks.length < 2) return;
    this.play(false);
    const { ks } = this.path;
    this.go(ks[clamp(this.path.stopAt(this.k) + by, 0, ks.length - 1)]);
    this.rest();
  }

  go(k) {
    Object.assign(this, { touched: true, typed: undefined, k, dirty: true });
    this.wake();
  }

  /** The boxes in which k is typed: in the sidebar, and at the foot of a phone. */
  boxes() {
    const roots = [document, ...Array.from(document.querySelectorAll(".st-key-narrow *"), (e) => e.shadowRoot)];
    return roots.map((root) => root?.querySelector(".st-key-k input, .k input")).filter(Boolean);
  }

  /** Follow a box in the frame in which its k is typed or stepped; one that is not at hand shows nothing until the page answers. */
  heed(event) {
    const box = this.boxes().find((one) => event.composedPath().includes(one.closest(".st-key-k, .k")));
    if (box && this.path) requestAnimationFrame((now) => { // Streamlit's own buttons have changed it by then
      const k = Number(box.value), { ks, n } = this.path;
      if (!Number.isInteger(k) || k < 1 || k > n || k === (this.typed ?? ks[this.shown])) return;
      this.play(false);
      clearTimeout(this.telling);
      this.sent.push(k); // by the box itself
      this.go(k);
      if (!ks.includes(k)) Object.assign(this, { touched: false, typed: k });
      this.shown = undefined;
      this.tick(now);
    });
  }

  /** Let every box and the address name this k, too. */
  name(k) {
    for (const box of this.boxes()) {
      const place = box.closest(".st-key-k"); // Streamlit's own: its value is changed by the page alone
      if (!place) box.value = String(k);
      else place.toggleAttribute("data-at", Number(box.value) !== k) && (place.dataset.at = String(k));
    }
    if (k !== this.asked || /[?&]k=/.test(location.search)) sayInAddress(this.home, { k: String(k) });
  }

  play(on) {
    if (on && !this.path) return;
    if (on && prefersStill()) return this.k >= this.path.ks.at(-1) ? this.step(-Infinity) : this.step(1); // nothing moves by itself
    const was = this.playing;
    this.touched ||= on;
    this.playing = on;
    this.sayPlaying(on, on ? "❚❚ Pause" : prefersStill() ? "▶ Next k" : "▶ Play k");
    Object.assign(this, { last: undefined, dirty: true });
    if (on && this.k >= this.path.ks.at(-1)) this.k = this.path.ks[0];
    if (was && !on) {
      this.k = this.path.ks[this.path.stopAt(this.k)];
      this.rest();
    }
    this.wake();
  }

  /** Tell the page which k was chosen, once it has been let go. */
  rest() {
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      if (this.playing || this.dragging || !this.attached || this.k === (this.sent.at(-1) ?? this.asked)) return;
      this.sent.push(this.k);
      this.tell?.("point", { k: this.k });
    }, 250);
  }

  tick(now) {
    if (!this.path) return;
    if (this.playing) {
      const passed = this.last === undefined ? 0 : Math.min(now - this.last, 100);
      const { ks } = this.path, whole = Math.log(ks.at(-1) / ks[0]) || 1;
      this.k = Math.min(this.k * Math.exp((whole * passed) / WHOLE), ks.at(-1));
      this.last = now;
      // a path whose last k is still to come is waited for: a press on Play is not lost
      if (this.k >= ks.at(-1) && !(this.growing && ks.at(-1) < this.path.n)) this.play(false);
    }
    const shone = this.fresh.size > 0, next = this.path.stopAt(this.k + 1e-9);
    if (shone && now > this.fresh.until) this.fresh = new Set();
    if (this.dirty || shone || next !== this.shown) this.draw(now, next);
    if (this.playing || this.fresh.size || next !== this.shown) this.wake();
  }

  /** Draw the stop that is next, once the one before has stood; while it stays and nothing else is new, its picture alone. */
  draw(now, next) {
    const { path, palette } = this, s = now - this.arrived < STEP ? this.shown ?? next : next, shines = !this.dirty && s === this.shown;
    this.dirty = false;
    if (s !== this.shown) this.arrive(s, now);
    this.fresh.left = this.fresh.size ? Math.max(0, (this.fresh.until - now) / GLOW) : 0;
    const waits = this.waiting(), part = this.part(s);
    const layer = { ...part, colour: palette.series[1], negative: palette.found, fresh: this.fresh };
    // no other k's component stands beside this k, not even until its own has come
    const scene = this.scene(), here = path.ks[s] === path.pointedAt, asked = here && path.why && part;
    const layers = !part || waits ? [] : asked ? [{ ...layer, ...this.covariances }] : [layer], over = brushOn(this.picture, palette);
    this.drawn = drawScene(over, scene, layers);
    const frame = asked && this.drawn.frame(path.why.feature);
    if (frame) frameAt(over, frame, 2.5);
    if (asked) this.openCard();
    else this.card.hidden = true;
    if (shines) return;
    if (this.strips) this.drawStrips(part, waits);
    const brush = brushOn(this.graph, palette);
    this.curve.draw(brush);
    if (!waits) this.curve.lens(brush, s);
    if (!waits) this.curve.dot(brush, s);
    this.box.dataset.k = String(path.ks[s]);
  }

  /** The samples by their scores; of a k whose scores are not here yet, none. */
  drawStrips(part, waits) {
    const { strips, samples } = this, sample = this.path.sample?.at, scores = waits ? [] : part?.scores ?? [];
    const brush = brushOn(samples, this.palette, samples.clientWidth, strips.tall);
    if (scores.length) strips.draw(brush, scores, sample);
    const over = sample === undefined || !scores.length ? "" : strips.words(sample, scores);
    this.say("over", over && `Drawn over it: ${over}. Click it again to close.`);
    samples.ariaLabel = `${count(strips.of.length)} samples by score, in ${strips.rows.length} strips. ${this.path.apart}`;
  }

  /** What is said as long as there is no answer for the k that is asked for, and the person goes to no other. */
  waiting() { return this.touched || this.playing ? "" : this.typed ? "…" : this.waits; }

  /** A new stop: what came in shines for a moment, and the words say what it keeps. */
  arrive(s, now) {
    const { path } = this, before = this.shown === undefined ? null : this.part(this.shown);
    const { support, weights, says, context } = this.part(s) ?? { support: [], weights: [], says: "…", context: "" };
    if (before && !prefersStill()) {
      const old = new Set(before.support);
      this.fresh = new Set(support.filter((i) => !old.has(i)));
      this.fresh.until = now + GLOW;
    }
    Object.assign(this, { shown: s, arrived: now });
    const waits = this.waiting(), words = waits || says, at = waits ? this.typed ?? this.asked : path.ks[s], k = `k = ${count(at)}`;
    this.say("k", count(at));
    this.find(".words").ariaLive = this.playing ? "off" : "polite"; // a screen reader is not told of each k that passes
    this.say("words", words);
    const other = words !== (this.said ?? words) && !waits && !this.playing && !this.dragging && !prefersStill();
    if (other) this.find(".words").animate({ background: ["var(--other)", "transparent"] }, { duration: 1200, easing: "ease-in" });
    if (!waits) this.said = words;
    this.say("context", waits ? "" : context);
    this.say("apart", waits || path.ks[s] !== path.pointedAt ? "" : path.apart);
    this.graph.setAttribute("aria-valuenow", String(at));
    this.graph.setAttribute("aria-valuetext", `${k}. ${words}`);
    this.picture.setAttribute("aria-label", `The component at ${k}: ${waits || sceneWords(path, support, weights)}`);
    this.graph.setAttribute("aria-label", `Variance against k, ${path.ks.length} values of k, ${path.band.proven.filter(Boolean).length} with an upper bound of their own; ${path.closed || "not proven optimal anywhere"}`);
    this.name(at);
    this.box.dataset.support = Array.from(support).join(",");
  }

  hint(event) {
    const { path } = this, place = placeOf(event, this.picture);
    // between a new path and its first drawing nothing is shown yet
    const feature = this.playing || this.shown === undefined ? undefined : this.drawn?.at(...place);
    this.picture.style.cursor = feature === undefined ? "" : "pointer";
    if (feature === undefined) return this.tip("");
    const { support, weights } = this.part(this.shown) ?? { support: [], weights: [] }, at = support.indexOf(feature);
    const what = featureName(path.scene, feature);
    const words = at < 0 ? `${what}: not in the component. Click: why?` : `${what}: loading ${decimals(weights[at], 4)}. Click: why?`;
    this.tip(words, ...place, this.picture.offsetWidth);
  }

  resize() {
    if (!this.graph.clientWidth || !this.path) return;
    this.palette = wearing(this.box);
    this.width = this.box.clientWidth;
    for (const drawn of [this.picture, this.graph]) drawn.style.height = ""; // a phone that is turned has other heights
    this.curve.layout(this.path, this.graph.clientWidth, this.graph.clientHeight, this.palette);
    this.stir();
  }

  attach(component) {
    // an event, not a state: the same k is told again after another was chosen elsewhere; it says of which data it is
    this.tell = (event, said) => component.setTriggerValue(event, { ...said, seen: component.data.assignments });
    const back = !this.attached, leave = super.attach(), { signal } = this.leaving;
    for (const kind of back ? ["input", "click", "keydown"] : []) document.addEventListener(kind, (event) => this.heed(event), { signal });
    for (const kind of back ? ["pointerover", "focusin"] : []) document.addEventListener(kind, (event) => this.near || this.complete(event), { signal });
    if (back && this.touched) this.rest(); // what was chosen just before the player was taken off the page is still told
    return leave;
  }
}

function sceneWords(path, support, weights) {
  const heavy = Array.from(support.keys()).sort((a, b) => Math.abs(weights[b]) - Math.abs(weights[a])).slice(0, 5);
  const used = `${count(support.length)} of ${count(path.n)} ${path.noun} coloured`;
  if (path.scene.image) return used;
  return `${used}; the largest: ${heavy.map((at) => featureName(path.scene, support[at])).join(", ")}`;
}

function mount(component) {
  const { data, parentElement } = component, player = shownAt(parentElement, () => new Player(parentElement, data));
  player.take(data);
  const leave = player.attach(component), take = (news) => { player.take(news); if (news.over) end(); return news.rerun; };
  const end = askNews(parentElement, data.address, data.every, take, () => component.setTriggerValue("ended", data.assignments));
  if (!data.address) end();
  return () => { end(); leave(); };
}
