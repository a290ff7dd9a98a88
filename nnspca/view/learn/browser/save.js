// Saving a figure: as PNG, as SVG drawn by the same strokes, and as a page that needs nothing else.

const escaped = (words) => words.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const brief = (value) => Number(value.toFixed(2));

/** A pen that knows what the lesson asks of a canvas, and writes it down as SVG. */
class SvgPen {
  constructor(measuring) {
    Object.assign(this, { measuring, parts: [], states: [], dash: [], globalAlpha: 1, fillStyle: "#000", strokeStyle: "#000", lineWidth: 1,
      font: "14px sans-serif", textAlign: "left" });
  }

  save() { const { globalAlpha, fillStyle, strokeStyle, lineWidth, dash } = this; this.states.push({ globalAlpha, fillStyle, strokeStyle, lineWidth, dash }); }
  restore() { Object.assign(this, this.states.pop()); }
  setLineDash(dash) { this.dash = dash; }
  beginPath() { this.path = this.box = ""; }
  lineTo(x, y) { this.path += `${this.path ? "L" : "M"}${brief(x)} ${brief(y)}`; }
  arc(x, y, r) { this.path += `M${brief(x - r)} ${brief(y)}a${brief(r)} ${brief(r)} 0 1 0 ${brief(2 * r)} 0a${brief(r)} ${brief(r)} 0 1 0 ${brief(-2 * r)} 0`; }
  rect(...box) { this.box = `rect ${this.place(box)}`; }
  stroke() { this.parts.push(`<${this.outline} fill="none" ${this.line()}/>`); }
  fill() { this.parts.push(`<${this.outline} ${this.paint()}/>`); }
  get outline() { return this.box || `path d="${this.path}"`; }
  fillText(words, x, y) { this.parts.push(`<text ${this.letters(x, y)} ${this.paint()}>${escaped(words)}</text>`); }
  strokeText(words, x, y) { this.parts.push(`<text ${this.letters(x, y)} fill="none" stroke-linejoin="round" ${this.line()}>${escaped(words)}</text>`); }

  measureText(words) {
    this.measuring.font = this.font;
    return this.measuring.measureText(words);
  }

  drawImage(sheet, x, y, wide, tall) {
    const copy = element("canvas", { width: sheet.width, height: sheet.height });
    copy.getContext("2d").drawImage(sheet, 0, 0);
    this.parts.push(`<image ${this.place([x, y, wide, tall])} preserveAspectRatio="none" style="image-rendering:pixelated" href="${copy.toDataURL()}"/>`);
  }

  place([x, y, wide, tall]) {
    return `x="${brief(Math.min(x, x + wide))}" y="${brief(Math.min(y, y + tall))}" width="${brief(Math.abs(wide))}" height="${brief(Math.abs(tall))}"`;
  }

  line() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    return `stroke="${this.strokeStyle}" stroke-width="${brief(this.lineWidth)}" opacity="${brief(this.globalAlpha)}"${dash}`;
  }

  paint() { return `fill="${this.fillStyle}" opacity="${brief(this.globalAlpha)}"`; }

  letters(x, y) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    return `x="${brief(x)}" y="${brief(y)}" text-anchor="${anchor}" style="font:${escaped(this.font).replaceAll("&quot;", "'")}"`;
  }
}

function svgOf(lesson) {
  const width = lesson.width, height = Math.round(lesson.figure.tall(width)), pen = new SvgPen(lesson.canvas.getContext("2d"));
  lesson.paintOn(pen, width, height);
  const name = escaped(lesson.canvas.getAttribute("aria-label") ?? "");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${name}">`
    + `<rect width="${width}" height="${height}" fill="${lesson.palette.paper}"/>${pen.parts.join("")}</svg>`;
}

/** The figure with its words on a page of its own: it prints on one sheet. */
function pageOf(lesson) {
  const step = lesson.data.steps[lesson.at], plain = (words) => escaped(words.replaceAll("**", ""));
  const said = lesson.find("[data-say=readout]").innerText, { paper, ink } = lesson.palette;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${plain(step.title)}</title>
<style>body{max-width:52em;margin:2em auto;padding:0 1em;font:16px/1.5 system-ui,sans-serif;background:${paper};color:${ink}}svg{max-width:100%;height:auto}a{color:inherit}</style>
<h1>${plain(step.title)}</h1><p>${plain(step.idea)}</p>${svgOf(lesson)}<p><b>${escaped(said)}</b></p>
<p>${plain(step.question)}</p><p>${plain(step.answer)}</p><p><a href="${escaped(location.href)}">The lesson at this place</a></p></html>`;
}

const MIME = { png: "image/png", svg: "image/svg+xml", html: "text/html", json: "application/json", py: "text/x-python" };

async function save(lesson, kind) {
  const { canvas, figure, palette } = lesson;
  lesson.write();
  const content = {
    png: () => pictureOf(canvas.width, canvas.height, palette.paper, (pen) => pen.drawImage(canvas, 0, 0)),
    svg: () => svgOf(lesson),
    html: () => pageOf(lesson),
    json: () => figure.taken().json,
    py: () => figure.taken().py,
  };
  const blob = new Blob([await content[kind]()], { type: MIME[kind] });
  const title = lesson.data.steps[lesson.at].title.toLowerCase().replace(/[^a-z]+/g, "-").replace(/^-|-$/g, "");
  saveFile(`${title}.${kind}`, blob);
}
