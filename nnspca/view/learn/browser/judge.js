// The judge of the game: a covariance, and the variance of the best nonnegative loadings on painted features.

const FIRST = 25, LAST = 400; // power steps of every start, and of the best of them; none loses variance

class Judge {
  constructor({ n, samples, triangle }) {
    Object.assign(this, { n, columns: new Array(n), diagonal: new Float64Array(n) });
    this.doubt = samples ? 2e-6 : 1e-12; // so much of a variance may be rounding: samples come in single precision
    if (samples) {
      this.samples = unpack(samples); // Z, row after row: the covariance is Z'Z
      this.samples.forEach((z, at) => { this.diagonal[at % n] += z * z; });
    } else {
      const flat = unpack(triangle);
      for (let i = 0; i < n; i++) this.columns[i] = new Float64Array(n);
      for (let i = 0, at = 0; i < n; i++) for (let j = i; j < n; j++, at++) this.columns[i][j] = this.columns[j][i] = flat[at];
      this.columns.forEach((column, j) => { this.diagonal[j] = column[j]; });
    }
  }

  /** Column j of the covariance, worked out when it is first asked for. */
  column(j) {
    if (this.columns[j]) return this.columns[j];
    const { n, samples } = this, column = this.columns[j] = new Float64Array(n);
    for (let from = 0; from < samples.length; from += n) for (let i = 0; i < n; i++) column[i] += samples[from + j] * samples[from + i];
    return column;
  }

  /** x'Ax for any x. */
  variance(x) {
    let sum = 0;
    x.forEach((a, i) => {
      const column = a ? this.column(i) : [];
      column.forEach((value, j) => { sum += a * x[j] * value; });
    });
    return sum;
  }

  /**
   * The best unit loadings x ≥ 0 found on some features. A search from many starts: what it finds is there,
   * and where covariances are negative something better may be there too.
   */
  solve(features) {
    const size = features.length, block = new Float64Array(size * size);
    features.forEach((j, row) => { const column = this.column(j); features.forEach((i, at) => { block[row * size + at] = column[i]; }); });
    let best = { value: 0, loadings: new Float64Array(size) };
    for (let start = -1; start < size; start++) {
      const begun = Float64Array.from({ length: size }, (_, i) => Number(start < 0 || i === start));
      const found = climb(block, begun, FIRST);
      if (found.value > best.value) best = found;
    }
    return size ? climb(block, best.loadings, LAST) : best;
  }

  /** The feature that would add most to these loadings, were it painted too; −1 where none adds anything. */
  hint(features, { loadings, value }) {
    const pull = new Float64Array(this.n), taken = new Set(features);
    features.forEach((j, at) => { const column = this.column(j); for (let i = 0; i < this.n; i++) pull[i] += loadings[at] * column[i]; });
    let best = -1, most = value * (1 + 1e-9);
    for (let j = 0; j < this.n; j++) {
      if (taken.has(j)) continue;
      const own = this.diagonal[j], b = Math.max(pull[j], 0);
      const together = (value + own) / 2 + Math.hypot((value - own) / 2, b);
      if (together > most) { most = together; best = j; }
    }
    return best;
  }
}

/** Truncated power steps on a small matrix: x becomes the positive part of Bx, made a unit vector. */
function climb(block, begun, steps) {
  const size = begun.length;
  let value = 0, loadings = unit(begun);
  for (let step = 0; step < steps; step++) {
    const pulled = new Float64Array(size);
    let now = 0;
    for (let i = 0; i < size; i++) {
      let sum = 0;
      for (let j = 0; j < size; j++) sum += block[i * size + j] * loadings[j];
      pulled[i] = Math.max(sum, 0);
      now += sum * loadings[i];
    }
    const done = step > 0 && now - value <= 1e-13 * now, next = unit(pulled);
    value = now;
    if (done || step === steps - 1 || !next.some(Boolean)) break;
    loadings = next;
  }
  return { value, loadings };
}

/** Painted features as a text for the link, one bit each, and back. */
function maskText(features, n) {
  if (!features.length) return "";
  const bytes = new Uint8Array(Math.ceil(n / 8));
  for (const j of features) bytes[j >> 3] |= 1 << (j & 7);
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function maskFeatures(text, n, most) {
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const features = Array.from({ length: n }, (_, j) => j).filter((j) => (bytes.charCodeAt(j >> 3) >> (j & 7)) & 1);
    return bytes.length === Math.ceil(n / 8) && features.length <= most ? features : [];
  } catch {
    return [];
  }
}

const judges = new Map();

/** The judge of a board: made once, for every figure that asks. */
function judgeOf(board) {
  if (!judges.has(board)) judges.set(board, new Judge(board));
  return judges.get(board);
}
