// The sheet: all pictures of the samples and of the part, and what is picked or marked in any shown in every one.

const CLICK = 4; // pixels a press may wander and still be a click
const NEAR = { x: 14, y: -10 };

class Sheet extends Shown {
  constructor(root) {
    super(root, ".sheet");
    this.marked = new Set();
    this.hover = null;
    this.dragged = null;
    this.listen();
  }

  take(data) {
    if (data.focus && data.focus !== this.focus) this.reveal();
    this.focus = data.focus;
    if (!this.renewed(data)) return;
    const other = this.about !== undefined && data.about !== this.about;
    const kept = this.about === undefined ? this.link() : other ? {} : { picked: this.samples?.said, marked: toSpans(this.marked) };
    Object.assign(this, { about: data.about, data, hover: null });
    this.features = new Features(readScene(data.scene), unpack(data.support), unpack(data.weights));
    this.weight = new Map(Array.from(this.features.support, (i, at) => [i, this.features.weights[at]]));
    this.marked = new Set(fromSpans(kept.marked ?? "").filter((i) => i < data.n));
    const elsewhere = data.why.asked && this.asked !== undefined && this.asked !== data.why.feature + 1; // in the player
    if (elsewhere) this.marked = new Set([data.why.feature]);
    else if (!this.marked.size && data.why.asked) this.marked.add(data.why.feature);
    this.samples = data.m ? new Samples(data) : null;
    this.ladder = this.samples && new Ladder(data, this.samples);
    this.cloud = this.samples && new Cloud(this.samples);
    this.samples?.pick(kept.picked ?? "");
    for (const part of this.box.querySelectorAll("[data-only=samples]")) part.hidden = !this.samples;
    this.say("one", data.noun.replace(/s$/, ""));
    this.say("how", "click to ask why, drag to mark several");
    this.say("lead", data.lead);
    this.say("separation", data.separation);
    this.say("second", data.second ? `second component: ${data.secondSize}; drag around samples to pick them` : "");
    this.find(".ask input").max = String(data.n);
    for (const input of this.box.querySelectorAll(".range input")) input.max = String(data.m);
    this.width = 0;
    const few = this.features.scene.names ? Math.min(280, 34 + 22 * this.features.support.length) : 280;
    this.find(".picture").style.height = `${this.samples ? 280 : few}px`;
    this.resize();
    if (other || elsewhere) this.write();
  }

  /** Bring the answer into sight, again while what is mounted above it still moves it out. */
  reveal() {
    const answer = this.find(".answer");
    for (const pause of [0, 300, 1000])
      setTimeout(() => {
        const { top, bottom } = answer.getBoundingClientRect();
        if (!pause || top > innerHeight || bottom < 0) answer.scrollIntoView({ block: "center" });
      }, pause);
  }

  link() {
    const said = new URL(location.href).searchParams;
    return { picked: said.get("picked") ?? "", marked: said.get("marked") ?? "" };
  }

  /** Let the address say what is picked, marked and asked, without asking the server anything. */
  write() {
    const marked = toSpans(this.marked);
    sayInAddress(this.home, { picked: this.samples?.said, marked: marked.length < MANY ? marked : "", why: this.asked });
  }

  ask(i) {
    this.asked = i + 1;
    this.marked = new Set([i]);
    this.changed();
    this.tell?.("why", { about: this.about, feature: i, at: Date.now() }); // a question asked again is another one
  }

  changed() {
    this.write();
    this.mirror();
    this.wake();
  }

  /** Say what is picked and marked where it is not drawn. */
  mirror() {
    const { samples, box, marked } = this;
    box.dataset.marked = toSpans(marked);
    if (!samples) return;
    this.say("picked", `${samples.words()}${marked.size ? ` Marked: ${count(marked.size)} of ${count(this.data.n)} ${this.data.noun}.` : ""}`);
    box.dataset.picked = String(samples.count);
    for (const button of box.querySelectorAll("[data-sample]")) button.setAttribute("aria-pressed", String(Boolean(samples.picked[button.dataset.sample])));
    for (const button of box.querySelectorAll("[data-class]")) button.setAttribute("aria-pressed", String(samples.said === `c${button.dataset.class}`));
    const [from, to] = samples.said[0] === "r" ? samples.said.slice(1).split("-") : ["", ""];
    for (const [name, value] of [["from", from], ["to", to]]) {
      const input = this.find(`input[name=${name}]`);
      if (this.root.activeElement !== input) input.value = value;
    }
  }

  answer() {
    const told = this.data.why, list = this.find(".answer ul");
    this.asked = told.asked ? told.feature + 1 : 0;
    this.say("title", told.title);
    list.replaceChildren(...told.says.map((textContent) => element("li", { textContent })));
    this.box.dataset.why = String(this.asked);
    const canvas = this.find(".ties"), { palette } = this;
    this.say("which", `Its ${told.measure}s with the component's other ${this.data.noun}`);
    const brush = brushOn(canvas, palette);
    const layer = { support: unpack(told.others), weights: unpack(told.covariances), colour: palette.series[1], negative: palette.found };
    const shown = new Features({ ...this.features.scene, say: short, weights: `${told.measure}s` }, layer.support, layer.weights);
    shown.draw(brush);
    if (!this.features.scene.names) shown.ring(brush, [told.feature]);
    canvas.setAttribute("aria-label", `${told.title} ${told.says[0]}`);
  }

  resize() {
    if (!this.box.clientWidth || !this.data) return;
    this.width = this.box.clientWidth;
    this.palette = wearing(this.box, this.colours);
    if (this.samples) {
      const [a, b] = [this.find(".ladder"), this.find(".cloud")];
      a.style.height = `${this.ladder.tall}px`;
      this.ladder.layout(a.clientWidth, a.clientHeight, this.palette);
      this.cloud.layout(b.clientWidth, b.clientHeight, this.palette);
      cards(this);
      chips(this);
    }
    this.answer();
    this.mirror();
    this.wake();
  }

  tick() {
    if (!this.data || !this.palette) return;
    const { palette, samples } = this, place = (selector) => this.find(selector);
    const picture = place(".picture"), brush = brushOn(picture, palette);
    this.features.draw(brush);
    this.mean(brush);
    this.features.ring(brush, this.marked);
    const used = `${count(this.features.support.length)} of ${count(this.data.n)} ${this.data.noun} coloured`;
    picture.setAttribute("aria-label", `The component: ${used}${this.marked.size ? `, ${this.marked.size} marked` : ""}`);
    if (samples) {
      const a = place(".ladder"), b = place(".cloud");
      this.ladder.draw(brushOn(a, palette), this.marked, this.hover, (i) => this.weight.get(i) ?? 0);
      this.cloud.draw(brushOn(b, palette), this.hover, this.dragged);
      a.setAttribute("aria-label", `Samples by score, highest first. ${this.data.separation} ${samples.words()}`);
      b.setAttribute("aria-label", `Samples along two components. ${samples.words()}`);
    }
  }

  /** The mean of the picked samples that are at hand: beside the words an image, over the part a curve. */
  mean(brush) {
    const { samples } = this, place = this.find(".mean"), values = samples?.mean();
    place.hidden = !values || !samples.pictures.rows;
    if (!values) return;
    if (samples.pictures.rows) {
      paint(place, values, samples.pictures);
      return;
    }
    const wide = brush.width - 24, foot = brush.height - 40, least = Math.min(...values), span = Math.max(...values) - least || 1;
    const points = Array.from(values, (v, i) => [12 + wide * samples.pictures.places[i], foot - 6 - (0.9 * (v - least) * (foot - 8)) / span]);
    brush.line(points, { wide: 2, dash: [5, 4] });
    brush.text("dashed: mean of the picked samples, on its own scale", 12 + wide, 18, { size: 13, align: "right" });
  }

  tip(words, x, y, s = null) {
    const tip = this.find(".tip"), picture = tip.querySelector("canvas");
    tip.hidden = !words;
    if (!words) return;
    tip.querySelector("span").textContent = words;
    picture.hidden = s === null || !portrait(picture, this.samples, s, this.palette);
    tip.style.left = `${Math.max(0, Math.min(x + NEAR.x, this.box.clientWidth - tip.offsetWidth))}px`;
    tip.style.top = `${Math.max(0, y + NEAR.y - tip.offsetHeight)}px`;
  }

  name(i) { return this.data.names[i] || featureName(this.features.scene, i); }

  listen() {
    this.drags(".picture", {
      click: (x, y) => {
        const i = this.features.box.at(x, y);
        if (i !== undefined) this.ask(i);
      },
      drag: (...corners) => { this.marked = new Set(this.features.box.between(...corners).filter((i) => this.weight.has(i))); },
      hint: (x, y) => {
        const i = this.features.box.at(x, y), weight = this.weight.get(i);
        if (i === undefined) return "";
        return `${this.name(i)}: ${weight === undefined ? "not in the component" : `loading ${decimals(weight, 4)}`}`;
      },
    });
    const toggle = (s) => { this.samples.toggle(s); this.changed(); };
    this.drags(".ladder", {
      click: (x, y) => {
        const feature = this.ladder.featureAt(y);
        if (feature !== null) this.ask(feature);
        else toggle(this.samples.order[this.ladder.rankAt(x)]);
      },
      drag: (left, _, right) => this.samples.pick(`r${this.ladder.rankAt(left) + 1}-${this.ladder.rankAt(right) + 1}`),
      hint: (x, y) => {
        if (x < this.ladder.left) return "";
        this.hover = this.samples.order[this.ladder.rankAt(x)];
        const feature = this.ladder.featureAt(y);
        return this.samples.name(this.hover) + (feature === null ? "" : `; ${this.name(feature)}`);
      },
    });
    this.drags(".cloud", {
      click: (x, y) => {
        const s = this.cloud.at(x, y);
        if (s !== null) toggle(s);
      },
      drag: (left, top, right, foot) => {
        const [x0, y0] = this.cloud.steps(left, foot), [x1, y1] = this.cloud.steps(right, top);
        this.dragged = [left, top, right, foot];
        this.samples.pick(`b${x0}_${x1}_${y0}_${y1}`);
      },
      hint: (x, y) => {
        this.hover = this.cloud.at(x, y);
        return this.hover === null ? "" : this.samples.name(this.hover);
      },
    });
    this.find(".ask").addEventListener("submit", (event) => {
      event.preventDefault();
      const i = Math.round(Number(this.find(".ask input").value));
      if (this.data && i >= 1 && i <= this.data.n) this.ask(i - 1);
    });
    this.find(".range").addEventListener("submit", (event) => event.preventDefault());
    this.find(".range").addEventListener("change", () => {
      const [from, to] = ["from", "to"].map((name) => Math.round(Number(this.find(`input[name=${name}]`).value)));
      if (!(from >= 1 && to >= from && to <= this.samples.m)) return;
      this.samples.pick(`r${from}-${to}`);
      this.changed();
    });
    this.find("[data-do=clear]").addEventListener("click", () => {
      this.samples.pick("");
      this.marked = new Set();
      this.changed();
    });
  }

  /** `click` hears of a press that stays where it began, `drag` of the corners of any other, `hint` of a pointer that hovers. */
  drags(selector, { click, drag, hint }) {
    let from;
    const step = (x, y, done) => {
      const [left, top] = from, still = Math.hypot(x - left, y - top) <= CLICK;
      if (!still) drag(Math.min(left, x), Math.min(top, y), Math.max(left, x), Math.max(top, y));
      if (done) this.dragged = null;
      if (!still) (done ? this.changed() : this.wake());
      else if (done) click(left, top);
    };
    followPointer(this.find(selector), {
      press: (...place) => { from = place.slice(0, 2); return Boolean(this.data); },
      drag: (x, y) => step(x, y, false),
      release: (x, y, done) => { if (done) step(x, y, true); else this.dragged = null; },
      hover: (x, y, event) => {
        if (!this.data) return;
        this.hover = null;
        if (event) this.tip(hint(x, y), ...placeOf(event, this.box), this.hover);
        else this.tip("");
        this.wake();
      },
    });
  }

  attach(component) {
    this.tell = component.setStateValue;
    return super.attach();
  }
}

export default function (component) {
  const sheet = shownAt(component.parentElement, () => new Sheet(component.parentElement));
  const leave = sheet.attach(component);
  sheet.take(component.data);
  return leave;
}
