"""Say what is known before a network is learned, and ask how sure its links are."""

from __future__ import annotations

import bnml

if __name__ == "__main__":
    data = bnml.example()
    known = bnml.Constraints(
        tiers=[["asia", "smoke"], ["tub", "lung", "bronc"]],  # nothing in the second group causes what is in the first
        forbidden=[("xray", "dysp")],
    )
    result = bnml.learn(data, constraints=known)
    print("structure:", result.dag)
    print("proven to be the best of those that are allowed:", result.optimal)

    links = bnml.posterior(data, constraints=known).link_probabilities
    halves = bnml.bootstrap(data, search="exact", repetitions=20, constraints=known).arcs.set_index(["from", "to"])
    worth = bnml.strength(result.dag, data).set_index(["from", "to"])
    print(f"\n{'arc':16}  probability  found in halves  worth in nats")
    for a, b in result.dag.arcs:
        found = halves["support"].get((a, b), 0.0)
        print(f"{f'{a} -> {b}':16}  {links.loc[a, b]:11.3f}  {found:15.0%}  {worth.loc[(a, b), 'score_gain']:13.1f}")
