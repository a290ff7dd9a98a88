// Parts on one picture: hover isolates, a press hides, numbers stand beside colours.

class Face extends Shown {
  constructor(root) {
    super(root, ".face");
    this.picture = this.find(".picture");
    this.list = this.find("ol");
    this.hidden = new Set();
    this.alone = null;
  }

  take(data) {
    if (!this.renewed(data)) return;
    this.scene = readScene(data.scene);
    this.noun = data.noun;
    this.parts = data.parts.map((part) => ({ ...part, support: unpack(part.support), weights: unpack(part.weights) }));
    this.hidden = new Set([...this.hidden].filter((r) => r < this.parts.length));
    this.list.replaceChildren(...this.parts.map((part, r) => this.entry(part, r)));
    this.draw();
  }

  entry(part, r) {
    const chip = element("i", { textContent: String(r + 1) }), words = element("span", { textContent: part.says.replace(" %", "\u00a0%") });
    chip.style.background = part.colour;
    if (part.names.length) words.append(element("small", { textContent: part.names.join(", ") }));
    const isolate = (on) => { this.alone = on && !this.hidden.has(r) ? r : null; this.draw(); };
    const pressed = () => String(!this.hidden.has(r));
    const key = button({
      title: part.where,
      ariaLabel: `Part ${r + 1}: ${part.says} of the total variance`,
      ariaPressed: pressed(),
      onpointerenter: () => isolate(true),
      onpointerleave: () => isolate(false),
      onfocus: () => key.matches(":focus-visible") && isolate(true),
      onblur: () => isolate(false),
      onclick: () => {
        if (!this.hidden.delete(r)) this.hidden.add(r);
        key.ariaPressed = pressed();
        isolate(!this.hidden.has(r));
      },
    }, chip, words);
    return element("li", {}, key);
  }

  resized() { this.draw(); }
  resize() { this.draw(); }

  draw() {
    if (!this.picture.clientWidth || !this.parts) return;
    this.palette = wearing(this.box, this.colours);
    const seen = this.parts.map((_, r) => r).filter((r) => (this.alone === null ? !this.hidden.has(r) : r === this.alone));
    const brush = brushOn(this.picture, this.palette);
    const box = drawScene(brush, this.scene, seen.map((r) => this.parts[r]));
    if (this.scene.image) for (const r of seen) this.number(brush, box, r);
    this.picture.setAttribute("aria-label", seen.map((r) => `part ${r + 1}: ${this.parts[r].says}`).join("; ") || "no part");
    this.box.dataset.seen = seen.map((r) => r + 1).join(",");
  }

  /** Write a part's number on the feature of it that lies nearest its middle. */
  number(brush, box, r) {
    const { support } = this.parts[r];
    if (!support.length) return;
    const at = (i) => { const [left, top, wide] = box.frame(i); return [left + wide / 2, top + wide / 2]; };
    const middle = [0, 1].map((c) => support.reduce((sum, i) => sum + at(i)[c], 0) / support.length);
    const away = (i) => Math.hypot(at(i)[0] - middle[0], at(i)[1] - middle[1]);
    const [x, y] = at(support.reduce((best, i) => (away(i) < away(best) ? i : best)));
    brush.dot(x, y, 10, { fill: "rgba(255, 255, 255, 0.85)", edge: null });
    brush.text(String(r + 1), x, y + 4.5, { size: 13, bold: true, align: "center", colour: "#000" });
  }
}

export default function ({ data, parentElement }) {
  const face = shownAt(parentElement, () => new Face(parentElement));
  face.take(data);
  return face.attach();
}
