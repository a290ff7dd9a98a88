// The strips: each sample a point at its score, in standard deviations, a strip for each class.

const FOOT = 34; // pixels for the axis below
const GOLDEN = 0.618034; // neighbours in the file lie apart

class Strips {
  constructor(data) {
    Object.assign(this, data, { of: unpack(data.of), which: unpack(data.which) });
    this.tall = FOOT + Math.round(this.rows.length * clamp(84 / this.rows.length, 12.5, 30));
  }

  /** Draw the scores of one component, in hundredths, and a ring around the sample that is chosen. */
  draw(brush, scores, chosen) {
    const { width, height, palette } = brush, { rows, of } = this, size = SIZES.small, foot = height - FOOT;
    const left = Math.min(0.4 * width, Math.max(...rows.map((row) => brush.measure(row, size))) + 12), each = foot / rows.length;
    const ends = [Math.min(...scores, 0), Math.max(...scores, 0)], low = Math.floor(ends[0] / 100), high = Math.max(Math.ceil(ends[1] / 100), low + 1);
    const x = axisOf(low, high, left + 6, width - 10), step = Math.ceil((high - low) / 8);
    rows.forEach((row, r) => {
      const y = (r + 0.5) * each;
      brush.line([[left, y], [width - 4, y]], { colour: palette.grid, wide: 1 });
      brush.text(fitted(brush.pen, row, left - 10), left - 8, y + 4.5, { size, align: "right" });
    });
    for (let v = low; v <= high; v += step) brush.text(decimals(v, 0), x(v), foot + 13, { size, align: "center" });
    brush.text("score (standard deviations)", (left + width) / 2, foot + 29, { size, align: "center" });
    this.places = Array.from(scores, (score, at) => ({ at, x: x(score / 100), y: (of[at] + 0.5 + ((at * GOLDEN) % 1 - 0.5) * 0.72) * each }));
    const radius = scores.length > 400 ? 2.5 : 4, faint = scores.length > 400 ? 0.6 : 0.85;
    for (const place of this.places) brush.dot(place.x, place.y, radius, { fill: palette.series[1], edge: radius > 3 ? palette.paper : null, thick: 1, faint });
    const ringed = this.places[this.which.indexOf(chosen)];
    if (ringed) brush.dot(ringed.x, ringed.y, 7, { fill: palette.series[1], edge: palette.ink, thick: 2.5 });
  }

  /** The sample near a place, by its own number. */
  at(x, y) {
    const found = nearestTo(x, y, this.places ?? [], 12);
    return found ? this.which[found.at] : undefined;
  }

  name(sample) { return this.names?.[this.which.indexOf(sample)] ?? `${this.one} ${count(sample + 1)}`; }

  /** What a sample is called, its class, and its score. */
  words(sample, scores) {
    const at = this.which.indexOf(sample);
    return at < 0 ? this.name(sample) : `${this.name(sample)}, ${this.rows[this.of[at]]}: score ${decimals(scores[at] / 100, 2)}`;
  }
}
