n => {
  const roots = at => [...document.querySelectorAll(`.st-key-${at} *`)].map(e => e.shadowRoot);
  const within = (at, what) => roots(at).map(root => root?.querySelector(what)).find(Boolean);
  const at = (x, wide) => Math.round(Math.exp(Math.log(0.9) + (x - 58) / (wide - 70) * Math.log(1.06 * n / 0.9)));
  const named = text => /k = ([\d,]+)/.exec(text)[1], edge = document.createElement('div');
  let line = null, frame = 0;
  window.frames_ = [];
  const look = () => {
    const find = what => within('stage', what), box = document.querySelector('.st-key-k');
    const over = getComputedStyle(box, '::after').content.replaceAll('"', ''), wide = find('.curve').clientWidth;
    if (seen.words.splice(0).length) line = seen.lines.splice(0).at(-1)?.[0][0] ?? null;
    frames_.push([line && [find('[data-say=words]').innerText, find('.play').dataset.support], {
      intro: /most (\d+)/.exec(document.querySelector('[data-testid=stMain] [data-testid=stMarkdown]').innerText)?.[1],
      label: find('[data-say=k]').innerText, slider: named(find('.curve').getAttribute('aria-valuetext')),
      picture: named(find('.picture').ariaLabel), line: line && at(line, wide),
      box: over === 'none' ? box.querySelector('input').value : over, bar: within('narrow', '[data-do=k]').value,
      address: new URLSearchParams(location.search).get('k')}]);
  };
  document.body.append(edge);
  new ResizeObserver(look).observe(edge); // between the frame's layout and its painting
  const next = () => {
    edge.style = `position: fixed; height: 1px; width: ${1 + frame++ % 2}px`;
    requestAnimationFrame(next);
  };
  next();
}
