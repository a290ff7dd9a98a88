// How far what a page shows is moved while it loads, Streamlit's own frame aside.
// A shift of that frame: something of the sidebar or the header, or the page making room for them, sideways and no more.
// Told by where it was and is: which of its nested boxes the browser names differs from machine to machine.
// Of a shift of several boxes ours is the share of the area that is not the frame's.
window.shifts = [];
const frame = ({node, previousRect: was, currentRect: is}) => {
  const edge = document.querySelector("[data-testid=stSidebar]")?.getBoundingClientRect().right ?? 0;
  const seen = is.width ? is : was;
  const sideways = was.y === is.y && was.height === is.height;
  const whole = node?.querySelector?.("[data-testid=stMainBlockContainer]") ||
    node?.matches?.("[data-testid=stMainBlockContainer]");
  return seen.right <= edge + 1 || node?.closest?.("[data-testid=stHeader]") ||
    (sideways && (whole || (edge > 0 && Math.abs(is.left - edge) <= 1)));
};
const area = list => list.reduce((sum, {previousRect: p, currentRect: c}) =>
  sum + Math.max(p.width * p.height, c.width * c.height), 0);
new PerformanceObserver(list => list.getEntries().forEach(e => window.shifts.push([
  e.value * area(e.sources.filter(s => !frame(s))) / Math.max(area(e.sources), 1),
  e.hadRecentInput, e.value, JSON.stringify(e.sources)])))
  .observe({type: "layout-shift", buffered: true});
