"""A key of the link says one thing: what one page leaves in it, another page never takes for something else."""

from collections import defaultdict

from nnspca.view.session import state


def test_pages_that_share_a_key_mean_the_same_kind_of_thing_by_it():
    """A visit to Variance left its switch for Experiments, which found “False” where a paper's name should be."""
    meant = defaultdict(set)
    for entry in state.TABLE:
        meant[entry.key].add((entry.kind, entry.widget, str(entry.options)))
    assert not {key: kinds for key, kinds in meant.items() if len(kinds) > 1}
