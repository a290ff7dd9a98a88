// The lesson: one chapter at a time, named in a list; its place is in the address, and no chapter asks the server.

const KEYS = ["step", "board", "painted", "best", "at", "guess"];
const SKIPPED = "none"; // said in the address instead of a guess

/** What the address says of the lesson. */
function readLink() {
  const said = new URLSearchParams(location.search);
  return Object.fromEntries(KEYS.map((key) => [key, said.get(key) ?? ""]));
}

class Lesson extends Shown {
  constructor(root, data) {
    super(root, ".lesson");
    this.data = data;
    this.canvas = this.find("canvas");
    const said = readLink(), before = window.nnspcaLesson;
    // who comes back from another page finds the lesson as it was left
    const resumed = before && !Object.values(said).some(Boolean) ? before : null;
    this.link = resumed?.link ?? said;
    this.places = resumed?.places ?? {};
    this.seen = resumed?.seen ?? new Set();
    this.guesses = resumed?.guesses ?? {};
    if (said.guess) this.guesses[Number(said.step)] = said.guess;
    this.build();
    this.listen();
    const wanted = Number(this.link.step);
    this.palette = wearing(this.box);
    this.go(Number.isInteger(wanted) && data.steps[wanted] ? wanted : 0, false);
    if (resumed) this.remember();
  }

  say(what, words) { write(this.find(`[data-say=${what}]`), words); }
  get scale() { return document.fullscreenElement || this.box.matches(":fullscreen") ? 1.4 : 1; }

  build() {
    this.chapters = this.data.steps.map((step, at) => {
      const name = element("span", { textContent: step.name });
      return button({ title: step.title, ariaLabel: at ? `Chapter ${at}: ${step.title}` : step.title, onclick: () => this.go(at) },
        at ? `${at} ` : "▶ ", name);
    });
    this.find(".chapters").replaceChildren(...this.chapters.map((one) => element("li", {}, one)));
  }

  /** Open a chapter. */
  go(at, byHand = true) {
    if (this.desk) { this.places[this.at] = this.state(); this.desk.stop(); this.figure?.leave?.(); }
    this.at = at;
    this.seen.add(at);
    const step = this.data.steps[at];
    if (byHand) this.link = { ...this.link, at: this.places[at] ?? "" };
    this.link.guess = this.guesses[at] ?? "";
    this.link.step = at ? String(at) : "";
    this.say("title", at ? `${at}. ${step.title}` : step.title);
    this.tell(step);
    this.find(".question").open = false;
    this.find("[data-do=back]").disabled = at === 0;
    this.find("[data-do=next]").disabled = at === this.data.steps.length - 1;
    this.chapters.forEach((one, chapter) => {
      one.classList.toggle("seen", this.seen.has(chapter));
      one.ariaCurrent = chapter === at ? "step" : null;
    });
    this.open(step);
    if (byHand) {
      this.find("h2").focus({ preventScroll: true });
      this.remember();
    }
    this.box.dataset.step = String(at);
  }

  /** Say a chapter's words around its figure. */
  tell({ symbols, deeper: [words, address], ...said }) {
    for (const what of ["idea", "question", "answer"]) this.say(what, said[what]);
    this.find(".symbols").replaceChildren(...symbols.flatMap(([sign, meaning]) =>
      [["dt", sign], ["dd", meaning]].map(([kind, told]) => { const node = element(kind); write(node, told); return node; })));
    Object.assign(this.find(".deeper a"), { textContent: `${words}\u00a0→`, href: address });
  }

  /** Put the chapter's figure on the desk, in the state that the link names. */
  open(step) {
    this.desk = new Desk(this, this.data.figures[step.figure] ?? {});
    this.touched = false;
    delete this.canvas.dataset.plays;
    this.figure = FIGURES[step.figure](this.desk);
    const numbers = this.link.at.split("_").map(Number);
    if (this.link.at && numbers.every(Number.isFinite)) {
      this.desk.settings.forEach((control, i) => { if (i < numbers.length) control.value = numbers[i]; });
      this.figure.take?.(numbers.slice(this.desk.settings.length));
    }
    const plays = this.figure.press || this.figure.key;
    if (plays) this.canvas.dataset.plays = this.figure.plays ?? "all";
    this.predict(step);
    this.find(".floor").classList.toggle("flat", Boolean(this.figure.flat) && !isScene());
    this.canvas.role = plays ? "application" : "img";
    if (plays) this.canvas.tabIndex = 0;
    else this.canvas.removeAttribute("tabindex");
    this.wake();
  }

  /** Ask before the figure is seen or moved; then say what was guessed, and what it is. A link to a setting asks nothing. */
  predict({ predict: question, figure }) {
    const told = this.link.guess, asks = Boolean(question) && !told && !this.link.at, guess = Number(told);
    const take = (value) => {
      this.guesses[this.at] = this.link.guess = String(value);
      this.go(this.at, false);
      this.remember();
    };
    const skip = button({ textContent: "Skip", onclick: () => take(SKIPPED) });
    const fits = question && told && (question.options ? question.options[guess] : guess >= question.low && guess <= question.high);
    const words = fits ? [element("p", { textContent: `You guessed: ${guessWords(question, guess)}. It is ${guessWords(question, this.data.figures[figure].answer)}.` })] : [];
    const asked = asks ? askFor(question, take) : words;
    if (asks) asked.at(-1).append(skip);
    this.find(".predict").replaceChildren(...asked);
    this.box.classList.toggle("asking", asks);
  }

  state() {
    const numbers = [...this.desk.settings.map((control) => control.value), ...(this.figure.values?.() ?? [])];
    return numbers.map((value) => Number(value.toFixed(3))).join("_");
  }

  /** Let the address say where the person is, without asking the server anything. */
  write() {
    clearTimeout(this.writing);
    this.link.at = this.touched || this.link.at ? this.state() : "";
    window.nnspcaLesson = { link: this.link, places: this.places, seen: this.seen, guesses: this.guesses };
    sayInAddress(this.home, Object.fromEntries(KEYS.map((key) => [key, this.link[key]])));
  }

  listen() {
    const { canvas } = this;
    this.find("[data-do=back]").addEventListener("click", () => this.turn(-1));
    this.find("[data-do=next]").addEventListener("click", () => this.turn(1));
    this.find("[data-do=copy]").addEventListener("click", () => this.copy());
    this.find("[data-do=full]").addEventListener("click", () =>
      (document.fullscreenElement ? document.exitFullscreen() : this.box.requestFullscreen()));
    followPointer(canvas, {
      press: (x, y) => {
        if (!this.figure.press || this.figure.press(x, y) === false) return false;
        this.desk.changed();
      },
      drag: (x, y) => { this.figure.drag?.(x, y); this.desk.changed(); },
      release: () => { this.figure.release?.(); this.desk.changed(); },
      hover: (x = -1, y = -1) => { if (this.figure.hover) { this.figure.hover(x, y); this.wake(); } },
    });
    canvas.addEventListener("focus", () => this.wake());
    canvas.addEventListener("blur", () => this.wake());
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.figure.key?.(event)) return;
      event.preventDefault();
      event.stopPropagation();
      this.desk.changed();
    });
  }

  /** Arrows change the chapter wherever they mean nothing else; so do the keys of a presenter's pointer in full screen. */
  byKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const target = event.composedPath()[0];
    const ours = target === document.body || this.box.contains(target);
    if (!ours || target === this.canvas || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    const full = this.scale > 1, turns = { ArrowLeft: -1, ArrowRight: 1, ...(full ? { PageUp: -1, PageDown: 1 } : {}) };
    if (!turns[event.key]) return;
    event.preventDefault();
    this.turn(turns[event.key]);
  }

  /** Go a chapter on or back, where there is one. */
  turn(by) {
    if (this.data.steps[this.at + by]) this.go(this.at + by);
  }

  async copy() {
    this.write();
    const content = this.at ? "this chapter and what you set in it" : "your pixels and the best so far";
    try {
      await navigator.clipboard.writeText(location.href);
      this.toast(`Copied. The link holds ${content}; it never holds data.`);
    } catch {
      this.toast(`Copy the address above: it holds ${content}; it never holds data.`);
    }
  }

  toast(words) {
    write(this.find(".toast"), words);
    clearTimeout(this.toasting);
    this.toasting = setTimeout(() => write(this.find(".toast"), ""), 8000);
  }

  resized() { if (this.find(".stage").clientWidth !== this.stage) this.wake(); }

  resize() { if (!this.stage) this.tick(); super.resize(); } // the first figure has its room at once

  tick() {
    const stage = this.find(".stage").clientWidth;
    if (!stage) return;
    const room = isScene() ? roomBelow(this.canvas) - 20 : this.scale > 1 ? 0 : Math.max(innerHeight - (this.figure.flat ? 330 : 245), 400);
    this.palette = wearing(this.box);
    let width = stage;
    while (room > 0 && width > 320 && this.figure.tall(width) > room) width -= 10; // a figure is no taller than its screen
    this.canvas.style.width = width < stage ? `${width}px` : "";
    const height = Math.round(this.figure.tall(width));
    this.figure.draw(new Brush(sizedPen(this.canvas, width, height), width, height, this.palette, this.scale));
    Object.assign(this, { width, stage });
  }

  detach() {
    this.write();
    this.desk.stop();
    super.detach();
  }
}

const mount = shows(Lesson);
