// The show: where the direction is, what it passes, what is drawn and said about it.

const LAP = 26; // seconds for the whole circle at speed 1

class Player {
  constructor(root, data) {
    this.root = root;
    this.box = root.querySelector(".spannogram");
    this.stage = this.find(".stage");
    this.phi = data.phi ?? 0;
    this.speed = data.speed ?? 1;
    this.playing = false;
    this.dirty = true;
    this.held = {};
    this.find("[data-do=speed]").value = String(this.speed);
    this.listen();
    this.take(data);
  }

  find(selector) { return this.root.querySelector(selector); }

  say(what, text) {
    const place = this.find(`[data-say=${what}]`);
    if (place.textContent !== text) place.textContent = text;
  }

  /** Take a problem; the same one again keeps everything as it is. */
  take(data) {
    const changed = data.signature !== this.signature || data.both !== this.both;
    this.both = data.both;
    if (data.signature !== this.signature) {
      const known = this.signature !== undefined;
      this.signature = data.signature;
      this.curves = new Curves(data);
      this.plot = new Plot(this.curves);
      this.met = new Set();
      this.list = [];
      this.picked = null;
      if (known && !this.kept) this.playing = false;
      this.kept = false;
      this.phi = this.curves.wrap(this.phi);
      this.stage.setAttribute("aria-valuemax", this.curves.nonnegative ? "270" : "90");
      this.say("component-title", this.curves.image ? "The component here, as an image" : "The component here");
      this.say("circle-title", this.curves.nonnegative ? "Directions this set allows" : "Directions");
      this.find("[data-say=all-keys]").hidden = !this.curves.meetings;
      this.say("drag-rows", this.draggable() ? "Drag a small square to reshape its curve." : "");
      this.find(".card").hidden = true;
      this.find(".met ol").replaceChildren();
      this.lastSet = undefined;
      this.curves.goTo(this.curves.regionAt(this.phi));
      this.meet(this.curves.region);
    }
    if (changed || this.stage.clientWidth !== this.plot.width) this.resize();
  }

  draggable() { return this.curves.editable && this.curves.n <= 12; }

  resize() {
    const width = this.stage.clientWidth;
    if (!width) return;
    this.palette = paletteOf(this.box);
    this.box.style.setProperty("--accent", this.palette.lit);
    const room = slideRoom(this.stage);
    this.plot.layout(width, this.palette, document.fullscreenElement ? 1.35 : 1, room && room - 290);
    const still = this.find(".still"), moving = this.find(".moving");
    this.plot.ratio = (window.devicePixelRatio || 1) * zoomOf(this.stage);
    sizeCanvas(still, width, this.plot.height);
    sizeCanvas(moving, width, this.plot.height);
    this.sheet = undefined;
    this.dirty = true;
    this.wake();
  }

  wake() {
    if (!this.frame && this.attached) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.frame = 0;
    if (!this.attached) return;
    if (this.playing) {
      const passed = this.last === undefined ? 0 : Math.min(now - this.last, 100) / 1000;
      this.move(this.phi + (TURN / LAP) * this.speed * passed);
    }
    this.last = this.playing ? now : undefined;
    if (this.dirty) this.draw(now);
    if (this.playing) this.wake();
  }

  play(on) {
    this.playing = on;
    const button = this.find("[data-do=play]");
    button.textContent = on ? "Pause" : "Play";
    button.setAttribute("aria-pressed", String(on));
    this.box.dataset.playing = String(on);
    if (on) this.unpick();
    else this.rest();
    this.dirty = true;
    this.wake();
  }

  /** Turn to a direction; sets passed on a short way count as met. */
  move(phi, jump = false) {
    const { curves } = this, lap = phi >= curves.end || phi < curves.start;
    this.phi = curves.wrap(phi);
    const region = curves.regionAt(this.phi);
    const visit = jump ? undefined : (r) => this.meet(r);
    if (lap && !jump) {
      curves.goTo(phi >= curves.end ? curves.angles.length : 0, visit);
      curves.goTo(phi >= curves.end ? 0 : curves.angles.length);
    }
    curves.goTo(region, visit);
    this.meet(region);
    this.dirty = true;
    this.wake();
  }

  /** Count the candidate of the region the curves are in. */
  meet(region) {
    const id = this.curves.ids[region];
    if (id < 0 || this.met.has(id)) return;
    this.met.add(id);
    const set = this.curves.set(), arc = this.curves.arc(set);
    this.list.push({ id, region, words: this.chip(set), value: arc.value, best: arc.best });
    this.listDirty = true;
  }

  /** A candidate's name in the list: the set itself, or its number where the set is long. */
  chip(set) {
    const words = setWords(this.curves, set, 5);
    return words.startsWith("{") ? words : `no. ${this.list.length + 1}`;
  }

  /** Tell the page where the direction came to rest, once it has. */
  rest() {
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      // rounded up: at a crossing the set shown is the one just right of it
      const phi = Math.ceil(this.phi * 1e6) / 1e6;
      if (!this.playing && this.attached && !this.touring) this.tell?.("view", { phi, speed: this.speed });
    }, 500);
  }

  draw(now) {
    this.dirty = false;
    if (!this.plot.height) return;
    const { curves, plot, palette } = this, sheet = curves.flipped(this.phi) ? 1 : 0;
    if (`${sheet}${this.both}` !== this.sheet) {
      this.sheet = `${sheet}${this.both}`;
      const pen = this.find(".still").getContext("2d");
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
      pen.drawImage(plot.still(sheet, this.both), 0, 0);
    }
    if (this.lastSet !== curves.region || this.shown === undefined) {
      this.lastSet = curves.region;
      this.shown = curves.set();
      this.arc = curves.arc(this.shown);
    }
    const reshaping = this.holding?.moved;
    const set = reshaping ? this.topNow() : this.shown;
    const goal = plot.drawMoving(this.find(".moving").getContext("2d"), this.phi, set, this.picked ?? this.hinted, this.draggable());
    drawCircle(this.find(".circle"), curves, palette, this.phi, set, reshaping ? curves.arc(set) : this.arc);
    drawComponent(this.find(".component"), curves, palette, this.phi, set, this.held);
    this.frames = (this.frames ?? 0) + 1;
    this.box.dataset.frames = String(this.frames);
    this.box.dataset.phi = String(this.phi);
    if (!this.playing || now - (this.told ?? 0) > 120) this.describe(now, set, goal);
  }

  topNow() {
    const all = Array.from({ length: this.curves.n }, (_, i) => i).sort((a, b) => this.curves.value(b, this.phi) - this.curves.value(a, this.phi));
    return all.slice(0, this.curves.k).filter((i) => !this.curves.nonnegative || this.curves.value(i, this.phi) > 0);
  }

  describe(now, set, goal) {
    const { curves } = this;
    this.told = now;
    const sheet = curves.nonnegative ? (curves.flipped(this.phi) ? ", of −v" : ", of v") : "";
    this.say("angle", `φ = ${degrees(this.phi)}${sheet}`);
    this.say("set", `Top ${curves.k}: ${setWords(curves, set)}`);
    this.say("value", `Objective ${figure(goal)}, the best is ${figure(curves.optimum.value)}`);
    this.say("circle", circleWords(curves, set, this.arc));
    this.box.dataset.set = set.join(",");
    this.box.dataset.objective = String(goal);
    this.box.dataset.met = String(this.met.size);
    this.stage.setAttribute("aria-valuenow", ((this.phi * 180) / Math.PI).toFixed(1));
    this.stage.setAttribute("aria-valuetext", `${degrees(this.phi)}${sheet}; top ${curves.k}: ${setWords(curves, set)}`);
    this.find(".circle").setAttribute("aria-label", `The circle of directions. ${circleWords(curves, set, this.arc)}`);
    this.find(".component").setAttribute("aria-label", `The component here: ${setWords(curves, set)}`);
    if (this.listDirty || this.marked !== curves.ids[curves.region]) this.relist();
  }

  /** The candidates met so far, the latest sixty of them. */
  relist() {
    const { curves } = this;
    this.listDirty = false;
    this.marked = curves.ids[curves.region];
    const most = Math.max(...this.list.map((entry) => entry.value), 0);
    const all = this.met.size >= curves.candidates ? "all" : `${this.met.size} of the`;
    const size = curves.nonnegative ? `at most ${curves.k}` : curves.k;
    this.say("met", `Candidate supports met so far: ${all} ${curves.candidates} there are. `
      + `The paper's bound allows ${curves.bound.toLocaleString()}. `
      + `Without the curves you would try every way to choose ${size} of ${curves.n.toLocaleString()}: ${curves.choices}.`);
    this.find(".met ol").replaceChildren(...this.list.slice(-60).map((entry) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.dataset.region = entry.region;
      const best = entry.value >= most * (1 - 1e-12);
      button.textContent = `${best ? "★ " : ""}${entry.words} → ${figure(entry.value)}`;
      button.title = "The best this set can reach; press to go there";
      if (entry.id === this.marked) {
        button.className = "here";
        button.setAttribute("aria-current", "true");
      }
      item.append(button);
      return item;
    }));
    const here = this.find(".met .here"), list = this.find(".met ol");
    if (here) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  /** Save the picture of this moment. */
  save() {
    const parts = [this.find(".still"), this.find(".component"), this.find(".circle")];
    const ratio = this.plot.ratio, pad = 16 * ratio, side = Math.max(parts[1].width, parts[2].width);
    const sheet = document.createElement("canvas");
    sheet.width = parts[0].width + side + 3 * pad;
    sheet.height = Math.max(parts[0].height, parts[1].height + parts[2].height + pad) + 2 * pad + 26 * ratio;
    const pen = sheet.getContext("2d");
    pen.fillStyle = this.palette.paper;
    pen.fillRect(0, 0, sheet.width, sheet.height);
    pen.fillStyle = this.palette.ink;
    pen.font = `600 ${15 * ratio}px ${this.palette.font}`;
    pen.fillText(["angle", "set", "value"].map((w) => this.find(`[data-say=${w}]`).textContent).join("   "), pad, pad + 10 * ratio);
    const top = pad + 26 * ratio;
    for (const layer of [this.find(".still"), this.find(".moving")]) pen.drawImage(layer, pad, top);
    pen.drawImage(parts[1], parts[0].width + 2 * pad, top);
    pen.drawImage(parts[2], parts[0].width + 2 * pad, top + parts[1].height + pad);
    sheet.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `spannogram-${((this.phi * 180) / Math.PI).toFixed(0)}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }, "image/png");
  }

  attach(component) {
    this.tell = component.setStateValue;
    this.trigger = component.setTriggerValue;
    if (this.attached) return;
    this.attached = true;
    this.onStep = (event) => { if (steppedHere(event, this.box) && this.tour.turn(event.detail)) event.preventDefault(); };
    document.addEventListener("nnspca-step", this.onStep);
    this.observer = new ResizeObserver(() => {
      if (this.stage.clientWidth !== this.plot.width) this.resize();
    });
    this.observer.observe(this.stage);
    // the theme can change without anything else changing: look whether the colours did
    this.watching = setInterval(() => {
      const now = paletteOf(this.box);
      this.tour?.write();
      if (this.palette && (now.ink !== this.palette.ink || now.paper !== this.palette.paper)) this.resize();
    }, 400);
    this.dirty = true;
    this.wake();
  }

  detach() {
    this.attached = false;
    this.observer?.disconnect();
    document.removeEventListener("nnspca-step", this.onStep);
    clearInterval(this.watching);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.last = undefined;
  }
}
