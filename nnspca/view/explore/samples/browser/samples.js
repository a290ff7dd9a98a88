// The samples: their scores, their order and classes, which are picked, and how a link says so in a few letters.

const MANY = 1500; // letters of a link beyond which a pick is not written
const FINE = 10000; // steps of either score in which a rectangle is written

class Samples {
  constructor(data) {
    const { m } = data;
    this.m = m;
    this.scores = unpack(data.scores);
    this.second = data.second && unpack(data.second);
    this.labels = data.labels && unpack(data.labels);
    this.classes = data.classes;
    this.names = data.sampleNames ?? [];
    // highest first, ties in their own order: the same as the server's
    this.order = Int32Array.from({ length: m }, (_, s) => s).sort((a, b) => this.scores[b] - this.scores[a] || a - b);
    this.rank = new Int32Array(m);
    this.order.forEach((s, r) => { this.rank[s] = r; });
    this.ends = { x: extent(this.scores), y: this.second ? extent(this.second) : [0, 1] };
    this.pictures = data.pictures && this.look(data.pictures);
    this.pick("");
  }

  look(pictures) {
    const which = unpack(pictures.which), values = unpack(pictures.values);
    const size = pictures.points ?? pictures.rows * pictures.columns;
    const at = new Map(Array.from(which, (s, i) => [s, i]));
    const of = (s) => (at.has(s) ? values.subarray(at.get(s) * size, (at.get(s) + 1) * size) : null);
    return { ...pictures, of };
  }

  /** Pick what a link says: `r1-8` ranks, `n3_7-9` samples, `c2` a class, `b…` a rectangle; anything else picks nothing. */
  pick(text) {
    this.picked = new Uint8Array(this.m);
    this.said = "";
    const body = text.slice(1), numbers = body.split("_").map(Number);
    if (/^r\d{1,7}-\d{1,7}$/.test(text)) {
      const [from, to] = body.split("-").map(Number);
      for (let r = from - 1; r < Math.min(to, this.m); r++) if (r >= 0) this.picked[this.order[r]] = 1;
    } else if (/^n[\d_-]+$/.test(text)) {
      for (const s of fromSpans(body)) if (s < this.m) this.picked[s] = 1;
    } else if (/^c\d{1,4}$/.test(text) && this.labels) {
      this.labels.forEach((c, s) => { if (c === Number(body)) this.picked[s] = 1; });
    } else if (/^b\d{1,5}(_\d{1,5}){3}$/.test(text) && this.second) {
      const [x0, x1, y0, y1] = numbers;
      for (let s = 0; s < this.m; s++) {
        const x = this.step(this.scores[s], "x"), y = this.step(this.second[s], "y");
        if (x >= x0 && x <= x1 && y >= y0 && y <= y1) this.picked[s] = 1;
      }
    }
    this.count = this.picked.reduce((sum, one) => sum + one, 0);
    if (this.count) this.said = text;
  }

  /** A score in steps from the least to the largest: what a rectangle of a link is made of. */
  step(value, axis) {
    const [low, high] = this.ends[axis];
    return Math.round((FINE * (value - low)) / (high - low || 1));
  }

  /** The mean of the pictures or curves of those picked, where some are at hand. */
  mean() {
    if (!this.count || !this.pictures) return null;
    let sum = null, some = 0;
    for (let s = 0; s < this.m; s++) {
      const values = this.picked[s] && this.pictures.of(s);
      if (!values) continue;
      sum ??= new Float64Array(values.length);
      values.forEach((v, i) => { sum[i] += v; });
      some++;
    }
    return sum?.map((v) => v / some);
  }

  toggle(s) {
    const chosen = this.said[0] === "n" ? new Set(fromSpans(this.said.slice(1))) : new Set();
    if (!chosen.delete(s)) chosen.add(s);
    const text = toSpans([...chosen]);
    this.pick(text && text.length < MANY ? `n${text}` : "");
  }

  name(s) {
    const named = this.labels ? ` (${this.classes[this.labels[s]].name.replace(/^\d+ smaller classes$/, "a smaller class")})` : "";
    return `${this.names[s] ?? `sample ${count(s + 1)}`}${named}: score ${number3(this.scores[s])}, rank ${count(this.rank[s] + 1)}`;
  }

  /** What a card calls a sample: its name, or its number. */
  short(s) { return this.names[s] ?? `no. ${s + 1}`; }

  words() {
    if (!this.count) return "Nothing picked: drag along the samples or around some points, or press a picture or a class.";
    const mean = this.scores.reduce((sum, v, s) => sum + this.picked[s] * v, 0) / this.count;
    const kinds = this.classes.map((kind, c) => [kind.name, this.labels.reduce((sum, l, s) => sum + (l === c) * this.picked[s], 0)])
      .filter(([, some]) => some).sort((a, b) => b[1] - a[1]).map(([name, some]) => `${count(some)} of ${name}`);
    return `${count(this.count)} of ${count(this.m)} samples picked, mean score ${number3(mean)}${kinds.length ? `: ${kinds.join(", ")}` : ""}.`;
  }
}

function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
  return low < high ? [low, high] : [low - 1, high + 1];
}

const number3 = (value) => (value === 0 ? "0" : Math.abs(value) >= 1000 ? count(Math.round(value)).replace("-", "−") : value.toPrecision(3).replace("-", "−"));

/** A number that fits beside a bar. */
function short(value) {
  if (Math.abs(value) < 1e5) return number3(value);
  const [digits, power] = value.toExponential(2).split("e+");
  return `${digits.replace("-", "−")} × 10${raised(Number(power))}`;
}

/** Whole numbers from 0 on as the spans of a link, from 1 on: 0, 1, 2, 6 are `1-3_7`. */
function toSpans(numbers) {
  const spans = [];
  for (const v of [...numbers].sort((a, b) => a - b)) {
    if (spans.length && spans.at(-1)[1] === v - 1) spans.at(-1)[1] = v;
    else spans.push([v, v]);
  }
  return spans.map(([a, b]) => (a === b ? `${a + 1}` : `${a + 1}-${b + 1}`)).join("_");
}

function fromSpans(text) {
  const found = [];
  for (const span of text.split("_")) {
    const [a, b = a] = span.split("-").map(Number);
    if (!(a >= 1 && b >= a && b - a < 1e6)) continue;
    for (let v = a; v <= b; v++) found.push(v - 1);
  }
  return found;
}
