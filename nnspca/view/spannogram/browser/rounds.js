// The player of the sphere: the ball turned, by Play or by hand, or the rounds of the search played, stepped and slid through.

const BEAT = 900; // milliseconds a round is shown

class Rounds extends Turning {
  constructor(root, data) {
    super(root, ".sphere", ".stage");
    this.stage = this.watched;
    this.canvas = this.find(".ball");
    this.chart = this.find(".closing");
    this.slider = this.find("input[type=range]");
    this.switch = this.find("[data-do=cells]");
    this.speed = 1;
    this.switch.checked = data.withCells;
    this.listen();
    this.take(data);
  }

  /** Take a search; the same one again keeps everything as it is. */
  take(data) {
    const first = this.signature === undefined;
    if (!this.renewed(data)) return;
    this.ball = new Ball(data);
    this.slider.max = String(this.ball.last);
    this.change();
    this.say("plain", data.plain);
    this.say("most", data.mostText);
    this.say("note", data.note);
    this.go(first ? Math.min(data.at, this.ball.last) : 0, false);
  }

  listen() {
    const acts = {
      play: () => this.play(!this.playing),
      back: () => this.turn(-1),
      next: () => this.turn(1),
      best: () => { this.ball.face(this.ball.direction(this.round)); this.wake(); },
    };
    this.root.addEventListener("click", (event) => acts[event.target.closest("button[data-do]")?.dataset.do]?.());
    this.slider.addEventListener("input", () => { this.play(false); this.go(Number(this.slider.value)); });
    this.switch.addEventListener("change", () => { this.change(); this.remember(); });
    this.box.addEventListener("keydown", (event) => this.key(event));
    followPointer(this.stage, {
      press: (x, y) => {
        this.stage.focus({ preventScroll: true });
        this.grabbed = [x, y];
      },
      drag: (x, y) => {
        const { radius } = this.ball;
        this.spin((x - this.grabbed[0]) / radius, (y - this.grabbed[1]) / radius);
        this.grabbed = [x, y];
      },
      hover: (x, y) => {
        const seen = x !== undefined && this.ball.seenAt(x, y);
        if (!seen) return this.tip("");
        const { set, value } = this.ball.setAt(seen);
        Object.assign(this.box.dataset, { pointed: set.join(), seen: seen.join(), worth: String(value) });
        this.tip(`${setWords(this.ball, set)}: objective ${figure(value)}`, x, y, this.ball.width);
      },
    });
  }

  key(event) {
    if (/^(BUTTON|SELECT)$/.test(event.target.tagName) || event.target.type === "checkbox") return;
    const step = Math.PI / 24, turns = { ArrowLeft: () => this.spin(-step, 0), ArrowRight: () => this.spin(step, 0),
      ArrowUp: () => this.spin(0, -step), ArrowDown: () => this.spin(0, step) };
    actOnKey(event, { " ": () => this.play(!this.playing), ...(event.target === this.stage ? turns : {}) });
  }

  spin(across, down) {
    this.ball.spin(across, down);
    this.spun = performance.now() + 200;
    this.wake();
  }

  /** Show the regions, or the cells of the search. */
  change() {
    const cells = this.switch.checked, still = cells && this.ball.last === 0;
    this.play(false);
    this.box.toggleAttribute("data-cells", cells);
    this.find(".worth").hidden = !(cells || this.ball.n > FEW);
    for (const control of [this.slider, ...this.root.querySelectorAll("[data-do=play], [data-do=back], [data-do=next]")]) control.disabled = still;
    this.say("change", `Press Play: it slows down where the set in front changes.${this.ball.n > FEW ? " The regions of so many features are too small to draw: the colour is the objective." : ""}`);
    this.wake();
  }

  play(on) {
    const cells = this.switch.checked;
    if (on && cells && this.round === this.ball.last) this.go(0);
    this.playing = on && !(cells && this.ball.last === 0);
    this.last = undefined;
    clearInterval(this.clock);
    if (this.playing && cells) this.clock = setInterval(() => this.beat(), BEAT);
    this.sayPlaying(this.playing, this.playing ? "Pause" : "▶ Play");
    this.wake();
  }

  get changes() { return this.ball.n > FEW ? Infinity : this.ball.order.size; }

  changeWithin(angle) { return this.ball.changeWithin(angle); }

  turnBy(angle) { this.ball.spin(angle, 0); }

  /** Say which set has come to the front. */
  tellChange({ before, after }) {
    const out = before.filter((i) => !after.includes(i)), into = after.filter((i) => !before.includes(i));
    this.say("change", changeWords(this.ball, { i: [...out, ...into][0], j: out.length && into.length ? into[0] : -1 }, before, after));
    Object.assign(this.find("[data-say=change]").dataset, { left: before.join(), right: after.join() });
  }

  /** Say which set is in front, and what it is worth. */
  describe() {
    const { ball, round } = this, { set, value } = ball.setAt(ball.turn[2]), words = `Set in front: ${setWords(ball, set)}`;
    this.canvas.ariaLabel = this.switch.checked ? `The sphere of directions after round ${round}: ${ball.open[round]} open cells are outlined boldly, `
      + "the closed ones faintly; a diamond marks the best direction, a star once it is proven optimal." : `The sphere of directions in regions of one set each. ${words}`;
    this.say("set", words);
    this.say("goal", `Objective ${figure(value)} (optimum ${ball.valuesText[ball.last]})`);
    Object.assign(this.box.dataset, { set: set.join(), front: ball.turn[2].join(), objective: String(value) });
  }

  beat() {
    this.go(this.round + 1);
    if (this.round === this.ball.last) this.play(false);
  }

  /** Go a round on or back. */
  turn(by) {
    this.play(false);
    const there = clamp(this.round + by, 0, this.ball.last);
    if (there !== this.round) this.go(there);
  }

  go(round, byHand = true) {
    const { ball } = this;
    this.round = round;
    this.slider.value = String(round);
    this.slider.setAttribute("aria-valuetext", `round ${round} of ${ball.last}: ${ball.verdicts[round].replaceAll("**", "")}`);
    this.say("round", `${round} of ${ball.last}`);
    this.find("[data-say=verdict]").replaceChildren(...bold(ball.verdicts[round]));
    this.say("open", count(ball.open[round]));
    this.say("examined", count(ball.examined[round]));
    this.say("value", ball.valuesText[round]);
    this.say("upper", ball.uppersText[round]);
    Object.assign(this.box.dataset, { round: String(round), last: String(ball.last), open: String(ball.open[round]),
      value: String(ball.values[round]), upper: String(ball.uppers[round]) });
    this.chart.setAttribute("aria-label", `Best value and upper bound by round: after round ${round} the best is `
      + `${ball.valuesText[round]}, the upper bound ${ball.uppersText[round]}.`);
    if (byHand) this.remember();
    this.wake();
  }

  /** Let the address say what is shown. */
  write() {
    this.touched = true;
    const cells = this.switch.checked;
    sayInAddress(this.home, { round: cells && this.round, cells });
  }

  resized() { this.wake(); }

  tick(now) {
    const width = this.stage.clientWidth;
    if (!width) return;
    const palette = (this.palette = wearing(this.box));
    this.box.style.setProperty("--open", palette.upper_bound);
    this.box.style.setProperty("--closed", palette.quiet);
    this.box.style.setProperty("--found", palette.found);
    const scale = [palette.empty, ...palette.positive];
    this.box.style.setProperty("--scale", `linear-gradient(to right, ${scale.join(", ")})`);
    const room = roomBelow(this.stage) - (isScene() ? 26 : 44);
    const height = Math.round(Math.min(width, Math.max(isScene() ? 200 : 300, Math.min(room, 620))));
    const { ball } = this, cells = this.switch.checked, turning = this.playing && !cells;
    if (turning) this.advance(now);
    this.last = now;
    ball.layout(width, height, palette, cells, turning || now < this.spun);
    ball.draw(sizedPen(this.canvas, width, height), cells ? this.round : ball.last, this.flash(now));
    this.describe();
    const wide = this.chart.clientWidth;
    const tall = Math.max(110, Math.min(height - 190, 240));
    if (wide) drawClosing(brushOn(this.chart, palette, wide, tall), ball, this.round);
    if (turning || now < Math.max(this.flashing ?? 0, this.spun ?? 0)) this.wake();
  }

  look() {
    super.look();
    if (this.touched && !this.playing) this.write(); // a request for another view carries it
  }

  detach() {
    this.play(false);
    super.detach();
  }
}

const mount = shows(Rounds);
