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
  if (data.k !== null && !bar.wait && !bar.typed) k.value = String(data.k); // what is typed is not overwritten
}

function listen(form) {
  const bar = { form }, k = form.querySelector("input");
  const asked = () => {
    const wanted = Math.min(Math.round(Number(k.value)), bar.most);
    if (!Number.isFinite(wanted) || wanted < 1) return;
    [k.value, bar.typed] = [String(wanted), false];
    clearTimeout(bar.wait); // several quick presses are one question
    bar.wait = setTimeout(() => {
      bar.wait = 0;
      bar.ask("k", wanted);
    }, 350);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector("select").addEventListener("change", (event) => {
    bar.wait = clearTimeout(bar.wait); // a k that was typed is one of the data before
    bar.ask("data", event.target.value);
  });
  k.addEventListener("change", asked);
  k.addEventListener("input", () => { bar.typed = true; });
  k.addEventListener("blur", () => { bar.typed = false; }); // after its change
  for (const button of form.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      k.value = String(Math.max(1, Number(k.value) + Number(button.dataset.step)));
      asked();
    });
  }
  return bar;
}
