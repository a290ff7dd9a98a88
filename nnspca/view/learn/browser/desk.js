// The desk: what a figure may ask of the page: controls, words, a new drawing, and a place in the link.

const FIGURES = {}; // name -> (desk) => figure; a figure draws itself with a brush, and may take hands and keys

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }; // right and down of a step

/** Put words into a place; what stands between ** is bold, what follows _ stands low, and no % begins a line. */
function write(place, said) {
  const words = said.replaceAll(" %", "\u00a0%");
  if (place.dataset.words === words) return;
  place.dataset.words = words;
  place.replaceChildren(...bold(words, (piece) => piece.split(/(_\{[^}]*\}|_[a-z]+)/).filter(Boolean)
    .map((part) => (part[0] === "_" ? element("sub", { textContent: part.replace(/[_{}]/g, "") }) : part))));
}

/** Level lines across a figure, each with its words at the left. */
function drawLevels(brush, marks, up, left, right, say = (mark) => `${Math.round(100 * mark)} %`) {
  for (const mark of marks) {
    brush.line([[left, up(mark)], [right, up(mark)]], { colour: brush.palette.grid, wide: 1 });
    brush.text(say(mark), left - 6, up(mark) + 5, { align: "right", size: SIZES.small });
  }
}

class Desk {
  constructor(lesson, data) {
    this.lesson = lesson;
    this.data = data;
    this.settings = []; // controls, in order: what the link's `at` holds first
    this.box = lesson.find(".controls");
    this.box.replaceChildren();
    this.canvas = lesson.find("canvas");
  }

  get scale() { return this.lesson.scale; }
  get palette() { return this.lesson.palette; }
  get link() { return this.lesson.link; }

  focused() { return this.canvas.matches(":focus-visible"); }

  /** The person changed something: draw it, and let the address say so. */
  changed() {
    this.lesson.touched = true;
    this.lesson.wake();
    this.lesson.remember();
  }

  say(words) { write(this.lesson.find("[data-say=readout]"), words); }

  name(words) { this.canvas.ariaLabel = words; }

  /** Begin a row of buttons. */
  row() { this.box.append(element("div", { className: "row" })); }

  /** A button beside the one before it, or in a row of its own. */
  button(label, press, { primary = false, title = "" } = {}) {
    const node = button({ textContent: label, title, className: primary ? "primary" : "", onclick: press });
    if (this.box.lastChild?.className !== "row") this.row();
    this.box.lastChild.append(node);
    return node;
  }

  /** The height of a figure with much to say beside it: a share of its width, and most pixels. */
  flat(share, most) { return { flat: true, tall: (width) => Math.min(share * width, most * this.scale) }; }

  /** A number to slide; `say` turns it into words. */
  slider(label, { low, high, step = 1, value, say = String }) {
    const input = element("input", { type: "range", min: low, max: high, step, value, ariaLabel: label }), output = element("output");
    const control = {
      get value() { return Number(input.value); },
      set value(next) { input.value = String(next); tell(); },
      limit(most) { input.max = String(most); tell(); },
    };
    const tell = () => {
      output.textContent = say(Number(input.value));
      input.ariaValueText = output.textContent;
    };
    input.addEventListener("input", () => { tell(); this.changed(); });
    const slide = element("div", { className: "slide" }, element("span", { textContent: label }), output, input);
    control.show = (on) => { slide.hidden = !on; };
    this.box.append(slide);
    tell();
    this.settings.push(control);
    return control;
  }

  /** One of several, as buttons; its value is the place of the one pressed. */
  choice(label, options, value = 0) {
    const onclick = (at) => () => { control.value = at; this.changed(); };
    const buttons = options.map((words, at) => button({ textContent: words, onclick: onclick(at) }));
    const control = {
      place: value,
      get value() { return this.place; },
      set value(next) {
        this.place = clamp(Math.round(next), 0, options.length - 1);
        buttons.forEach((one, at) => { one.ariaPressed = String(at === this.place); });
      },
    };
    this.box.append(element("fieldset", {}, element("legend", { textContent: label }), ...buttons));
    control.value = value;
    this.settings.push(control);
    return control;
  }

  /** Call `beat` again and again until it returns false; at once to the end where things should keep still. */
  play(beat, every = 70) {
    clearInterval(this.clock);
    if (prefersStill()) {
      for (let beats = 0; beats < 2000 && beat(); beats++);
      this.changed();
      return;
    }
    this.clock = setInterval(() => {
      if (!beat()) clearInterval(this.clock);
      this.changed();
    }, every);
  }

  stop() { clearInterval(this.clock); }
}
