// The gallery: a card is a button; a press tells the page which data set was chosen.

const galleries = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector("ul");
  const here = JSON.stringify(data);
  if (galleries.get(parentElement) !== here || !list.children.length) {
    galleries.set(parentElement, here);
    list.replaceChildren(...data.cards.map((card) => {
      const item = document.createElement("li"), button = document.createElement("button"), image = document.createElement("img");
      button.type = "button";
      button.dataset.name = card.name;
      if (card.name === data.here) button.setAttribute("aria-current", "true");
      image.alt = "";
      if (card.picture) image.src = `data:image/png;base64,${card.picture}`;
      const title = document.createElement("b"), says = document.createElement("span"), share = document.createElement("span");
      title.textContent = card.title;
      says.textContent = card.local ? card.says : `${card.says} Not on this machine yet.`;
      share.textContent = card.share;
      button.append(image, title, says, share);
      item.append(button);
      return item;
    }));
  }
  list.onclick = (event) => {
    const name = event.target.closest("button")?.dataset.name;
    if (name && name !== data.here) setTriggerValue("chosen", name);
  };
  return () => { list.onclick = null; };
}
