"""A page's redraw stays in few modules: a newcomer can read all of them."""

from tests.benchmarks.redraw import measure

SHARED = ("nnspca.view.session", "nnspca.view.figures", "nnspca.view.certificate", "nnspca.view.words")


def test_a_redraw_of_the_variance_page_stays_in_its_room_and_the_shared_ones():
    seen = measure("variance")
    assert all(name.startswith(("nnspca.view.explore.variance", *SHARED)) for name in seen.modules), sorted(
        seen.modules
    )
    assert len(seen.modules) <= 12, sorted(seen.modules)
    assert seen.calls <= 40, sorted(seen.crossings.items())
    assert "nnspca.view.explore.variance.panels" in seen.modules


def test_so_it_does_with_a_component_beside_the_curve():
    seen = measure("variance", point="5 · best")
    shared = ("nnspca.view.explore.variance", "nnspca.view.foreign", *SHARED)  # names of features may be anything
    assert all(name.startswith(shared) for name in seen.modules), sorted(seen.modules)
    assert len(seen.modules) <= 17, sorted(seen.modules)
    assert seen.calls <= 84, sorted(seen.crossings.items())
    assert "nnspca.view.certificate.component" in seen.modules
