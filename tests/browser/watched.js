() => {
  const pen = CanvasRenderingContext2D.prototype, {beginPath, lineTo, stroke, strokeText, fillText} = pen;
  const seen = window.seen = {words: [], lines: []};
  let points = [], halo = '';
  Object.assign(pen, {
    beginPath() { points = []; beginPath.call(this); },
    lineTo(x, y) { points.push([x, y]); lineTo.call(this, x, y); },
    stroke() {
      const [from, to] = points;
      if (this.getLineDash().length && to && from[0] === to[0]) seen.lines.push(points);
      stroke.call(this);
    },
    strokeText(words, ...at) { halo = words; strokeText.call(this, words, ...at); },
    fillText(words, x, y, most) {
      const wide = this.measureText(words).width, left = x - {left: 0, center: wide / 2, right: wide}[this.textAlign];
      if (words !== halo) seen.words.push([words, left, left + wide, y - 11, y]);
      fillText.call(this, words, x, y, most);
    }});
}
