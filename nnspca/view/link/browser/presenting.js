// A slide, as a drawing on it sees it: enlarged, and asked for its next step before the next slide comes.

/** How much larger a thing is on the screen than it knows: more than 1 on a slide. */
const zoomOf = (element) => element.getBoundingClientRect().width / element.offsetWidth || 1;

/** Whether a presenter's step is meant for a drawing: it is on the slide that is shown. */
function steppedHere(event, box) {
  const slide = document.querySelector("[data-slide=here]");
  return !event.defaultPrevented && Boolean(slide?.contains(box.getRootNode().host ?? box));
}

/** The height that a thing on a slide has to itself and its neighbours, or 0 on a page. */
function slideRoom(element) {
  const host = element.getRootNode().host;
  return host?.closest("[data-slide=here]") ? (innerHeight - 46) / zoomOf(element) - 40 : 0;
}

/** How far below the top of the whole page a thing stands, wherever the page is scrolled to. */
function placeOnPage(element) {
  const main = (element.getRootNode().host ?? element).closest("[data-testid=stMain]");
  return element.getBoundingClientRect().top + (main?.scrollTop ?? scrollY);
}
