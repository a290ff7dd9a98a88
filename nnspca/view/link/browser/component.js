// A component or several parts on one picture: hover tells, a press hides or chooses a part, frames mark what is proven.

class Picture extends Shown {
  constructor(root) {
    super(root, ".component");
    this.picture = this.find(".picture");
    this.list = this.find("ol");
    this.hidden = new Set();
    this.alone = null;
    this.chosen = 0;
    this.picture.addEventListener("pointermove", (event) => this.hint(...placeOf(event, this.picture)));
    this.picture.addEventListener("pointerleave", () => this.tip(""));
  }

  take(data) {
    if (!this.renewed(data)) return;
    this.data = data;
    this.scene = readScene(data.scene);
    this.weigh = (weight) => (data.what.startsWith("%") ? `${floorTo(weight, 1)} ${data.what}` : `${data.what} ${decimals(weight, 4)}`);
    if (data.what.startsWith("%")) Object.assign(this.scene, { weights: "shares", say: (share) => `${floorTo(share, 0)} %` });
    else if (data.what !== "loading") Object.assign(this.scene, { weights: `${data.what}s`, say: tick });
    this.parts = data.parts.map((part) => ({ ...part, support: unpack(part.support), weights: unpack(part.weights) }));
    this.hidden = new Set([...this.hidden].filter((r) => r < this.parts.length));
    if (this.chosen >= this.parts.length) this.chosen = 0;
    this.list.replaceChildren(...(this.parts.length > 1 ? this.parts.map((part, r) => this.entry(part, r)) : []));
    this.say("note", data.note || (this.parts.length < 2 ? this.parts[0]?.says ?? "" : data.single
      ? "Features and share of the total variance. These parts share features: press one to see it."
      : "Features and share of the total variance. Point at a part to see it alone; press it to hide it."));
    this.draw();
  }

  entry(part, r) {
    const chip = element("i", { textContent: String(r + 1) }), words = element("span", { textContent: part.says.replace(" %", "\u00a0%") });
    chip.style.background = part.colour;
    if (part.names.length) words.append(element("small", { textContent: part.names.join(", ") }));
    const isolate = (on) => { this.alone = on && !this.hidden.has(r) ? r : null; this.draw(); };
    return element("li", {}, button({
      title: part.where,
      ariaLabel: `Part ${r + 1}: ${part.says}`,
      onpointerenter: () => isolate(true),
      onpointerleave: () => isolate(false),
      onfocus: ({ target }) => target.matches(":focus-visible") && isolate(true),
      onblur: () => isolate(false),
      onclick: () => {
        if (this.data.single) this.chosen = r;
        else if (!this.hidden.delete(r)) this.hidden.add(r);
        isolate(!this.hidden.has(r));
      },
    }, chip, words));
  }

  get seen() {
    if (this.alone !== null) return [this.alone];
    return this.data.single ? [this.chosen] : this.parts.map((_, r) => r).filter((r) => !this.hidden.has(r));
  }

  resized() { this.draw(); }
  resize() { this.draw(); }

  draw() {
    if (!this.picture.clientWidth || !this.parts) return;
    this.palette = wearing(this.box);
    if (this.parts.length === 1 && this.scene.names) this.picture.style.height = `${Math.min(420, 40 + 24 * Math.max(3, this.parts[0].support.length))}px`;
    const { seen, palette, parts } = this, brush = brushOn(this.picture, palette);
    const signed = { colour: palette.series[1], negative: palette.found };
    this.drawn = drawScene(brush, this.scene, seen.map((r) => ({ ...parts[r], ...(this.data.single || !parts[r].colour ? signed : {}) })));
    for (const r of seen) {
      this.frames(brush, parts[r].sure ?? [], 2.5);
      this.frames(brush, parts[r].open ?? [], 1.5, [3, 3]);
      if (this.scene.image && parts.length > 1 && !this.data.single) this.number(brush, r);
    }
    this.list.querySelectorAll("button").forEach((one, r) => { one.ariaPressed = String(this.data.single ? r === this.chosen : !this.hidden.has(r)); });
    this.picture.setAttribute("aria-label", seen.map((r) => this.words(r)).join("; ") || "no part");
    this.box.dataset.single = String(this.data.single);
    this.box.dataset.dimmed = String(this.data.dimmed);
    this.box.dataset.seen = seen.map((r) => r + 1).join(",");
  }

  words(r) {
    const { says, support, sure, where, names } = this.parts[r], at = where || names.slice(0, 3).join(", ");
    const what = this.parts.length > 1 ? `part ${r + 1}: ` : "", framed = sure ? `, ${sure.length} of them framed` : "";
    return `${what}${says || `${count(support.length)} features coloured`}${at && `, ${at}`}${framed}`;
  }

  frames(brush, features, thick, dash) {
    for (const place of features.map((i) => this.drawn.frame(i)).filter(Boolean)) frameAt(brush, place, thick, dash);
  }

  hint(x, y) {
    const feature = this.drawn?.at(x, y);
    if (feature === undefined) return this.tip("");
    const held = this.seen.map((r) => [r, this.parts[r].support.indexOf(feature)]).filter(([, at]) => at >= 0);
    const said = held.map(([r, at]) => `${this.parts.length > 1 ? `part ${r + 1}, ` : ""}${this.weigh(this.parts[r].weights[at])}`);
    this.tip(`${featureName(this.scene, feature)}${said.length ? `: ${said.join("; ")}` : ""}`, x, y, this.picture.offsetWidth);
  }

  /** Write a part's number on the feature of it that lies nearest its middle. */
  number(brush, r) {
    const { support } = this.parts[r];
    if (!support.length) return;
    const at = (i) => { const [left, top, wide] = this.drawn.frame(i); return [left + wide / 2, top + wide / 2]; };
    const middle = [0, 1].map((c) => support.reduce((sum, i) => sum + at(i)[c], 0) / support.length);
    const away = (i) => Math.hypot(at(i)[0] - middle[0], at(i)[1] - middle[1]);
    const [x, y] = at(support.reduce((best, i) => (away(i) < away(best) ? i : best)));
    brush.dot(x, y, 10, { fill: "rgba(255, 255, 255, 0.85)", edge: null });
    brush.text(String(r + 1), x, y + 4.5, { size: SIZES.small, bold: true, align: "center", colour: "#000" });
  }
}

const mount = shows(Picture);
