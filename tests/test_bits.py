"""Sets of numbers as masks, and what they are looked up by."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from bnml._bits import mask_of, set_key

MASKS = st.integers(0, 2**80) | st.sets(st.integers(0, 3000)).map(mask_of)


def test_keys_of_pairs_of_many_nodes_have_different_hashes():
    masks = [1 << a | 1 << b for a, b in combinations(range(300), 2)]
    assert len(set(map(hash, masks))) < 2000, "what Python does with integers"
    assert len({hash(set_key(mask)) for mask in masks}) > 0.999 * len(masks)


@given(a=MASKS, b=MASKS)
def test_equal_sets_have_equal_keys_and_others_do_not(a, b):
    assert (set_key(a) == set_key(b)) == (a == b)
    assert set_key(a) == set_key(a + 0)
