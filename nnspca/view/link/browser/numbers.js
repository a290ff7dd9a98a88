// Numbers: unpacked from the wire, and said so that they never flatter us.

const KINDS = { u1: Uint8Array, u2: Uint16Array, i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.data), (c) => c.charCodeAt(0));
  return new KINDS[packed.kind](bytes.buffer);
}

// A hair of slack, far below any digit shown, keeps 0.98 from being said as 0.979999 or 0.980001.
const floorTo = (value, digits) => (Math.floor(value * 10 ** digits + 1e-7) / 10 ** digits).toFixed(digits);
const ceilTo = (value, digits) => (Math.ceil(value * 10 ** digits - 1e-7) / 10 ** digits).toFixed(digits);

/** A number with so many decimals; what rounds to zero has no sign. */
const decimals = (value, digits) => {
  const said = value.toFixed(digits);
  return Number(said) === 0 ? said.replace("-", "") : said.replace("-", "−");
};

/** Decimals of a proven share and of its gap, in percent: as many as the gap needs. */
const gapDigits = (gap) => 1 + (gap < 0.01) + (gap > OPTIMAL && gap < 0.001);

/** What a gap says beside a point; nothing where there is none. */
const gapWords = (gap) => (gap === null ? "" : gap <= OPTIMAL ? ", proven optimal" : `, gap at most ${ceilTo(100 * gap, gapDigits(gap))} %`);

/** A vector made one of length 1; that of length 0 stays. */
function unit(x) {
  const size = Math.hypot(...x) || 1;
  return x.map((v) => v / size);
}

/** Of some places {x, y} the one nearest to a point, if one is within reach. */
function nearestTo(x, y, places, reach) {
  let found = null, least = reach;
  for (const place of places) {
    const away = Math.hypot(place.x - x, place.y - y);
    if (away < least) [found, least] = [place, away];
  }
  return found;
}

/** Round values from 0 up to `most`, about so many. */
function evenly(most, about = 4) {
  const rough = most / about, size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * size).find((v) => v >= rough);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** A round value beside an axis, in few characters. */
function tick(value) {
  const size = Math.abs(value);
  const said = size && (size < 0.005 || size >= 1e5) ? value.toExponential(0).replace("e+", "e") : String(Number(value.toPrecision(3)));
  return said.replaceAll("-", "−");
}

const count = (value) => value.toLocaleString("en");
