// The theme: which of the two palettes the page wears now, and whether a person wants things to keep still.

const measured = new Map(); // from colours to their channels: a canvas takes .3 ms to say, and pages ask twice a second, or for each pixel

function channels(colour) {
  if (!measured.has(colour)) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    measured.set(colour, [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3));
  }
  return measured.get(colour);
}

/** A colour of a scale, given by the channels of its steps, at a share of its length. */
function blend(steps, share) {
  const place = Math.min(share, 1) * (steps.length - 1), low = Math.min(Math.floor(place), steps.length - 2);
  return steps[low].map((c, i) => c + (place - low) * (steps[low + 1][i] - c));
}

function wearing(box) {
  const paper = getComputedStyle(box).getPropertyValue("--st-background-color").trim() || "#fff";
  const [red, green, blue] = channels(paper), dark = red + green + blue < 384;
  const font = getComputedStyle(box).fontFamily || "sans-serif";
  return { ...COLOURS[dark ? "dark" : "light"], dark, paper, font };
}

const prefersStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether the page is a scene of a lecture, and how much larger than laid out a thing is then seen. */
const isScene = () => document.documentElement.classList.contains("scene");
const larger = (thing) => thing.getBoundingClientRect().width / thing.offsetWidth || 1;

/** Give a canvas its size on the page, sharp on any screen; return its pen, cleared. */
function sizedPen(canvas, width, height) {
  const ratio = window.devicePixelRatio * larger(canvas);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
