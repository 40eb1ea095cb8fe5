"""From a table to a network, a picture and an answer: ``python learn_and_ask.py [survey.csv]``."""

from __future__ import annotations

import sys

import bnml

if __name__ == "__main__":
    data = bnml.read(sys.argv[1], bins="auto", missing="em") if len(sys.argv) > 1 else bnml.example()
    result = bnml.learn(data)
    print(result)

    result.network.save("network.json")
    bnml.plot.draw(result.cpdag, "network.png")

    target = data.names[-1]
    print(f"\nWhat moves the probability of {target}:")
    print(result.network.influence(target).round(3).to_string(index=False))
