// What the person does: buttons, keys, dragging and clicking.

const DEGREE = Math.PI / 180;

class Input extends Player {
  listen() {
    this.root.addEventListener("click", (event) => {
      const button = event.target.closest("[data-do], [data-region]");
      if (!button || button.tagName === "SELECT") return;
      if (button.dataset.region) this.visitCandidate(Number(button.dataset.region));
      else this.act(button.dataset.do);
    });
    this.find("[data-do=speed]").addEventListener("change", (event) => {
      this.speed = Number(event.target.value);
      this.remember();
    });
    this.stage.addEventListener("keydown", (event) => this.key(event));
    followPointer(this.stage, {
      press: (x, y, event) => this.press(x, y, event.pointerType === "touch" ? 16 : 9),
      drag: (x, y) => (this.holding.scrub ? this.scrub(x) : this.reshape(this.holding, x, y)),
      release: (x, y, done) => this.release(done),
      hover: (x, y) => this.hint(x, y),
    });
    const point = (x, y) => this.light(x === undefined ? -1 : this.face?.at?.(x, y) ?? -1);
    followPointer(this.find(".component"), { press: point, drag: point, hover: point });
    this.box.addEventListener("fullscreenchange", () => this.resize());
    this.box.addEventListener("toggle", () => this.resize(), true);
  }

  act(name) {
    const acts = {
      play: () => this.play(!this.playing),
      back: () => this.step(-1, false),
      next: () => this.step(1, false),
      best: () => this.jump(this.curves.optimum.phi),
      full: () => (document.fullscreenElement ? document.exitFullscreen() : this.box.requestFullscreen?.()),
    };
    acts[name]?.();
  }

  key(event) {
    actOnKey(event, {
      " ": () => this.play(!this.playing),
      ArrowRight: () => this.step(1, event.shiftKey),
      ArrowLeft: () => this.step(-1, event.shiftKey),
      ArrowUp: () => this.jump(this.phi + DEGREE, false),
      ArrowDown: () => this.jump(this.phi - DEGREE, false),
      Home: () => this.jump(this.curves.start),
      End: () => this.jump(this.curves.end - 1e-9),
    });
  }

  /** Light up the curve of a feature that is pointed at, and say where it stands. */
  light(i) {
    if (i === this.lit) return;
    this.lit = i;
    this.stir();
    if (i < 0) return this.tip("");
    const { curves, plot, phi } = this, value = curves.value(i, phi), all = Array.from({ length: curves.n }, (_, j) => curves.value(j, phi));
    const words = `${featureName(curves.scene, i)}: curve no. ${count(1 + all.filter((v) => v > value).length)} of ${count(curves.n)} here, ${this.shown.includes(i) ? "in the set" : "not in the set"}`;
    this.tip(words, plot.x(phi), plot.y(value), plot.width);
    this.box.dataset.lit = String(i);
  }

  jump(phi, far = true) {
    this.play(false);
    this.unpick();
    this.move(phi, far);
  }

  /** Go to the next crossing: of those that change the set, or of all. */
  step(sign, all) {
    const { curves } = this;
    this.play(false);
    const every = all && curves.meetings ? [...curves.meetings].sort((a, b) => a.phi - b.phi) : curves.stops.map((phi) => ({ phi }));
    if (!every.length) return;
    const here = (this.picked ?? this).phi, gap = 1e-9;
    const next = sign > 0 ? every.find((m) => m.phi > here + gap) ?? every[0] : every.findLast((m) => m.phi < here - gap) ?? every.at(-1);
    const meeting = "i" in next ? next : curves.changeAt(curves.angles.indexOf(next.phi));
    const near = Math.abs(meeting.phi - this.phi) < QUARTER;
    this.move(meeting.phi, !near);
    this.pick(meeting);
  }

  /** Ring a crossing and say what happens there. */
  pick(meeting) {
    this.picked = meeting;
    this.tellChange(meeting);
    this.remember();
    this.stir();
  }

  visitCandidate(region) {
    const found = this.list.find((entry) => entry.region === region);
    const [from, to] = this.curves.edges(region);
    // the candidate's own best direction where its region holds it, else the region's middle
    const best = found ? this.curves.wrap(found.phi) : from;
    this.jump(from < best && best < to ? best : (from + to) / 2);
  }

  /** Take the crossing within reach, or begin to drag a curve or the direction. */
  press(x, y, reach) {
    this.stage.focus({ preventScroll: true });
    const row = this.curves.editable ? nearestTo(x, y, this.handles(), 10) : null;
    const meeting = row ? null : this.meetingNear(x, y, reach);
    this.play(false);
    if (meeting) {
      this.move(meeting.phi, true);
      this.pick(meeting);
      return false;
    }
    this.holding = row ? { row: row.i } : { scrub: true };
    if (!row) this.scrub(x);
  }

  release(done) {
    if (done && this.holding.moved) {
      const i = this.holding.row;
      this.reshaped = true;
      this.trigger?.("row", [i, +this.curves.V[2 * i].toFixed(3), +this.curves.V[2 * i + 1].toFixed(3)]);
    }
    if (done) this.remember();
    this.holding = null;
  }

  scrub(x) {
    this.unpick();
    this.move(Math.min(this.plot.angleAt(x), this.curves.end - 1e-9));
  }

  /** Drag the peak of a curve: the sets are worked out anew when it is let go. */
  reshape(holding, x, y) {
    const angle = this.plot.angleAt(x), value = Math.round(this.plot.y.back(y) * 100) / 100;
    const { V } = this.curves, i = holding.row;
    V[2 * i] = value * Math.sin(angle);
    V[2 * i + 1] = value * Math.cos(angle);
    holding.moved = true;
    this.plot.points.clear();
    this.stale = true;
    this.stir();
  }

  handles() { return Array.from({ length: this.curves.n }, (_, i) => this.plot.handle(i)); }

  meetingNear(x, y, reach) {
    const { curves, plot } = this, places = [];
    for (const meeting of curves.marked) {
      const px = plot.x(meeting.phi);
      // a change of the set counts as a little nearer than a crossing that changes nothing
      if (Math.abs(px - x) < reach) places.push({ meeting, x: px, y: plot.y(meeting.height) + (meeting.matters ? 0 : 1.5) });
    }
    return nearestTo(x, y, places, reach)?.meeting ?? null;
  }

  hint(x, y) {
    if (x === undefined) return this.tip("");
    const { curves, plot } = this, meeting = this.meetingNear(x, y, 9);
    const over = (strip) => strip && y >= strip.y && y <= strip.y + strip.height;
    let words = "";
    if (meeting) {
      const { before, after } = curves.around(meeting.phi);
      words = `${changeWords(curves, meeting, before, after)}, at ${degrees(meeting.phi)}`;
    } else if (this.curves.editable && nearestTo(x, y, this.handles(), 10)) words = "Drag to reshape this curve";
    else if (over(plot.sets)) {
      words = `The ${curves.k} highest here: ${setWords(curves, curves.setOf(curves.regionAt(plot.angleAt(x))))}`;
    } else if (over(plot.cells)) words = "A cell: no two curves cross between its ends, so their order stays the same";
    this.stage.style.cursor = meeting || over(plot.sets) || over(plot.cells) ? "pointer" : "ew-resize";
    this.tip(words, x, y, plot.width);
  }
}

const mount = shows(Input);
