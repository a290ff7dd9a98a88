// How a race stands, as the server tells it twice a second; its figure is drawn once it has ended.

function mount({ data, parentElement }) {
  const place = (name) => parentElement.querySelector(name);
  const show = ({ words, lanes, drawn }) => {
    place(".words").replaceChildren(...bold(words));
    place("ol").replaceChildren(...lanes.map(([colour, said]) => {
      const chip = element("i");
      chip.style.background = colour;
      return element("li", {}, chip, said);
    }));
    place(".drawn").innerHTML = drawn;
  };
  show(data);
  return askNews(parentElement, data.address, data.every, (news) => show(news), () => {});
}
