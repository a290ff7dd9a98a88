// The player of the sphere: rounds played, stepped and slid through, the ball turned by hand.

const BEAT = 900; // milliseconds a round is shown
const FADE = 420; // of them until what it brought has come in

class Rounds extends Shown {
  constructor(root, data) {
    super(root, ".sphere", ".stage");
    this.stage = this.watched;
    this.canvas = this.find(".ball");
    this.chart = this.find(".closing");
    this.slider = this.find("input[type=range]");
    this.listen();
    this.take(data);
  }

  /** Take a search; the same one again keeps everything as it is. */
  take(data) {
    const first = this.signature === undefined;
    if (!this.renewed(data)) return;
    this.ball = new Ball(data);
    this.playing = false;
    this.slider.max = String(this.ball.last);
    for (const control of [this.slider, ...this.root.querySelectorAll("[data-do=play], [data-do=back], [data-do=next]")]) {
      control.disabled = this.ball.last === 0;
    }
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
        this.tip(seen && `objective about ${Number((this.ball.worth(seen) * this.ball.most).toPrecision(2))}`, x, y, this.ball.width);
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
    this.wake();
  }

  play(on) {
    if (on && this.round === this.ball.last) this.go(0);
    this.playing = on && this.ball.last > 0;
    clearInterval(this.clock);
    if (this.playing) this.clock = setInterval(() => this.beat(), BEAT);
    this.sayPlaying(this.playing, this.playing ? "Pause" : "▶ Play");
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
    this.changed = byHand && !prefersStill() ? performance.now() : -Infinity;
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
    this.canvas.setAttribute("aria-label", `The sphere of directions after round ${round}: `
      + `${ball.open[round]} open cells are outlined boldly, the closed ones faintly; a diamond marks the best direction, a star once it is proven optimal.`);
    this.chart.setAttribute("aria-label", `Best value and upper bound by round: after round ${round} the best is `
      + `${ball.valuesText[round]}, the upper bound ${ball.uppersText[round]}.`);
    if (byHand) this.remember();
    this.wake();
  }

  /** Let the address say what is shown. */
  write() {
    this.touched = true;
    sayInAddress(this.home, { round: this.round });
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
    this.ball.layout(width, height, palette);
    const fresh = Math.max(0, 1 - (now - this.changed) / FADE);
    this.ball.draw(sizedPen(this.canvas, width, height), this.round, fresh);
    const wide = this.chart.clientWidth;
    const tall = Math.max(110, Math.min(height - 190, 240));
    if (wide) drawClosing(brushOn(this.chart, palette, wide, tall), this.ball, this.round);
    if (fresh > 0) this.wake();
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
