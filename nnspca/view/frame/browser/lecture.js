// Beside a lecture: P begins one; a page that is its scene is shown without controls, and hands on the keys that lead it.

// What is written in keeps its keys; of all else a figure alone keeps the arrows: they turn it, or move in it.
const UNWRITTEN = ["range", "radio", "checkbox", "button", "submit", "reset", "file", "color", "image"].map((type) => `[type=${type}]`);
const WRITTEN = `input:not(${UNWRITTEN}), textarea, [contenteditable]:not([contenteditable=false]), [role=textbox]`;
const FIGURE = "canvas, [role=application]";
const KEYS = { PageDown: "on", PageUp: "back", n: "note", Escape: "end" }, ARROWS = { ArrowRight: "on", ArrowLeft: "back" };
const isScene = window.frameElement !== null, asked = new URLSearchParams(location.search).get("lecture");

const begin = (number) => {
  sessionStorage.setItem("nnspca-lecture-from", location.href.replace(/[?&]lecture=[^&]*/, ""));
  location.assign(new URL(`lecture?scene=${number}`, location.href));
};
if (isScene) document.documentElement.classList.add("scene");
else if (asked) begin(asked);

addEventListener("keydown", (event) => {
  const at = event.composedPath()[0], key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.altKey || event.metaKey || at.matches?.(WRITTEN)) return;
  if (!isScene) {
    if (key === "p") begin(1);
    return;
  }
  const lecture = KEYS[key] ?? (at.matches?.(FIGURE) ? undefined : ARROWS[key]);
  if (!lecture) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  parent.postMessage({ lecture }, location.origin);
}, { capture: true });
