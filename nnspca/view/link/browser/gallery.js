// A gallery: a card is a button; a press tells the page which was chosen.

/** Return how bright a picture is, 0 to 255: a drawing is dark lines on light paper, a photograph is not. */
function brightness(image) {
  const pen = new OffscreenCanvas(8, 8).getContext("2d");
  pen.drawImage(image, 0, 0, 8, 8);
  const all = pen.getImageData(0, 0, 8, 8).data.filter((_, at) => at % 4 < 3);
  return all.reduce((sum, part) => sum + part, 0) / all.length;
}

const inView = new IntersectionObserver((cards) => {  // a picture is fetched, and so drawn, once it is looked at
  for (const { target } of cards.filter((card) => card.isIntersecting)) {
    inView.unobserve(target);
    target.src = target.address;
  }
});

function cardButton(card, here) {
  const image = element("img", { alt: "", address: card.picture, onload: () => image.classList.toggle("drawing", brightness(image) > 170) });
  if (card.picture) inView.observe(image);
  const [title, says, foot] = [["b", card.title], ["span", card.says], ["span", card.foot]].map(([kind, textContent]) => element(kind, { textContent }));
  return button({ dataset: { name: card.name }, ariaCurrent: card.name === here ? "true" : null }, image, title, says, foot);
}

function fillGallery(nav, data) {
  nav.ariaLabel = data.label;
  nav.className = `gallery ${data.lay}`;
  nav.replaceChildren();
  for (const group of new Set(data.cards.map((card) => card.group))) {
    const cards = data.cards.filter((card) => card.group === group).map((card) => element("li", {}, cardButton(card, data.here)));
    nav.append(...(group ? [element("h2", { textContent: group })] : []), element("ul", {}, ...cards));
  }
}

function markMore(nav) {  // an edge that fades says that the strip goes on
  const below = nav.scrollHeight - nav.clientHeight - nav.scrollTop, right = nav.scrollWidth - nav.clientWidth - nav.scrollLeft;
  nav.classList.toggle("below", below > 2);
  nav.classList.toggle("right", right > 2);
}

function mount({ data, parentElement, setTriggerValue }) {
  const nav = parentElement.querySelector("nav");
  const said = JSON.stringify(data);
  if (nav.said !== said) {
    nav.said = said;
    fillGallery(nav, data);
    const chosen = nav.querySelector("[aria-current]");
    if (data.lay && chosen) nav.scrollTo(chosen.offsetLeft - 104, chosen.offsetTop - 60);  // in view, the page at rest
  }
  nav.classList.toggle("dark", wearing(nav).dark);
  nav.onscroll = () => markMore(nav);
  const sizes = new ResizeObserver(() => markMore(nav));
  sizes.observe(nav);
  nav.onclick = (event) => {
    const name = event.target.closest("button")?.dataset.name;
    if (!name || name === data.here) return;
    setTriggerValue("chosen", name);
    // on the first screen what a card opens stands above the cards: who pressed one sees it come
    if (document.querySelector(".st-key-stage")) document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });
  };
  return () => {
    sizes.disconnect();
    nav.onclick = nav.onscroll = null;
  };
}
