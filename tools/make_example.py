"""Make the bundled example: draw rows from the chest clinic network, with the probabilities its authors published.

S. L. Lauritzen and D. J. Spiegelhalter (1988), Local computations with probabilities on graphical structures and their
application to expert systems, Journal of the Royal Statistical Society B 50(2), 157-224, section 2.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import bnml

YES = {  # P(yes | parents), the first parent slowest, "no" before "yes"
    "asia": 0.01,
    "tub": [0.01, 0.05],
    "smoke": 0.5,
    "lung": [0.01, 0.1],
    "bronc": [0.3, 0.6],
    "either": [[0.0, 1.0], [1.0, 1.0]],
    "xray": [0.05, 0.98],
    "dysp": [[0.1, 0.7], [0.8, 0.9]],
}
STRUCTURE = "[asia][tub|asia][smoke][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|bronc:either]"


def chest_clinic() -> bnml.BayesianNetwork:
    """Return the network."""
    import numpy as np

    dag = bnml.DAG.parse(STRUCTURE)
    tables = {x: np.stack([1 - np.array(p), np.array(p)], axis=-1) for x, p in YES.items()}
    return bnml.BayesianNetwork(dag, {x: ["no", "yes"] for x in YES}, tables)


if __name__ == "__main__":
    target = Path(bnml.__file__).parent / "data" / "chest_clinic.csv.gz"
    text = chest_clinic().sample(5000, seed=1988).to_csv(index=False)
    target.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(target.name, target.stat().st_size, "bytes")
