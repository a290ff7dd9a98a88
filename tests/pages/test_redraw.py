"""A page's redraw stays in few modules: a newcomer can read all of them."""

from tests.benchmarks.redraw import measure

SHARED = tuple(
    f"nnspca.view.{room}"
    for room in ("link", "jobs", "sources", "ui", "results", "figures", "certificate", "words", "sanitize")
)


def test_a_redraw_of_the_explore_page_stays_in_its_room_and_the_shared_ones():
    seen = measure("explore")
    assert all(name.startswith(("nnspca.view.explore", *SHARED)) for name in seen.modules), sorted(seen.modules)
    assert not any(".samples" in name for name in seen.modules)  # what is folded costs nothing
    assert len(seen.modules) <= 30, sorted(seen.modules)
    assert seen.calls <= 285, sorted(seen.crossings.items())


def test_so_it_does_with_a_certificate_and_downloads_below_the_picture():
    seen = measure("explore", proof=True, more=True)
    assert all(name.startswith(("nnspca.view.explore", *SHARED)) for name in seen.modules), sorted(seen.modules)
    assert len(seen.modules) <= 36, sorted(seen.modules)
    assert seen.calls <= 425, sorted(seen.crossings.items())
    assert "nnspca.view.certificate.panels" in seen.modules


def test_samples_are_named_class_by_class_not_one_by_one():
    seen = measure("explore", data="digits", k=9, samples=True)
    assert "nnspca.view.explore.samples.panels" in seen.modules
    assert seen.crossings["nnspca.view.explore.samples.panels", "nnspca.view.explore.samples.claims"] <= 30
