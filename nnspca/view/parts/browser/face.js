// Parts on one picture: hover isolates, a press hides, numbers stand beside colours.

const faces = new WeakMap();

class Face {
  constructor(root) {
    this.root = root;
    this.box = root.querySelector(".face");
    this.picture = root.querySelector(".picture");
    this.list = root.querySelector("ol");
    this.hidden = new Set();
    this.alone = null;
  }

  take(data) {
    if (data.signature === this.signature) return;
    this.signature = data.signature;
    this.colours = data.colours;
    this.scene = readScene(data.scene);
    this.noun = data.noun;
    this.parts = data.parts.map((part) => ({ ...part, support: unpack(part.support), weights: unpack(part.weights) }));
    this.hidden = new Set([...this.hidden].filter((r) => r < this.parts.length));
    this.list.replaceChildren(...this.parts.map((part, r) => this.entry(part, r)));
    this.draw();
  }

  entry(part, r) {
    const item = document.createElement("li"), button = document.createElement("button");
    const chip = document.createElement("i"), words = document.createElement("span");
    button.type = "button";
    chip.textContent = String(r + 1);
    chip.style.background = part.colour;
    words.textContent = part.says.replace(" %", "\u00a0%");
    button.setAttribute("aria-label", `Part ${r + 1}: ${part.says} of the total variance`);
    button.title = part.where;
    if (part.names.length) {
      const names = document.createElement("small");
      names.textContent = part.names.join(", ");
      words.append(names);
    }
    button.setAttribute("aria-pressed", String(!this.hidden.has(r)));
    const isolate = (on) => { this.alone = on && !this.hidden.has(r) ? r : null; this.draw(); };
    button.addEventListener("pointerenter", () => isolate(true));
    button.addEventListener("pointerleave", () => isolate(false));
    button.addEventListener("focus", () => button.matches(":focus-visible") && isolate(true));
    button.addEventListener("blur", () => isolate(false));
    button.addEventListener("click", () => {
      if (!this.hidden.delete(r)) this.hidden.add(r);
      button.setAttribute("aria-pressed", String(!this.hidden.has(r)));
      isolate(!this.hidden.has(r));
    });
    button.append(chip, words);
    item.append(button);
    return item;
  }

  draw() {
    const { clientWidth: wide, clientHeight: tall } = this.picture;
    if (!wide || !this.parts) return;
    this.palette = wearing(this.box, this.colours);
    const seen = this.parts.map((_, r) => r).filter((r) => (this.alone === null ? !this.hidden.has(r) : r === this.alone));
    const pen = sizedPen(this.picture, wide, tall);
    const box = drawScene(pen, wide, tall, this.scene, seen.map((r) => this.parts[r]), this.palette);
    if (this.scene.image) for (const r of seen) this.number(pen, box, r);
    this.picture.setAttribute("aria-label", seen.map((r) => `part ${r + 1}: ${this.parts[r].says}`).join("; ") || "no part");
    this.box.dataset.seen = seen.map((r) => r + 1).join(",");
  }

  /** Write a part's number on the feature of it that lies nearest its middle. */
  number(pen, box, r) {
    const { support } = this.parts[r], at = (i) => [i % box.columns, Math.floor(i / box.columns)];
    if (!support.length) return;
    const middle = [0, 1].map((c) => support.reduce((sum, i) => sum + at(i)[c], 0) / support.length);
    const away = (i) => Math.hypot(at(i)[0] - middle[0], at(i)[1] - middle[1]);
    const [column, row] = at(support.reduce((best, i) => (away(i) < away(best) ? i : best), support[0]));
    const x = box.x + (column + 0.5) * box.scale, y = box.y + (row + 0.5) * box.scale;
    pen.fillStyle = "rgba(255, 255, 255, 0.85)";
    pen.beginPath();
    pen.arc(x, y, 10, 0, 7);
    pen.fill();
    pen.fillStyle = "#000";
    pen.font = `700 13px ${this.palette.font}`;
    pen.textAlign = "center";
    pen.fillText(String(r + 1), x, y + 4.5);
  }

  attach() {
    if (this.observer) return;
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.box);
    this.watching = setInterval(() => this.palette && wearing(this.box, this.colours).paper !== this.palette.paper && this.draw(), 400);
  }

  detach() {
    this.observer?.disconnect();
    this.observer = undefined;
    clearInterval(this.watching);
  }
}

export default function ({ data, parentElement }) {
  let face = faces.get(parentElement);
  if (!face || !parentElement.contains(face.box)) {
    face?.detach();
    face = new Face(parentElement);
    faces.set(parentElement, face);
  }
  face.take(data);
  face.attach();
  return leaving(face);
}
