"""Asteris et al. (2014), Fig. 3: six disjoint parts of faces by Alg. 3 and by EM, with their upper bounds."""

from __future__ import annotations

import numpy as np

from nnspca.components._decompose import decompose
from nnspca.components._sweep import sweep_parts
from nnspca.result import Component, PartsPoint
from nnspca.studies.asteris2014_curves import TITLES
from nnspca.studies.picture import Band, Bars, Curves, Line, Parts
from nnspca.studies.study import Study, Task
from nnspca.studies.table import Cell, Column, StudyTable

PARTS, CARDINALITY = 6, 40
METHODS = ("epsilon-net", "em")
SAMPLES = "samples"
REDUCED_COUNTS = (2, PARTS)  # numbers of parts with a proven band in the reduced form
SEEKING = 0.5  # share of the progress for the two methods


class _Faces:
    """The parts found so far, and their tables."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.data, self.cov = task.data[0], task.covariance()
        self.leading = float(self.cov.eigenpairs(1)[0][0])
        self.k = min(CARDINALITY, max(1, self.cov.n_features // PARTS))
        self.loadings: dict[tuple[str, int], np.ndarray] = {}
        self.proven: dict[tuple[str, int], float] = {}
        self.points: dict[int, PartsPoint] = {}

    def add_part(self, part: Component) -> None:
        number = 1 + sum(method == part.method for method, _ in self.loadings)
        self.loadings[part.method, number] = part.loadings
        self.task.show(self.tables())

    def add_point(self, point: PartsPoint) -> None:
        self.points[point.n_components] = point
        self.task.show(self.tables())

    def variance(self, method: str, part: int) -> float | None:
        """Normalised variance of one part."""
        x = self.loadings.get((method, part))
        return None if x is None else float(self.cov.variance(x)) / self.leading

    def total(self, method: str, count: int) -> float | None:
        """Normalised variance of the first parts together; None if they are not all known."""
        variances = [self.variance(method, part) for part in range(1, count + 1)]
        known = [value for value in variances if value is not None]
        return sum(known) if len(known) == count else None

    def tables(self) -> tuple[StudyTable, ...]:
        return self._images(), self._variances(), self._together()

    def _images(self) -> StudyTable:
        sample_indices = np.unique(np.linspace(0, len(self.data.X) - 1, PARTS).round().astype(int))
        rows: list[tuple[Cell, ...]] = [
            (SAMPLES, i + 1, j, float(grey))
            for i, s in enumerate(sample_indices)
            for j, grey in enumerate(self.data.X[s])
        ]
        captions = []
        for (method, part), x in self.loadings.items():
            rows += [(TITLES[method], part, int(j), float(x[j])) for j in np.flatnonzero(x)]
            captions.append(((TITLES[method], part), f"{self.variance(method, part):.3f} λ₁"))
        columns = (Column("group", "Strip"), Column("part", "Image"), Column("feature"), Column("loading", digits=4))
        shape = self.data.image_shape or (1, self.data.n_features)
        title = f"{PARTS} disjoint parts of at most {self.k} pixels"
        picture = Parts(shape, captions=tuple(captions), plain=(SAMPLES,))
        note = "Below each part: its variance. Parts are found one after another."
        return StudyTable("parts", title, columns, tuple(rows), picture, note)

    def _variances(self) -> StudyTable:
        rows: list[tuple[Cell, ...]] = []
        for part in range(1, PARTS + 1):
            variances = [self.variance(m, part) for m in METHODS]
            if variances == [None, None]:
                break
            shares = [self.proven.get((m, part)) for m in METHODS] if self.task.full else []
            rows.append((part, *variances, *[self.total(m, part) for m in METHODS], *shares))
        columns = (
            Column("part", "Part"),
            *[Column(m, f"{TITLES[m]}: variance ÷ λ₁", 3) for m in METHODS],
            *[Column(f"{m}-sum", f"{TITLES[m]}: sum", 4) for m in METHODS],
        )
        note = "Disjoint parts are orthogonal, so their variances add up."
        if self.task.full:
            columns += tuple(Column(f"{m}-share", f"{TITLES[m]}: proven share", 4, "down") for m in METHODS)
            note += " Proven share: of the optimum over the pixels that are unused at that step."
        picture = Bars("part", tuple(Line(m, TITLES[m]) for m in METHODS), "variance ÷ λ₁", "part, in the order found")
        return StudyTable("variances", "Variance of each part", columns, tuple(rows), picture, note)

    def _together(self) -> StudyTable:
        """Sums of variances of the first parts of each method, of parts found jointly, and the proven band."""
        rows: list[tuple[Cell, ...]] = []
        for count in range(1, PARTS + 1):
            point = self.points.get(count)
            joint = None if point is None else float(point.together.variances.sum()) / self.leading
            proof = None if point is None else point.certificate
            upper = None if proof is None else proof.upper / self.leading
            sums = [*[self.total(m, count) for m in METHODS], joint]
            attained = [value for value in sums if value is not None]
            shares = [None if value is None or upper is None else min(value / upper, 1.0) for value in sums]
            low = None if upper is None else max(attained)
            if attained:
                rows.append((count, *sums, low, upper, *shares))
        columns = (
            Column("parts", "Parts"),
            *[Column(m, TITLES[m], 4) for m in METHODS],
            Column("together", "Together", 4),
            Column("low", "Best known", 4, "down"),
            Column("upper", "Bound", 4, "up"),
            *[Column(f"{m}-of-best", f"{TITLES[m]}: share of the optimum, at least", 4, "down") for m in METHODS],
            Column("together-of-best", "Together: share of the optimum, at least", 4, "down"),
        )
        picture = Curves(
            "parts",
            (*[Line(m, TITLES[m]) for m in METHODS], Line("together", "found jointly")),
            "number of parts",
            "sum of variances ÷ λ₁",
            bands=(Band("low", "upper", "the optimum lies here (proven)"),),
        )
        note = (
            f"Disjoint parts of at most {self.k} pixels. The joint parts and the band are our addition: "
            "the bound holds for all disjoint parts."
        )
        return StudyTable("together", "Parts found jointly, and the optimum", columns, tuple(rows), picture, note)


def _parts(task: Task) -> tuple[StudyTable, ...]:
    """Find the parts by both methods, each part among the pixels no earlier one uses."""
    faces = _Faces(task)
    for place, method in enumerate(METHODS):
        if task.monitor.stop():
            break
        result = decompose(
            faces.cov,
            PARTS,
            faces.k,
            method,
            certify="live" if task.full else None,
            on_part=faces.add_part,
            **task.settings(SEEKING * place / len(METHODS), SEEKING * (place + 1) / len(METHODS)),
        )
        for number, (part, proof) in enumerate(zip(result.parts, result.certificates, strict=False), start=1):
            faces.proven[method, number] = part.variance / proof.upper
        task.show(faces.tables())
    if not task.monitor.stop():
        counts = range(1, PARTS + 1) if task.full else REDUCED_COUNTS
        sweep_parts(faces.cov, counts, faces.k, on_point=faces.add_point, **task.settings(SEEKING, 1.0))
    return faces.tables()


STUDIES = (
    Study(
        "asteris2014-fig3",
        "asteris2014",
        "Fig. 3",
        "Six parts of faces",
        "Six components of at most 40 pixels each, found one after another: the pixels of each part are removed "
        "before the next part is found. Being nonnegative and sparse, the parts are regions of a face, not ghosts of "
        "a whole face. The first parts of the two methods nearly agree; later ones may differ, since each depends on "
        "the earlier ones.",
        "The faces are the version of Lee and Seung; the paper does not say how its images were normalised, and its "
        "figure prints no numbers to compare with. The six samples are spread evenly over the data, not those of the "
        "paper. Our additions are the proven share of the optimum for each part (full form only), the parts found "
        "jointly, and the proven upper bound on the total variance of as many parts.",
        _parts,
        ("cbcl-faces",),
        ("lfw-faces",),
        1.0,
    ),
)
