// The six questions: each moves the picture to where it can be answered, asks, and plays the answer.

const GLIDE = 1300; // milliseconds a step's movement takes

class Tour {
  constructor(show, step) {
    this.show = show;
    this.box = show.find(".tour");
    this.home = location.pathname;
    this.step = 0;
    this.box.addEventListener("click", (event) => this.press(event.target.closest("button")));
    this.find("ol").replaceChildren(...EXAMPLES.map((_, at) => element("li", {},
      button({ textContent: String(at + 1), ariaLabel: `Question ${at + 1} of ${EXAMPLES.length}`, dataset: { step: at + 1 } }))));
    this.go(step, false);
  }

  find(selector) { return this.box.querySelector(selector); }

  press(pressed) {
    if (!pressed) return;
    const { step, option, turn, do: name } = pressed.dataset;
    if (option) this.answer(Number(option));
    else this.go(step ? Number(step) : turn ? clamp(this.step + Number(turn), 0, EXAMPLES.length) : name === "again" ? this.step : 0);
  }

  go(step, byHand = true) {
    const { show } = this;
    this.stop();
    this.step = step;
    this.answered = false;
    show.touring = step > 0;
    this.example = step ? EXAMPLES[step - 1](show.curves) : null;
    const { example } = this;
    this.box.dataset.step = String(step);
    delete this.box.dataset.answered;
    this.box.hidden = !step;
    show.find("[data-do=tour]").ariaExpanded = String(step > 0);
    this.find("[data-do=again]").hidden = true;
    this.regions = new Set([example?.phi ?? example?.to].filter((phi) => phi !== undefined).map((phi) => show.curves.regionAt(phi)));
    this.say("caption", example?.caption ?? "");
    this.say("question", example ? example.question ?? example.none : "");
    this.say("answer", "");
    this.find(".options").replaceChildren(...(example?.options ?? []).map((textContent, at) => button({ textContent, dataset: { option: at } })));
    for (const one of this.box.querySelectorAll("[data-step]")) one.ariaCurrent = Number(one.dataset.step) === step ? "step" : null;
    this.find("[data-turn='-1']").disabled = step === 0;
    const next = this.find("[data-turn='1']");
    next.disabled = step === EXAMPLES.length;
    if (example) {
      show.play(false);
      show.unpick();
      const phi = example.phi ?? example.to;
      if (phi !== undefined) this.glide(phi, true);
      show.hinted = example.meeting ?? null;
    } else {
      show.hinted = null;
      if (byHand) show.rest();
    }
    show.resize();
    if (byHand) {
      this.touched = true;
      this.write();
      if (step) this.box.scrollIntoView({ block: "nearest" });
      if (step && this.box.getBoundingClientRect().top > 0.3 * innerHeight) this.box.scrollIntoView({ block: "start" });
    }
    show.dirty = true;
    show.wake();
  }

  /** The picture was turned: a question that it has moved past goes. */
  passed() {
    const { example, show } = this;
    if (!example || this.moving || example.anywhere || this.regions.has(show.curves.region)) return;
    this.example = null;
    show.hinted = null;
    this.say("question", "");
    this.say("answer", "");
    this.find(".options").replaceChildren();
    this.find("[data-do=again]").hidden = false;
    this.box.dataset.answered = "passed";
  }

  /** Let the address say which step is open, even where the page has just written it anew. */
  write() { if (this.touched) sayInAddress(this.home, { step: this.step }); }

  /** Show what is right; `option` is what the person predicted, −1 for no prediction. */
  answer(option) {
    const { example } = this;
    this.answered = true;
    this.box.dataset.answered = option < 0 ? "shown" : String(option === example.right);
    for (const one of this.box.querySelectorAll("[data-option]")) {
      const at = Number(one.dataset.option);
      Object.assign(one, { disabled: true, ariaPressed: String(at === option) });
      one.classList.toggle("right", at === example.right);
    }
    const verdict = option < 0 ? "" : option === example.right ? "**Yes.** " : "**No.** ";
    this.say("answer", verdict + example.answer);
    this.regions.add(this.show.curves.regionAt(example.to));
    this.glide(example.to, false);
  }

  /** Move the direction there, as a person can follow; at once where things should keep still. */
  glide(to, jump) {
    const { show } = this, from = show.phi;
    this.stop();
    this.moving = true;
    let begun;
    const beat = (now) => {
      begun ??= now;
      const share = prefersStill() || from === to ? 1 : Math.min((now - begun) / GLIDE, 1), eased = share * share * (3 - 2 * share);
      show.move(share === 1 ? to : from + eased * (to - from), jump);
      this.moving = share < 1 && show.attached;
      if (this.moving) this.gliding = requestAnimationFrame(beat);
    };
    beat(performance.now());
  }

  /** Leave the direction where it is. */
  stop() {
    cancelAnimationFrame(this.gliding);
    this.moving = false;
  }

  say(what, words) { this.find(`[data-say=${what}]`).replaceChildren(...bold(words)); }
}

/** The door: one show for each place on the page, kept while the page sends new data. */
export default function (component) {
  const { data, parentElement } = component, show = shownAt(parentElement, () => new Input(parentElement, data));
  const before = show.signature;
  show.take(data);
  if (!show.tour) show.tour = new Tour(show, data.step);
  else if (show.signature !== before) show.tour.go(show.tour.step, false); // with an example of the other curves
  return show.attach(component);
}
