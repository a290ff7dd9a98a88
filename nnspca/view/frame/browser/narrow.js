// The bar at the foot of a phone: it shows what the page shows, and asks for another data set or k.

const bars = new WeakMap();

function mount({ data, parentElement, setTriggerValue }) {
  let bar = bars.get(parentElement);
  const form = parentElement.querySelector(".narrow");
  if (bar?.form !== form) bars.set(parentElement, (bar = listen(form)));
  bar.ask = setTriggerValue;
  bar.most = data.most;
  const sets = form.querySelector("select"), k = form.querySelector("input");
  sets.replaceChildren(...data.sets.map(([name, title]) => new Option(title, name, false, name === data.here)));
  form.querySelector(".k").hidden = data.k === null;
  k.max = String(data.most);
  if (data.k !== null) k.value = String(data.k);
}

function listen(form) {
  const bar = { form }, k = form.querySelector("input");
  const asked = () => {
    const wanted = Math.round(Number(k.value));
    if (!Number.isFinite(wanted) || wanted < 1) return;
    k.value = String(Math.min(wanted, bar.most));
    clearTimeout(bar.wait); // several quick presses are one question
    bar.wait = setTimeout(() => bar.ask("k", Number(k.value)), 350);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector("select").addEventListener("change", (event) => {
    clearTimeout(bar.wait); // a k that was typed is one of the data before
    bar.ask("data", event.target.value);
  });
  k.addEventListener("change", asked);
  for (const button of form.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      k.value = String(Math.max(1, Number(k.value) + Number(button.dataset.step)));
      asked();
    });
  }
  return bar;
}
