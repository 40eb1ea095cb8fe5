"""The number of DAGs."""

from __future__ import annotations

from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

import bnml
from bnml.errors import ArgumentError
from bnml.graph import count_dags

from . import naive


def test_published_numbers():
    """OEIS A003024."""
    numbers = [1, 1, 3, 25, 543, 29281, 3781503, 1138779265, 783702329343, 1213442454842881, 4175098976430598143]
    assert [count_dags(n) for n in range(11)] == numbers


@pytest.mark.parametrize("n", range(5))
def test_enumeration(n):
    assert count_dags(n) == sum(1 for _ in naive.all_dags("ABCDE"[:n]))


def test_large():
    assert count_dags(200).bit_length() > 19_900


@pytest.mark.parametrize("n", [3.0, np.float32(3), np.int64(3)])
def test_whole_numbers_of_other_types(n):
    assert count_dags(n) == 25


@pytest.mark.parametrize("n", [-1, -1.0, 2.5, float("inf"), float("nan"), "3", None, True, False, [3]])
def test_refused(n):
    with pytest.raises(ArgumentError, match="n must be"):
        count_dags(n)


def test_complete_components_are_counted_by_listing_them():
    for n in range(5):
        names = [f"V{i}" for i in range(n)]
        number = 0
        for choice in product((0, 1, 2), repeat=n * (n - 1) // 2):
            graph = nx.DiGraph()
            graph.add_nodes_from(names)
            graph.add_edges_from(
                p if c == 1 else p[::-1] for p, c in zip(combinations(names, 2), choice, strict=True) if c
            )
            parts = [len(part) for part in nx.weakly_connected_components(graph)]
            complete = 2 * graph.number_of_edges() == sum(k * (k - 1) for k in parts)
            number += complete and nx.is_directed_acyclic_graph(graph)
        assert bnml.count_complete_component_networks(n) == number


@pytest.mark.parametrize("n", [-1, 2.5, "3", None, True])
def test_what_is_no_number_of_nodes(n):
    with pytest.raises(ArgumentError, match="n must be"):
        bnml.count_complete_component_networks(n)
