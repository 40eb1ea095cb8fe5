"""The layout as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import ArgumentError
from bnml.graph import DAG, PDAG
from bnml.plot import layout
from bnml.plot.labels import box_size

from . import naive
from .strategies import dags, pdags


def box(found, name):
    (x, y), (width, height) = found.positions[name], found.sizes[name]
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def check(found, names, edges):
    assert set(found.positions) == set(found.sizes) == set(names)
    assert set(found.routes) == set(edges)
    boxes = {name: box(found, name) for name in names}
    for name, (left, top, right, bottom) in boxes.items():
        assert 0 <= left < right <= found.width
        assert 0 <= top < bottom <= found.height
        assert found.sizes[name][0] >= box_size(name)[0]
    for a, b in combinations(boxes.values(), 2):
        assert a[2] + 50 < b[0] or b[2] + 50 < a[0] or a[3] + 50 < b[1] or b[3] + 50 < a[1], "boxes keep apart"
    for (a, b), route in found.routes.items():
        down = route[-1][1] > route[0][1]
        start, end = boxes[a], boxes[b]
        assert route[0][1] == (start[3] if down else start[1]), "begins at the border"
        assert route[-1][1] == (end[1] if down else end[3]), "ends at the border"
        assert start[0] < route[0][0] < start[2]
        assert end[0] < route[-1][0] < end[2]
        assert all((y1 > y0) == down for (_, y0), (_, y1) in pairwise(route))
        for name in set(names) - {a, b}:
            left, top, right, bottom = boxes[name]
            for (x0, y0), (x1, y1) in pairwise(route):
                if max(y0, y1) > top and min(y0, y1) < bottom:
                    assert max(x0, x1) < left - 30 or min(x0, x1) > right + 30, "arcs run beside boxes"
    assert naive.polyline_crossings(list(found.routes.values())) == found.crossings


@given(dags())
@settings(max_examples=60, deadline=None)
def test_dags(dag):
    found = layout(dag)
    check(found, dag.names, dag.arcs)
    assert all(found.positions[a][1] < found.positions[b][1] for a, b in dag.arcs)


@given(pdags())
@settings(max_examples=60, deadline=None)
def test_pdags(pdag):
    found = layout(pdag)
    edges = {frozenset(edge): edge for edge in found.routes}
    assert set(pdag.directed) <= set(found.routes)
    assert set(map(frozenset, pdag.undirected)) <= set(edges)
    check(found, pdag.names, edges.values())
    assert len(edges) == len(pdag.directed) + len(pdag.undirected)


@given(dags(most=6), st.data())
@settings(max_examples=30, deadline=None)
def test_equal_graphs_have_equal_layouts(dag, data):
    names = data.draw(st.permutations(dag.names))
    assert layout(dag) == layout(dag.reordered(names))
    assert layout(dag.cpdag()) == layout(dag.reordered(names).cpdag())


def test_directed_cycles_are_drawn_too():
    ring = PDAG([*"ABC"], [("A", "B"), ("B", "C"), ("C", "A")])
    found = layout(ring)
    check(found, [*"ABC"], ring.directed)
    assert sum(found.positions[a][1] > found.positions[b][1] for a, b in ring.directed) == 1


def test_a_square_without_extension():
    square = PDAG([*"ABCD"], [], [("A", "B"), ("B", "C"), ("C", "D"), ("A", "D")])
    assert layout(square).crossings == 0


def test_wide_rows_are_broken():
    names = [f"feature{k}" for k in range(40)]
    found = layout(DAG(["class", *names], [("class", name) for name in names]))
    check(found, ["class", *names], found.routes)
    assert found.crossings == 0
    assert len({y for _, y in found.positions.values()}) > 3
    assert found.width < 12_000


def test_many_arcs_widen_the_box():
    names = [f"x{k}" for k in range(20)]
    found = layout(DAG(["A", *names], [("A", name) for name in names]))
    assert found.sizes["A"][0] > found.sizes["x0"][0]


def test_isolated_nodes_and_parts():
    dag = DAG([f"V{k}" for k in range(12)], [("V0", "V1"), ("V2", "V3"), ("V3", "V4")])
    found = layout(dag)
    check(found, dag.names, dag.arcs)
    assert found.positions["V0"][1] == found.positions["V2"][1], "side by side"
    single = [found.positions[f"V{k}"] for k in range(5, 12)]
    assert min(y for _, y in single) > found.positions["V4"][1]
    assert single == sorted(single, key=lambda point: (point[1], point[0])), "in the order of names"


def test_one_node():
    found = layout(DAG(["A"]))
    assert (found.width, found.height) == found.sizes["A"]
    assert found.crossings == 0


def test_does_not_depend_on_the_hash_seed():
    program = """
import random
from bnml.graph import DAG
from bnml.plot import graph_html, layout
dice = random.Random(0)
names = [f"N{k}" for k in range(30)]
dag = DAG(names, [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if dice.random() < 0.1])
print(layout(dag), layout(dag.cpdag()), graph_html(dag.cpdag()))
"""
    outputs = set()
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1


def test_loads_no_matplotlib():
    program = """
import sys
from bnml.graph import DAG
import bnml.plot
bnml.plot.layout(DAG(["A"]))
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"matplotlib", "numpy"} & set(done.stdout.split())


@pytest.mark.parametrize("thing", [None, "[A][B|A]", [("A", "B")]])
def test_only_graphs(thing):
    with pytest.raises(ArgumentError, match=r"bnml\.DAG"):
        layout(thing)
