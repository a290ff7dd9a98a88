// The address says what the page shows, without an entry in the history: Back leads to the page before.

function mount({ data }) {
  const said = new URLSearchParams(location.search);
  for (const key of data.keys) said.delete(key);
  for (const [key, texts] of Object.entries(data.says)) for (const text of texts) said.append(key, text);
  const link = String(said), here = new URLSearchParams(location.search);
  if (link === String(here)) return;
  history.replaceState(history.state, "", `${location.pathname}${link && "?"}${link}${location.hash}`);
}
