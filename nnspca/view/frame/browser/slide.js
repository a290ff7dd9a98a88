// What a slide looks like: the sheet that hides the page around it, and the line at its foot.

const READABLE = 20; // pixels: the smallest type on a slide of a large screen
const SMALLEST = 12; // pixels: the smallest type on a page
const FOOT = 46; // pixels for the line at the foot of a slide
const AIR = 20; // pixels around a figure, before it is enlarged
const SCREEN = [1920, 1080]; // pixels of the screen on which type of that size is read from the last row
const LEAST_WIDE = 0.8; // share of the screen's width to which a slide narrows until it is no taller than the screen
const FIGURE = 120; // pixels: what is smaller is no figure
const PATIENCE = 2000; // milliseconds in which a page that is drawn anew has all its figures again

const SHEET = `
html[data-presenting] [data-testid=stAppViewContainer] [data-testid=stMarkdownContainer] { visibility: inherit; }
html[data-presenting] :is([data-testid=stSidebar], [data-testid=stHeader], [data-testid=stExpandSidebarButton]) { display: none !important; }
html[data-presenting] [data-testid=stAppViewContainer] { visibility: hidden; }
html[data-presenting] [data-testid=stElementToolbar] { display: none; }
[data-slide=here]:is([data-testid=stElementContainer], [data-testid=stMainBlockContainer]) {
  visibility: visible;
  position: fixed !important;
  inset: 0 auto auto 0 !important;
  z-index: 90;
  box-sizing: border-box;
  display: flex !important;
  flex-direction: column;
  align-items: center;
  justify-content: safe center;
  width: calc(100vw / var(--slide-zoom)) !important;
  max-width: none !important;
  height: calc((100vh - ${FOOT}px) / var(--slide-zoom)) !important;
  min-height: 0 !important;
  margin: 0 !important;
  padding: ${AIR}px !important;
  overflow: auto !important;
  transform: scale(var(--slide-zoom));
  transform-origin: 0 0;
  color: var(--slide-ink);
  background: var(--slide-paper);
}
[data-slide=here]:is([data-testid=stElementContainer], [data-testid=stMainBlockContainer]) > * { width: 100%; height: var(--slide-tall, auto); max-width: var(--slide-wide, 100%); flex: none; }
[data-slide=here][data-testid=stMainBlockContainer] { justify-content: flex-start; }
#nnspca-foot {
  position: fixed;
  z-index: 91;
  inset: auto 0 0;
  box-sizing: border-box;
  display: flex;
  gap: 28px;
  align-items: center;
  justify-content: space-between;
  height: ${FOOT}px;
  padding: 0 20px;
  overflow: hidden;
  font: 20px/1.2 "Source Sans", system-ui, sans-serif;
  white-space: nowrap;
  color: var(--slide-ink);
  background: var(--slide-paper);
  border-top: 1px solid;
}
#nnspca-foot b { font-weight: 600; }
#nnspca-foot .hint { overflow: hidden; text-overflow: ellipsis; }
#nnspca-foot .hint:focus-visible { outline: 3px solid; }
#nnspca-code {
  position: fixed;
  z-index: 92;
  inset: 0 0 ${FOOT}px;
  display: flex;
  flex-direction: column;
  gap: 14px;
  align-items: center;
  justify-content: center;
  padding: 20px;
  text-align: center;
  font: 24px/1.35 "Source Sans", system-ui, sans-serif;
  color: var(--slide-ink);
  background: var(--slide-paper);
}
#nnspca-code p { max-width: 46em; margin: 0; overflow-wrap: anywhere; }
#nnspca-code svg { width: min(60vh, 90vw); height: min(60vh, 90vw); }
#nnspca-code [hidden] { display: none; }
`;
