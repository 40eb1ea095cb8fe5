"""Thousands of nodes, and the same answers whatever the hash seed."""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import bnml.graph
from bnml.graph import DAG, PDAG, Constraints, apply_meek_rules, canonical_extension, minimal_separator, shd

N_NODES, N_ARCS = 5_000, 20_000


def test_five_thousand_nodes():
    """Nothing here is quadratic in Python: the whole test takes about two seconds."""
    rng = random.Random(1)
    names = [f"v{i}" for i in range(N_NODES)]
    pairs = {tuple(sorted(rng.sample(range(N_NODES), 2))) for _ in range(N_ARCS)}
    dag = DAG(names[::-1], [(names[a], names[b]) for a, b in pairs])
    assert len(dag.arcs) == len(pairs)
    place = {name: k for k, name in enumerate(dag.topological_order())}
    assert all(place[a] < place[b] for a, b in dag.arcs)

    graph = dag.cpdag()
    colliding = {arc for a, c, b in dag.v_structures() for arc in ((a, c), (b, c))}
    rest = [pair for pair in dag.skeleton() if pair not in colliding and pair[::-1] not in colliding]
    assert apply_meek_rules(PDAG(dag.names, colliding, rest)) == graph
    assert graph.to_dag().is_equivalent(dag)
    assert shd(canonical_extension(graph), dag) == 0

    separator = minimal_separator(dag, "v0", "v4999")
    assert separator is not None
    assert dag.d_separated("v0", "v4999", separator)
    assert not dag.d_separated(names[:50], names[-50:])
    assert DAG.parse(str(dag)) == dag
    assert Constraints(required=dag.arcs, tiers=[names[:2500], names[2500:]]).compiled(names).must[0] == 0


def test_long_chain():
    names = [f"v{i}" for i in range(3_000)]
    chain = DAG(names, list(pairwise(names)))
    graph = chain.cpdag()
    assert len(graph.undirected) == 2_999
    assert apply_meek_rules(graph, background=[("v0", "v1")]) == PDAG(names, chain.arcs)
    assert canonical_extension(graph) == chain
    assert chain.ancestors("v2999") == tuple(names[:-1])


SCRIPT = """
from bnml.graph import *

dag = DAG(["d", "b", "a", "c", "e"], {("a", "b"), ("c", "b"), ("b", "d"), ("e", "d")})
tree = DAG.parse("[m][a|m][z|m][k|z][b|z]")
for g in (dag, tree):
    p = g.cpdag()
    print(g, g.arcs, g.skeleton(), g.v_structures(), p, p.to_dag(), canonical_extension(p))
    print(g.markov_blanket(g.names[1]), minimal_separator(g, g.names[0], g.names[-2]))
    print(list(g.to_networkx().edges), list(p.to_networkx().edges))
    print([str(m) for m in p.members()], p.count_members(), compare(g, p.to_dag().reverse(p.to_dag().arcs[0])))
    print(minimal_imap(sorted(g.names), g), minimal_imap(sorted(g.names), lambda x, y, s: g.d_separated(x, y, s)))
print(apply_meek_rules(tree.cpdag(), background={("k", "z"), ("m", "a")}))
c = Constraints({("a", "m"), ("b", "z")}, {("k", "m"), ("z", "k")}, [{"k", "a"}, {"b", "m"}], tiers=[{"a", "m"}])
print(c, c.compiled(tree.names), c.violations(tree))
for bad in (
    lambda: DAG(["a", "b", "c"], {("a", "b"), ("b", "c"), ("c", "a")}),
    lambda: Constraints({("a", "b"), ("b", "c"), ("c", "a"), ("c", "b")}),
    lambda: PDAG(["a", "b", "c"], {("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")}),
    lambda: shd(dag, tree),
    lambda: dag.parents("bb"),
    lambda: dag.d_separated({"b", "e"}, {"b", "e"}),
):
    try:
        bad()
    except ValueError as error:
        print(error)
"""


def test_the_hash_seed_does_not_matter():
    root = Path(__file__).parents[2]
    answers = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True, cwd=root
        )
        answers.add(done.stdout)
    assert len(answers) == 1


def test_heavy_packages_are_loaded_only_when_needed():
    """Import time is everybody's: at the top of a module stand only the standard library and this room."""
    room = Path(bnml.graph.__file__).parent
    for path in sorted(room.glob("*.py")):
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in statement.names]
                modules = [statement.module or ""] if isinstance(statement, ast.ImportFrom) else names
                for module in modules:
                    shared = (
                        "bnml.errors",
                        "bnml._bits",
                        "bnml._checks",
                        "bnml._notebook",
                        "bnml._plain",
                        "bnml._text",
                    )
                    ours = module in shared or module.startswith("bnml.graph.")
                    assert ours or module.split(".")[0] in sys.stdlib_module_names, f"{path.name} imports {module}"
