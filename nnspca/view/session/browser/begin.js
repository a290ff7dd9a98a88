// What draws charts takes the browser most of a second to read. It begins once the page has its title, in the time in
// which the server works out what there is to draw, and not when that has come.

const titled = new MutationObserver(() => {
  if (!document.querySelector("h1")) return;
  titled.disconnect();
  requestAnimationFrame(() => setTimeout(() => import(CHART).catch(() => {}))); // Streamlit asks again, and tells
});
titled.observe(document, { childList: true, subtree: true });
