// The progress of a run, as the server answers; the page is asked for one rerun when there is something to draw.

function show(bar, { fraction, text }) {
  bar.hidden = text === "";
  Object.assign(bar, { ariaValueNow: String(Math.round(100 * fraction)), ariaValueText: text });
  bar.querySelector("p").textContent = text;
  bar.querySelector(".done").style.width = `${100 * fraction}%`;
}

function mount({ data, parentElement, setTriggerValue }) {
  const bar = parentElement.querySelector(".progress");
  show(bar, data);
  return askNews(parentElement, data.address, data.every, (news) => {
    show(bar, news);
    return news.draw;
  }, () => setTriggerValue("draw", data.assignments));
}
