"""Which records of groups are joined: through the groups, as pair by pair."""

from itertools import combinations_with_replacement

from hypothesis import given
from hypothesis import strategies as st

from dpcompose.spaces.moves.replacements import Groups

RECORDS = tuple("abcdefgh")


@given(st.sets(st.frozensets(st.sampled_from(RECORDS), min_size=2, max_size=4), max_size=4), st.data())
def test_groups_join_what_they_join_pair_by_pair(groups, data):
    policy = Groups(frozenset(groups))
    kinds: dict[object, list[str]] = {}
    for x in RECORDS:
        apart = data.draw(st.booleans(), label=f"{x} is told apart")
        kinds.setdefault(x if apart else policy.alike(x, None), []).append(x)
    atoms = list(kinds.values())
    pairs = combinations_with_replacement(enumerate(atoms), 2)
    assert policy.joined(atoms, None) == {
        (n, m)
        for (n, some), (m, others) in pairs
        if some[0] != others[-1] and policy.joins(some[0], others[-1], None)
    }
