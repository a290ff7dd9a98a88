"""What the documents say in code runs as it stands, without a warning; the site is whole, and needs no network."""

import doctest
import fcntl
import inspect
import os
import re
import subprocess
import sys
import tomllib
from itertools import product
from operator import attrgetter
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

import nnspca
import nnspca.docs.__main__ as command
from nnspca.docs.site import conf, generator
from nnspca.numerics import rounding
from nnspca.result import rounded
from nnspca.view import chance
from nnspca.view.link import state
from tests.benchmarks import measured
from tests.benchmarks.certificates import IN_README, shown
from tests.stored import DRAWING

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "nnspca" / "docs"
PEERS = (DOCS / "peers.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PEERS.splitlines() if line.startswith("| ")]
OURS = {row[0]: re.findall(r"`([^`]+)`", row[1]) for row in ROWS[1:]}
EXAMPLES = {path.stem: path for path in sorted((DOCS / "gallery").glob("*.md")) if path.stem != "index"}
ENTRIES = {  # of the registries, and where they stand
    *("bounds.registry.BoundInfo", "bounds.registry.PARTS_BOUNDS", "components.DeflationInfo"),
    *("covariance.choosing.MostVariable", "solvers.registry.MethodInfo", "solvers.registry.OptionInfo"),
}
README = (ROOT / "README.md").read_text(encoding="utf-8")
WRITTEN = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", DOCS.parent / "certificates" / "CERTIFICATE.md"]


def test_what_the_table_of_peers_says_of_us_runs():
    assert OURS and {len(row) for row in ROWS} == {3}
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(PEERS):  # what stands before the table
        exec(example.source, names)
    for code in [code for codes in OURS.values() for code in codes]:
        eval(code, dict(names))
    assert all(row[1].startswith("–") for row in ROWS[1:] if not OURS[row[0]])


def test_the_change_list_and_the_citation_name_the_version():
    assert f"## {nnspca.__version__}" in (DOCS / "changelog.md").read_text(encoding="utf-8")
    assert f"\nversion: {nnspca.__version__}\n" in (DOCS / "CITATION.cff").read_text(encoding="utf-8")


def test_the_readme_says_that_no_licence_is_claimed():
    assert "No licence has been chosen" in README
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "license" not in project and not any("License" in line for line in project["classifiers"])


def test_links_between_files_lead_to_files():
    for page in WRITTEN:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.S)
        named = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
        local = [link for link in named if link and not link.startswith(("http://", "https://"))]
        assert not [link for link in local if not (page.parent / link).exists()], page


def test_no_file_says_whoever():
    """Nor the other two: outside the glossary's list and this file, in no source, style, script or document."""
    texts = {
        path: path.read_text(encoding="utf-8")
        for ending in ("py", "js", "css", "html", "md", "toml")
        for folder in ("nnspca", "pages", "tests", ".streamlit")
        for path in (ROOT / folder).rglob(f"*.{ending}")
        if path != Path(__file__) and path.name != "glossary.md"
    }
    assert not [str(p) for p, text in texts.items() if re.search(r"\b(whoever|nobody|somebody)\b", text, re.I)]


def test_what_the_guide_says_of_chance_for_leukemia_is_what_is_stored():
    said = (DOCS / "guide" / "chance.md").read_text(encoding="utf-8").partition("## Leukemia")[2]
    (held,) = (
        of
        for of in chance.chances().values()
        if of["name"] == "leukemia" and (of["k"], of["standardise"]) == (40, False)
    )
    _, share, reach, _ = next(row for row in held["ks"] if row[0] == 40)
    for number in (rounded.percent(share), rounded.percent(reach, up=True), rounded.percent(1 / 12_582)):
        assert number in " ".join(said.split()), number


def test_spelling():
    words = [str(page) for page in [*WRITTEN, DOCS / "reference" / "reference.toml"]]
    done = subprocess.run([sys.executable, "-m", "codespell_lib", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# What was measured, and what code says


def test_numbers_in_the_documents_are_those_measured():
    """If not: ``python -m tests.benchmarks.measured``."""
    told = measured.load()
    for page in measured.PAGES:
        text = page.read_text(encoding="utf-8")
        assert text == measured.filled(text, told), page
    for text in (README, (DOCS / "guide" / "benchmarks.md").read_text(encoding="utf-8")):
        cells = [line.strip("| ").split(" | ") for line in text.splitlines() if re.match(r"\| \w.* \| [<\d]", line)]
        for name, _, k, _, live, *_ in [row for row in cells if len(row) > 4]:
            set_name, scaled = IN_README.get(name, (name, False))
            case = f"{set_name}{' standardised' * scaled}, k = {k}"
            assert case not in told or live == shown(told[case][0], 1.0), case


def test_each_allowance_is_told_with_its_arguments():
    page = (DOCS / "mathematics" / "rounding.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"`(\w+)\(([^`]*)\)`", page))
    for name, function in inspect.getmembers(rounding, inspect.isfunction):
        wanted = [a.name for a in inspect.signature(function).parameters.values() if a.default is a.empty]
        assert name == "added" or len(told.get(name, "").split(", ")) == len(wanted), name


def test_formulas_of_the_mathematics_are_set():
    for page in (DOCS / "mathematics").glob("*.md"):
        text = re.sub(
            r"(?s)```.*?```|\$\$.*?\$\$|`[^`]+`|\$[^$]+\$|\]\([^)]*\)|d'Aspremont", "", page.read_text("utf-8")
        )
        assert not re.findall(r"\S*\w_[\w{]\S*|\S*\w\^[\w{(]\S*|\b[a-zA-Z]'[A-Z]\w*", text), page


# The reference


def test_the_reference_has_every_public_name():
    public = set(nnspca.__all__) - {"anndata", "datasets", "result"} | ENTRIES
    returned = {name for name in nnspca.result.__all__ if hasattr(getattr(nnspca.result, name), "__dataclass_fields__")}
    exported = {"datasets": nnspca.datasets.__all__, "anndata": nnspca.anndata.__all__}
    for module, names in (exported | {"result": returned - public - {"Sandwich"}}).items():
        public |= {f"{module}.{name}" for name in names}
    assert {name.removeprefix("nnspca.") for name in conf.NAMES} == public


def test_every_public_name_has_an_example_and_something_to_read_next():
    for name, said in conf.NAMES.items():
        own = name.removeprefix("nnspca.")
        written = DOCS / "reference" / f"{own.lower()}.md"
        text = written.read_text("utf-8") if written.exists() else inspect.getdoc(attrgetter(own)(nnspca)) or ""
        assert ">>> " in text, name
        assert said["see"] and {f"nnspca.{other}" for other in said["see"]} <= set(conf.NAMES), name


def test_each_call_takes_a_keyword_or_one_reason_says_why_not():
    for call, word in product(conf.KEYWORDS["calls"], conf.KEYWORDS["words"]):
        taken = word in inspect.signature(attrgetter(call)(nnspca)).parameters
        assert len(conf.reasons(call, word)) == (not taken), (call, word)


# The gallery


def test_the_index_of_the_gallery_has_every_example():
    index = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    assert set(EXAMPLES) == set(re.findall(r"\]\((\w+)\.md\)", index))


def test_every_example_has_a_picture_every_picture_a_page_and_all_are_light():
    pictures = {path.stem: path for path in (DOCS / "pictures").glob("*.png")}
    assert set(EXAMPLES) <= set(DRAWING) <= set(pictures)
    assert all(any(f"/{name}.png" in page.read_text("utf-8") for page in WRITTEN) for name in pictures)
    assert sum(path.stat().st_size for path in pictures.values()) < 600_000


def test_the_examples_links_into_the_app_name_pages_and_keys_that_it_has():
    known = [info.name for info in nnspca.datasets.available()]
    keys = {entry.key: entry for entry in state.TABLE}
    for name, path in EXAMPLES.items():
        (address,) = re.findall(r'<a href="(.+)">See the same in the app', path.read_text(encoding="utf-8"))
        link = urlsplit(address)
        assert (link.path.strip("/") or "explore") in state.PAGES, name
        for key, value in parse_qsl(link.query, strict_parsing=bool(link.query)):
            allowed = keys[key].options or (known if key == "data" else ())
            assert not allowed or value in map(str, allowed), (name, key, value)


# The site


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site, built once for all workers."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "site"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "built").exists():
            # in a process of its own: autodoc changes the signatures of what it documents
            command = [sys.executable, "-m", "nnspca.docs", "build", str(folder)]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
            (folder / "built").touch()
    return folder


@pytest.mark.heavy
@pytest.mark.timeout(1800)  # to build it takes most of a minute of computing
def test_the_site_is_whole(site):
    """No warning of Sphinx, which knows dead links: what ``build`` returns. Nothing is loaded from elsewhere."""
    for name in conf.NAMES:
        own = f"{name}-class" if name in conf.CLASSES else name
        assert (site / "reference" / f"{own}.html").exists() or (DOCS / "reference" / f"{name[7:].lower()}.md").exists()
    for name in EXAMPLES:
        assert (site / "gallery" / f"{name}.html").exists() and (site / "_images" / f"{name}.png").exists()
    assert "<math" in (site / "index.html").read_text(encoding="utf-8")
    assert "nnspca.solve.html" in (site / "start" / "python.html").read_text(encoding="utf-8"), "names become links"
    for page in site.rglob("*.html"):
        loaded = re.findall(r"<(?:script|img|link|iframe)\b[^>]*?(?:src|href)=.(?:https?:)?//", page.read_text("utf-8"))
        assert not loaded, page


def test_a_folder_of_other_files_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds other files"):
        generator.build(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_the_command_says_what_is_amiss(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(generator, "build", lambda folder: [f"{folder.name}: b.html leads nowhere"])
    assert command.main(["build", str(tmp_path / "site")]) == 1
    assert "b.html leads nowhere" in capsys.readouterr().err
