// What draws charts takes the browser most of a second to read. It begins as soon as the sketch of one is on the screen,
// while the server still works out what there is to draw, and not when that has come.

const AXES = 2; // at most, in a sketch of nothing yet: a page that waits for its turn is not kept busy

const drawn = sketch => (sketch.getAttribute("style").match(/%3Cpath/g) ?? []).length > AXES;
const sketched = new MutationObserver(() => {
  if (![...document.querySelectorAll(".sketch")].some(drawn)) return;
  sketched.disconnect();
  const painted = () => setTimeout(() => import(CHART).catch(() => {})); // Streamlit asks again, and tells
  requestAnimationFrame(() => requestAnimationFrame(painted));
});
sketched.observe(document, { childList: true, subtree: true });
