// The player: where the direction is, what it passes, what is drawn and said about it.

class Player extends Turning {
  constructor(root, data) {
    super(root, ".spannogram", ".stage");
    this.stage = this.watched;
    this.phi = data.phi ?? 0;
    this.speed = data.speed ?? 1;
    this.playing = false;
    this.dirty = true;
    this.find("[data-do=speed]").value = String(this.speed);
    this.listen();
    this.take(data);
  }

  /** Take a problem; the same one again keeps everything as it is. */
  take(data) {
    const known = this.signature !== undefined;
    if (!this.renewed(data)) return;
    this.curves = new Curves(data);
    this.plot = new Plot(this.curves);
    this.met = new Set();
    this.list = [];
    this.unpick();
    if (known && !this.reshaped) this.playing = false;
    this.reshaped = false;
    this.phi = this.curves.wrap(this.phi);
    this.lit = -1;
    this.say("component-title", this.curves.scene?.image ? "Point at a pixel" : "Component here");
    this.say("circle-title", this.curves.nonnegative ? "Allowed directions (■ best)" : "Directions (■ the best of the set)");
    this.find("[data-say=all-keys]").hidden = !this.curves.meetings;
    this.say("drag-rows", this.curves.editable ? "Drag a small square to reshape its curve." : "");
    this.find(".met ol").replaceChildren();
    this.lastRegion = undefined;
    this.curves.goTo(this.curves.regionAt(this.phi));
    this.meet(this.curves.region);
    this.resize();
  }

  /** The height of the picture: what is left of the screen below its beginning. */
  tall(width) {
    const full = document.fullscreenElement;
    const room = full ? innerHeight - 260 : roomBelow(this.stage) - (isScene() ? 4 : 52);
    return Math.round(clamp(Math.min(room, 0.95 * width), isScene() ? 200 : width < 500 ? 400 : 380, full ? 2000 : 620));
  }

  resize() {
    const width = this.stage.clientWidth;
    if (!width) return;
    this.palette = wearing(this.box);
    this.box.style.setProperty("--accent", this.palette.found);
    this.box.style.setProperty("--ring", this.palette.ink);
    this.tallness = this.tall(width);
    this.plot.layout(width, this.tallness, this.palette, document.fullscreenElement ? 1.35 : 1);
    this.stage.dataset.place = [this.plot.left, this.plot.right, this.plot.middle, this.plot.scaleY, this.plot.sets.y].join();
    this.stale = true;
    this.stir();
  }

  resized() {
    const width = this.stage.clientWidth;
    if (width && (width !== this.plot.width || Math.abs(this.tall(width) - this.tallness) > 1)) this.resize();
  }

  look() {
    super.look();
    this.resized();
  }

  brush(name) {
    return brushOn(this.find(name), this.palette, this.plot.width, this.plot.height, document.fullscreenElement ? 1.35 : 1);
  }

  tick(now) {
    if (this.playing) this.advance(now);
    this.last = this.playing ? now : undefined;
    if (this.dirty || now < this.flashing) this.draw(now);
    if (this.playing || now < this.flashing) this.wake();
  }

  get changes() { return this.curves.stops.length; }

  changeWithin(angle) {
    const { curves, phi } = this, next = curves.stops[countUpTo(curves.stops, phi + 1e-12)];
    return next <= phi + angle ? { angle: next - phi + 1e-13, ...curves.changeAt(curves.angles.indexOf(next)) } : undefined;
  }

  turnBy(angle) { this.move(this.phi + angle); }

  /** Say what happens at a crossing, and ring it. */
  tellChange(meeting) {
    const { left, right, before, after } = this.curves.around(meeting.phi);
    this.ringed = meeting;
    this.meet(left, before);
    this.meet(right, after);
    this.say("change", changeWords(this.curves, meeting, before, after));
    Object.assign(this.find("[data-say=change]").dataset, { left: before.join(","), right: after.join(","),
      matters: String(meeting.matters), phi: String(meeting.phi), curves: `${meeting.i},${meeting.j}` });
  }

  play(on) {
    this.playing = on;
    this.sayPlaying(on, on ? "Pause" : "Play");
    if (on) this.unpick();
    else this.remember();
    this.stir();
  }

  /** Forget the crossing that is ringed and told. */
  unpick() {
    this.picked = this.ringed = null;
    this.say("change", "Press Play: it slows down where the set changes.");
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
    this.stir();
  }

  /** Count the set of a region, by default the one the curves are in. */
  meet(region, known) {
    const id = this.curves.ids[region];
    if (id < 0 || this.met.has(id)) return;
    this.met.add(id);
    const set = known ?? this.curves.set(), arc = this.curves.arc(set), words = setWords(this.curves, set, 5);
    const entry = { id, region, words: words.startsWith("{") ? words : `no. ${this.list.length + 1}`, value: arc.value, phi: arc.best };
    this.list.push(entry);
    if (this.list.length === 1 || entry.value > this.best.value) this.best = entry;
    this.listDirty = true;
  }

  /** Let the address say where the direction came to rest. */
  write() {
    if (this.playing || !this.attached) return;
    // rounded up: at a crossing the set shown is the one just right of it
    sayInAddress(this.home, { phi: (Math.ceil(this.phi * 1e6) / 1e6).toFixed(6), speed: String(this.speed) });
  }

  draw(now) {
    this.dirty = false;
    if (!this.plot.height) return;
    const { curves, plot, palette } = this;
    const changed = this.stale || this.lastRegion !== curves.region || this.holding?.moved;
    if (this.stale) {
      this.stale = false;
      plot.drawStill(this.brush(".still"));
    }
    if (this.lastRegion !== curves.region) {
      this.lastRegion = curves.region;
      this.shown = curves.set();
      this.arc = curves.arc(this.shown);
    }
    const reshaping = this.holding?.moved, set = reshaping ? this.topNow() : this.shown, arc = reshaping ? curves.arc(set) : this.arc;
    if (changed) plot.drawSet(this.brush(".set"), set);
    plot.drawMoving(this.brush(".moving"), this.phi, set, { ring: this.ringed, best: this.best,
      flash: this.flash(now), handles: this.curves.editable, lit: this.lit });
    drawCircle(this.find(".circle"), curves, palette, this.phi, set, arc);
    this.face = drawComponent(this.find(".component"), plot, palette, this.phi, set, this.lit);
    Object.assign(this.box.dataset, { phi: String(this.phi), flashing: String(now < this.flashing) });
    if (!this.playing || now - (this.described ?? 0) > 120) this.describe(now, set);
  }

  topNow() {
    const { curves, phi } = this, all = Array.from({ length: curves.n }, (_, i) => i).sort((a, b) => curves.value(b, phi) - curves.value(a, phi));
    return all.slice(0, curves.k).filter((i) => !curves.nonnegative || curves.value(i, phi) > 0);
  }

  describe(now, set) {
    const { curves } = this, circle = circleWords(curves, set, this.arc), words = setWords(curves, set);
    const goal = curves.squares(set, this.phi);
    this.described = now;
    this.say("angle", `φ = ${degrees(this.phi)}`);
    this.say("set", `Set: ${words}`);
    this.say("value", `Objective ${figure(goal)} (optimum ${figure(curves.optimum.value)})`);
    this.say("circle", circle);
    Object.assign(this.box.dataset, { set: set.join(","), objective: String(goal), met: String(this.met.size) });
    this.stage.ariaValueNow = ((this.phi * 180) / Math.PI).toFixed(1);
    this.stage.ariaValueText = `${degrees(this.phi)}; the ${curves.k} highest: ${words}`;
    this.find(".circle").ariaLabel = `The circle of directions. ${circle}`;
    this.find(".component").ariaLabel = `Component here: ${words}`;
    if (this.listDirty || this.marked !== curves.ids[curves.region]) this.relist();
  }

  /** The sets met so far, the latest sixty of them. */
  relist() {
    const { curves, best } = this;
    this.listDirty = false;
    this.marked = curves.ids[curves.region];
    const all = this.met.size >= curves.candidates ? `all ${count(curves.candidates)}` : `${count(this.met.size)} of ${count(curves.candidates)}`;
    this.say("met", `Sets seen so far: ${all}`);
    this.say("met-why", `A whole turn has ${count(curves.candidates)} sets (Asteris et al. prove at most ${count(curves.bound)}). `
      + `Without the curves: ${curves.choices} ways to choose ${curves.nonnegative ? "at most " : ""}${count(curves.k)} of ${count(curves.n)}. `
      + "Each button: a set, and the largest objective it can reach.");
    this.find(".met ol").replaceChildren(...this.list.slice(-60).map((entry) => {
      const mark = entry !== best ? "" : best.value < curves.optimum.value * (1 - 1e-9) ? "◆ " : "★ ";
      const words = `${mark}${entry.words} → ${figure(entry.value)}`;
      const marked = entry.id === this.marked ? { className: "here", ariaCurrent: "true" } : {}, { region } = entry;
      return element("li", {}, button({ textContent: words, title: "Go to this set's best direction", dataset: { region }, ...marked }));
    }));
    const here = this.find(".met .here"), list = this.find(".met ol");
    if (here) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  attach(component) {
    this.trigger = component.setTriggerValue;
    return super.attach();
  }

  detach() {
    super.detach();
    this.last = undefined;
  }
}
