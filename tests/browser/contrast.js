() => {
  const read = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const clear = (text) => text === "transparent" || text === "none" || read(text)[3] === 0;
  const over = ([r, g, b, a = 1], back) => [r, g, b].map((v, i) => v * a + back[i] * (1 - a));
  const light = (c) => c.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const up = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const chain = (node) => { const all = []; for (let n = node; n; n = up(n)) all.push(n); return all; };
  const found = [];
  const judge = (element, text) => {
    if (element.checkVisibility && !element.checkVisibility({opacityProperty: true, visibilityProperty: true})) return;
    const box = element.getBoundingClientRect(), style = getComputedStyle(element), line = chain(element);
    if (box.width < 2 || box.height < 2 || box.right <= 0) return;  // a folded sidebar stands outside
    if (line.some(n => n.disabled || n.getAttribute?.("aria-disabled") === "true" || n.inert)) return;
    if (element.matches("[data-testid=stIconMaterial]")) return;  // the name of a picture, not meant to be read
    let back = [255, 255, 255];
    for (const n of [...line].reverse()) {
      const behind = getComputedStyle(n).backgroundColor;
      const thumb = n.querySelector(":scope > [data-testid=stSliderThumbValue]");  // its number stands above it
      if (!clear(behind) && !thumb) back = over(read(behind), back);
    }
    const paint = element instanceof SVGElement ? style.fill : style.color;
    if (clear(paint)) return;
    const seen = line.reduce((product, n) => product * Number(getComputedStyle(n).opacity), 1);
    const [r, g, b, a = 1] = read(paint);
    const [x, y] = [light(over([r, g, b, a * seen], back)), light(back)].sort((p, q) => q - p);
    const ratio = (x + .05) / (y + .05), large = parseFloat(style.fontSize) >= 24;
    const said = `“${text.trim().slice(0, 60)}” (${paint} on ${back})`;
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}: ${said}`);
  };
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if (["SCRIPT", "STYLE", "TITLE", "DESC", "OPTION", "NOSCRIPT"].includes(element.tagName.toUpperCase())) continue;
      const own = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent).join("");
      if (/[\p{L}\p{N}]/u.test(own)) judge(element, own);
      else if (element.tagName === "INPUT" && element.value && element.type === "text") judge(element, element.value);
    }
  };
  walk(document.body);
  return [...new Set(found)];
}
