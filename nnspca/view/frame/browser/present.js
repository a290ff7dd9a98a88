// The door: one presenter for the whole app, kept while pages come and go.

const presenters = new WeakMap();

export default function ({ data, parentElement, setTriggerValue, setStateValue }) {
  let held = presenters.get(parentElement);
  const button = parentElement.querySelector(".begin");
  if (held?.button !== button) {
    held?.presenter.end();
    const presenter = new Presenter((what, value) => held.ask(what, value));
    presenters.set(parentElement, (held = { presenter, button }));
    button.addEventListener("click", () => presenter.enter());
  }
  held.ask = (what, value) => (what === "on" ? setStateValue : setTriggerValue)(what, value);
  held.presenter.take(data);
  return () => setTimeout(() => { // a page drawn anew removes the button and adds it again: only without it the presenter ends
    if (button.isConnected) return;
    held.presenter.end();
    presenters.delete(parentElement);
  });
}
