// A lecture: scenes one after another, each a page of the app in its own layout. P begins one, keys lead through it, and
// a second window has the notes. The address of a page says which scene it is.

const LEAST = 22 / 13; // so much larger, at least, that the smallest words are 22 pixels high
const TALL = 425, WIDE = 756; // pixels that a scene has to be laid out in
const OWN = "nnspca-lecture", FROM = "nnspca-lecture-from", AT = "nnspca-lecture-at", BEGUN = "nnspca-lecture-begun"; // what the browser keeps
const KEYS = { PageDown: "on", PageUp: "back", ArrowRight: "on", ArrowLeft: "back", n: "notes", Escape: "end" };
// A clicker's keys lead on whatever has the focus. What is written in keeps all others; a figure keeps the arrows.
const CLICKED = ["PageDown", "PageUp"];
const UNWRITTEN = ["range", "radio", "checkbox", "button", "submit", "reset", "file", "color", "image"].map((type) => `[type=${type}]`);
const WRITTEN = `input:not(${UNWRITTEN}), textarea, [contenteditable]:not([contenteditable=false]), [role=textbox]`;
const FIGURE = "canvas, [role=application]";
const home = new URL("./", location.href), presenter = document.querySelector(".presenter"), windows = new BroadcastChannel(OWN);
const said = () => Number(new URLSearchParams(location.search).get("lecture"));
const isOurs = ({ href }) => href.startsWith(home.href);

/** Scenes of a text: a line "# title", a line with a link of the app, then notes. */
const scenesOf = (text) => text.split(/^#\s+/m).slice(1).map((scene) => {
  const [name, link = "", ...notes] = scene.trim().split("\n");
  return { name: name.trim(), link: new URL(link.trim(), home), notes: notes.join("\n").trim() };
});
const listed = async () => scenesOf(localStorage.getItem(OWN) || (await (await fetch(new URL("lecture.txt", home))).text())).filter(({ link }) => isOurs(link));

async function go(number) {
  const scene = (await listed())[number - 1];
  if (!scene) return;
  scene.link.searchParams.set("lecture", String(number));
  sessionStorage.setItem(AT, String(number));
  location.replace(scene.link); // one entry of the history is all that a lecture is
}

function begin(number = 1) {
  sessionStorage.setItem(FROM, location.href.replace(/[?&]lecture=[^&]*/, ""));
  localStorage.setItem(BEGUN, String(Date.now()));
  go(number);
}

const acts = {
  on: () => go(said() + 1),
  back: () => go(said() - 1),
  notes: () => open(new URL("lecture", home), OWN, "popup,width=1000,height=700"),
  end: () => { sessionStorage.removeItem(AT); location.replace(sessionStorage.getItem(FROM) ?? home); },
  told: () => windows.postMessage({ scene: said() }),
};

/** What stands below a scene: its name, and the ways on. */
async function show() {
  document.documentElement.classList.add("scene");
  fit();
  addEventListener("resize", fit);
  windows.addEventListener("message", ({ data }) => acts[data.act]?.());
  const list = await listed(), bar = document.createElement("nav"), { name } = list[said() - 1] ?? { name: "" };
  Object.assign(bar, { className: "lecture", ariaLabel: "Lecture" });
  bar.innerHTML = '<h1></h1><span></span><button data-act="back" aria-label="Scene before">←</button><button data-act="on" aria-label="Next scene">→</button><button data-act="notes" title="A second window, for you alone (N)">Notes</button><button data-act="end" title="End the lecture (Esc)" aria-label="End">×</button>';
  bar.querySelector("h1").textContent = name;
  bar.querySelector("span").textContent = `${said()} of ${list.length}`;
  for (const [act, end] of [["back", 1], ["on", list.length]]) bar.querySelector(`[data-act=${act}]`).disabled = said() === end;
  bar.addEventListener("click", ({ target }) => acts[target.dataset.act]?.());
  document.body.append(bar);
  acts.told();
}

const fit = () => document.documentElement.style.setProperty("--larger",
  innerWidth < WIDE ? 1 : Math.max(LEAST, Math.min(innerHeight / TALL, innerWidth / WIDE)));

addEventListener("keydown", (event) => {
  const at = event.composedPath()[0], key = event.key.length === 1 ? event.key.toLowerCase() : event.key, leads = KEYS[key];
  if (event.ctrlKey || event.altKey || event.metaKey || (at.matches?.(WRITTEN) && !CLICKED.includes(key))) return;
  if (!presenter && !said() && key === "p") begin();
  if (!leads || !(presenter || said()) || (key.startsWith("Arrow") && at.matches?.(FIGURE))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (presenter) windows.postMessage({ act: leads });
  else acts[leads]();
}, { capture: true });

/** The presenter's own window: notes, what comes next, and the time since the lecture began. */
async function present() {
  const [title, words, next, clock, problem, file, usual] = ["h1", ".notes", ".next", "time", ".problem", "input", ".usual"].map((one) => presenter.querySelector(one));
  const list = await listed();
  usual.hidden = !localStorage.getItem(OWN);
  const take = (text) => {
    const scenes = scenesOf(text), outside = scenes.findIndex(({ link }) => !isOurs(link));
    problem.textContent = !scenes.length ? "This file has no scene: copy the list and change it."
      : outside < 0 ? "" : `Scene ${outside + 1}, “${scenes[outside].name}”, leads to ${scenes[outside].link.host}: a scene is a link of this app. Nothing was changed.`;
    if (problem.textContent) return;
    localStorage.setItem(OWN, text);
    location.reload();
  };
  windows.addEventListener("message", ({ data: { scene } }) => {
    if (!scene) return;
    title.textContent = `${scene} of ${list.length}: ${list[scene - 1]?.name ?? ""}`;
    words.textContent = list[scene - 1]?.notes ?? "";
    next.textContent = list[scene] ? `Next: ${list[scene].name}` : "This is the last scene.";
  });
  for (const act of ["back", "on"]) presenter.querySelector(`.${act}`).addEventListener("click", () => windows.postMessage({ act }));
  file.addEventListener("change", async () => { const text = await file.files[0].text(); file.value = ""; take(text); }); // the same file, changed, is chosen again
  usual.addEventListener("click", () => { localStorage.removeItem(OWN); location.reload(); });
  setInterval(() => { clock.textContent = new Date(Date.now() - Number(localStorage.getItem(BEGUN) || Date.now())).toISOString().slice(11, 19); }, 500);
  windows.postMessage({ act: "told" });
}

if (presenter) present();
else if (said()) sessionStorage.getItem(AT) === String(said()) ? show() : begin(said()); // by a link
