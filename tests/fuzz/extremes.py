"""Numbers and arrays that no honest certificate holds."""

import numpy as np

NUMBERS = (
    0.0, -0.0, 5e-324, -5e-324, 1e-320, 1e-310, 2.2250738585072014e-308, 1e-300, 1e-200, 1e-170, 1e-162, 1e-155, 1e-150,
    1e-100, 1e-50, 1e-20, 1e-9, 1.0, -1.0, 1e9, 1e20, 1e50, 1e100, 1e149, 1e150, 1e154, 1e155, 1e200, 1e300, 1e308,
    1.7e308, -1e308, np.inf, -np.inf, np.nan,
)  # fmt: skip
STRANGE = (
    None, True, False, 10**400, -(10**400), 2**63, 2**53 + 1, 1j, 1 + 0j, "1", b"1", (), [1.0], {}, np.float32(1e30),
)  # fmt: skip
DTYPES = (complex, object, str, np.float32, np.float16, np.longdouble, np.int64, np.uint8, bool)


def number(rng, honest):
    """An honest number, as it is, moved, or another one altogether."""
    kind = rng.integers(8)
    if kind < 4:
        return honest
    if kind == 4:
        return honest * (1 + float(rng.choice([-1, 1])) * 10.0 ** rng.uniform(-16, 1))
    if kind == 5:
        return honest * float(rng.choice(NUMBERS))
    return NUMBERS[rng.integers(len(NUMBERS))] if kind == 6 else STRANGE[rng.integers(len(STRANGE))]


def array(rng, honest, *, symmetric=False):
    """An honest array, as it is, scaled, with some other entries, or of another dtype, shape or class."""
    kind = rng.integers(12)
    made = np.array(honest)
    if kind < 5 or not made.size:
        return made
    with np.errstate(all="ignore"):
        if kind == 5:
            return made * float(rng.choice(NUMBERS))
        if kind <= 8:
            made = made.astype(float) if made.dtype.kind in "iu" else made
            where = rng.random(made.shape) < rng.choice([0.1, 0.5, 1.0])
            if symmetric and made.ndim == 2:
                where = where | where.T
            value = rng.choice(NUMBERS)
            return np.where(where, value if rng.random() < 0.5 else made * value, made)
        if kind == 9:
            try:
                return made.astype(DTYPES[rng.integers(len(DTYPES))])
            except (OverflowError, ValueError):
                return made.astype(object)
    if kind == 10:
        shapes = (made[:-1], made[..., None], made.T, made.ravel(), made[None], made[:0], np.array(1.0))
        return shapes[rng.integers(len(shapes))]
    others = (
        None,
        made.tolist(),
        np.ma.masked_array(made, made > 0),
        np.ma.masked_array(made, rng.random(made.shape) < 0.5),
        made.tobytes(),
        "array",
        np.ascontiguousarray(made).view("M8[s]"),
    )
    return others[rng.integers(len(others))] if made.dtype.kind == "f" else None
