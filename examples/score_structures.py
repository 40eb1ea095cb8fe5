"""Score all structures on three variables and show the best: the smallest complete piece of work with bnml."""

from __future__ import annotations

from itertools import product

import numpy as np

import bnml

rng = np.random.default_rng(0)
rain = rng.random(500) < 0.3
sprinkler = rng.random(500) < np.where(rain, 0.05, 0.4)
wet = rng.random(500) < np.select([rain & sprinkler, rain, sprinkler], [0.99, 0.9, 0.8], 0.05)
data = bnml.read(np.stack([rain, sprinkler, wet], axis=1))
print(data, end="\n\n")

pairs = [("X0", "X1"), ("X0", "X2"), ("X1", "X2")]
scored = []
for directions in product((None, 0, 1), repeat=3):
    arcs = [pair if d == 0 else pair[::-1] for pair, d in zip(pairs, directions, strict=True) if d is not None]
    try:
        dag = bnml.DAG(data.names, arcs)
    except bnml.BnmlError:  # a cycle
        continue
    scored.append((bnml.score(dag, data, "qnml"), dag))
scored.sort(key=lambda item: -item[0])

print("The best of all", len(scored), "structures under qNML (equivalent ones tie):")
for value, dag in scored[:8]:
    print(f"  {value:10.3f}  {dag}")
