"""Arrows point down only: who may import whom, read off the sources."""

import ast
import functools
import graphlib
import itertools
import re
from pathlib import Path

import pytest

import nnspca
from nnspca.view.link.state import PAGES

PACKAGE = Path(nnspca.__file__).parent
ROOT = PACKAGE.parent
# each layer may import those below it, and its own
LAYERS = (
    ("app", "nnspca.__main__"),
    ("pages",),
    tuple(f"nnspca.view.{page}" for page in (*PAGES, "frame")),
    ("nnspca.view.export",),  # what goes home of a component or of parts
    ("nnspca.view.certificate",),  # what a certificate says is shown by several pages
    ("nnspca.view.chance", "nnspca.view.necessity", "nnspca.view.stability"),  # how far an answer holds, too
    ("nnspca.view.collection",),
    ("nnspca.view.ui",),
    ("nnspca.view.subject",),
    ("nnspca.view.sources", "nnspca.view.ledger", "nnspca.view.stored"),
    ("nnspca.view.running", "nnspca.view.machines"),
    ("nnspca.view.link",),
    ("nnspca.view.figures",),
    ("nnspca.view.session", "nnspca.view.cache"),
    ("nnspca.view.say", "nnspca.view.sanitize", "nnspca.view.jobs", "nnspca.view.desk", "nnspca.docs"),
    ("nnspca.studies", "nnspca.estimator", "nnspca.anndata"),
    ("nnspca.components", "nnspca.resampling"),
    ("nnspca.tasks",),
    ("nnspca.certificates.judge", "nnspca.certificates.file"),
    ("nnspca.solvers", "nnspca.bounds"),
    ("nnspca.certificates", "nnspca.spannogram"),
    ("nnspca.covariance",),
    ("nnspca.result", "nnspca.machines", "nnspca.numerics"),
    ("nnspca.control", "nnspca.errors", "nnspca.figures"),
)
ROOMS = LAYERS[2]  # one a page, and the frame around each: they do not know each other
# Beside the layers: any room may use them, they use little (a test below says what).
APART = ("nnspca.datasets", "nnspca.check", "nnspca.check_more")
JUDGE = ("nnspca.certificates",)


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
SOURCES |= {name_of(path): path for path in [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]}


def parsed(name):
    return ast.parse(SOURCES[name].read_text(encoding="utf-8"))


@functools.cache
def imports_in(name):
    """The statements of a source that import, those inside functions too."""
    return [node for node in ast.walk(parsed(name)) if isinstance(node, ast.Import | ast.ImportFrom)]


@functools.cache
def imports_of(name):
    """Full names of all modules a source imports."""
    package = name if SOURCES[name].name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in imports_in(name):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            base = node.module or ""
            if node.level:
                home = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*home, base] if base else home)
            found |= {f"{base}.{a.name}" if f"{base}.{a.name}" in SOURCES else base for a in node.names}
    return found


def barred(names, wrong):
    """Who of these imports what it may not: ``wrong(name, other)`` says so of each of its imports."""
    return [f"{name} imports {other}" for name in names for other in sorted(imports_of(name)) if wrong(name, other)]


def within(name, roots):
    return any(name == root or name.startswith(root + ".") for root in roots)


def layer_of(name):
    """The layer of the longest root that the name lies in: a module may stand apart from its room."""
    homes = [(len(root), i) for i, layer in enumerate(LAYERS) for root in layer if within(name, (root,))]
    return max(homes)[1] if homes else None


INNER = [name for name in SOURCES if name not in ("nnspca", "nnspca.view")]


def inside(*roots):
    return [name for name in INNER if within(name, roots)]


def test_every_module_has_its_place():
    assert INNER
    assert not [name for name in INNER if layer_of(name) is None and not within(name, APART)]


def test_the_map_names_every_room():
    text = (ROOT / "nnspca" / "docs" / "architecture" / "index.md").read_text(encoding="utf-8").partition("```text")[2]
    rooms = {name for name in INNER if name.count(".") == 1 + name.startswith("nnspca.view.")} - {"nnspca.__main__"}
    assert not [name for name in rooms if not re.search(rf"\b{name.rpartition('.')[2]}\b", text.partition("```")[0])]


def test_arrows_point_down():
    def points_up(name, other):
        if not within(other, ("nnspca", "pages", "app")) or within(other, APART):
            return False
        if other == "nnspca":  # the whole package
            return layer_of(name) > layer_of("nnspca.view.say")
        return layer_of(other) < layer_of(name)

    assert not barred([name for name in INNER if layer_of(name) is not None], points_up)


def test_no_module_imports_one_that_imports_it():
    graphlib.TopologicalSorter({name: imports_of(name) & SOURCES.keys() - {name} for name in SOURCES}).prepare()


def test_the_data_sets_know_only_themselves_and_what_lies_below_all():
    below = (*APART, "nnspca.control", "nnspca.covariance.input", "nnspca.numerics", "nnspca.errors")
    assert not barred(inside(*APART), lambda _, other: within(other, ("nnspca",)) and not within(other, below))


def test_the_judge_knows_no_defendant():
    defendants = ("nnspca.solvers", "nnspca.bounds", "nnspca.spannogram", "nnspca.tasks")
    assert not barred(inside(*JUDGE), lambda _, other: within(other, defendants) or other == "nnspca")


def test_who_judges_and_who_writes_share_nothing_but_the_proofs():
    room, proofs, writers = "nnspca.certificates", "nnspca.certificates.proofs", "nnspca.certificates.exact"
    judges = [name for name in inside(room) if not within(name, (writers, f"{room}.file"))]
    assert not barred(judges, lambda _, other: within(other, (writers,)))
    assert not barred(inside(writers), lambda _, other: within(other, (room,)) and not within(other, (writers, proofs)))


def test_solvers_and_bounds_do_not_know_each_other():
    for one, other in itertools.permutations(("nnspca.solvers", "nnspca.bounds")):
        assert not barred(inside(one), lambda _, found, other=other: within(found, (other,)))


def test_the_rooms_of_pages_do_not_know_each_other():
    for own in ROOMS:
        others = [room for room in ROOMS if room != own]
        assert not barred(inside(own), lambda _, found, others=others: within(found, others))


def test_every_page_has_a_script_a_room_a_line_in_the_app_and_keys_in_the_link():
    """What a test says of every page it says of those of the link's table."""
    scripts = {name.removeprefix("pages.") for name in SOURCES if name.startswith("pages.")} - {"main"}
    rooms = {room.removeprefix("nnspca.view.") for room in ROOMS} - {"frame"}
    strings = {node.value for node in ast.walk(parsed("pages.main")) if isinstance(node, ast.Constant)}
    shown = {word.removesuffix(".py") for word in strings if isinstance(word, str) and word.endswith(".py")}
    assert scripts == rooms == shown == set(PAGES)


def test_a_page_knows_its_own_room_and_what_pages_share():
    def anothers(name, other):
        return within(other, [room for room in ROOMS if room != f"nnspca.view.{name.removeprefix('pages.')}"])

    pages = [name for name in SOURCES if name.startswith("pages.") and name != "pages.main"]  # what all of them share
    assert not barred(pages, anothers)


def test_only_the_app_knows_streamlit_and_only_figures_know_plotly():
    """A figure knows arrays and colours."""

    def wrong(name, other):
        drawing = within(name, ("nnspca.view", "nnspca.figures")) and "figures" in name.split(".")
        on_screen = within(name, ("app", "pages", "nnspca.view")) and not drawing
        return (within(other, ("streamlit",)) and not on_screen) or (within(other, ("plotly",)) and not drawing)

    assert not barred(SOURCES, wrong)


def test_the_app_imports_nothing_private_of_the_library():
    """A module or a name with a leading underscore may change without a word."""
    on_screen = [name for name in SOURCES if within(name, ("app", "pages", "nnspca.view"))]

    def private(_, other):
        return within(other, ("nnspca",)) and any(part.startswith("_") for part in other.split("."))

    assert not barred(on_screen, private)
    taken = [
        f"{name} takes {alias.name}"
        for name in on_screen
        for node in imports_in(name)
        if isinstance(node, ast.ImportFrom) and within(node.module or "", ("nnspca",))
        for alias in node.names
        if alias.name.startswith("_")
    ]
    assert not taken


def test_no_name_is_used_that_streamlit_does_not_promise():
    """What its documentation promises are the names of ``streamlit`` itself."""

    def unpromised(node):
        if isinstance(node, ast.Import):
            return any(alias.name.startswith("streamlit.") for alias in node.names)
        return (node.module or "").split(".")[0] == "streamlit"

    having = [name for name in SOURCES if any(map(unpromised, imports_in(name)))]
    assert not having


def test_the_package_itself_defines_nothing_but_how_names_are_found():
    functions = {node.name for node in parsed("nnspca").body if isinstance(node, ast.FunctionDef)}
    assert functions == {"__getattr__", "__dir__"}
    assert all(hasattr(nnspca, name) for name in nnspca.__all__)
    assert set(dir(nnspca)) == {*nnspca.__all__, "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'NonpositiveSparsePCA'"):
        nnspca.NonpositiveSparsePCA  # noqa: B018


def test_the_walls_of_this_test_stand():
    """A reader of imports that finds none would let everything pass."""
    assert "nnspca.covariance" in imports_of("nnspca.tasks._certify")
    assert "nnspca.solvers.climb" in imports_of("nnspca.solvers.climb") | imports_of("nnspca.solvers.best")
    assert "streamlit" in imports_of("app")
    assert layer_of("nnspca.solvers.em") < layer_of("nnspca.spannogram.sphere") < layer_of("nnspca.numerics.feasible")


def test_nothing_in_the_program_imports_the_documents():
    program = [name for name in SOURCES if not within(name, ("nnspca.docs",))]
    assert not barred(program, lambda _, other: within(other, ("nnspca.docs",)))
