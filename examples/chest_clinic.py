"""From a table to a network: score two structures on the bundled example, fit the better one, ask it, and draw it."""

from __future__ import annotations

import bnml

STRUCTURE = "[asia][tub|asia][smoke][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|bronc:either]"

data = bnml.example()
print(data, end="\n\n")

dag = bnml.DAG.parse(STRUCTURE)
empty = bnml.DAG(dag.names)
for name in ("bic", "bdeu", "fnml", "qnml"):
    gain = bnml.score(dag, data, name) - bnml.score(empty, data, name)
    print(f"{name:5} prefers the network to no arcs at all by {gain:,.1f} nats")
print(f"\nIt describes the data in {bnml.code_length(dag, data)}")
print(f"Without arcs it takes {bnml.code_length(empty, data)}\n")

network = bnml.fit(dag, data)
print("A smoker with a positive X-ray has lung cancer with probability", end=" ")
print(round(network.query("lung", {"smoke": "yes", "xray": "yes"})["yes"], 2))

bnml.plot.draw(dag.cpdag(), "chest_clinic.png", title="What data can tell of the chest clinic")
print("\nchest_clinic.png shows which arcs the data can direct")
