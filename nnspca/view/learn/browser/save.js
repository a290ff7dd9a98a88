// Saving a figure: as PNG, and with its words as a page that needs nothing else.

const escaped = (words) => words.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

/** The figure with its words on a page of its own: it prints on one sheet. */
function pageOf(lesson) {
  const step = lesson.data.steps[lesson.at], plain = (words) => escaped(words.replaceAll("**", ""));
  const name = escaped(lesson.canvas.getAttribute("aria-label") ?? "");
  const said = lesson.find("[data-say=readout]").innerText, { paper, ink } = lesson.palette;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${plain(step.title)}</title>
<style>body{max-width:52em;margin:2em auto;padding:0 1em;font:${SIZES.text}px/1.5 system-ui,sans-serif;background:${paper};color:${ink}}img{max-width:100%;background:${paper}}a{color:inherit}</style>
<h1>${plain(step.title)}</h1><p>${plain(step.idea)}</p><img alt="${name}" src="${lesson.canvas.toDataURL()}"><p><b>${escaped(said)}</b></p>
<p>${plain(step.question)}</p><p>${plain(step.answer)}</p><p><a href="${escaped(location.href)}">The lesson at this place</a></p></html>`;
}

const MIME = { png: "image/png", html: "text/html", json: "application/json", py: "text/x-python" };

async function save(lesson, kind) {
  const { canvas, figure, palette } = lesson;
  lesson.write();
  const content = {
    png: () => pictureOf(canvas.width, canvas.height, palette.paper, (pen) => pen.drawImage(canvas, 0, 0)),
    html: () => pageOf(lesson),
    json: () => figure.taken().json,
    py: () => figure.taken().py,
  };
  const blob = new Blob([await content[kind]()], { type: MIME[kind] });
  const title = lesson.data.steps[lesson.at].title.toLowerCase().replace(/[^a-z]+/g, "-").replace(/^-|-$/g, "");
  saveFile(`${title}.${kind}`, blob);
}
