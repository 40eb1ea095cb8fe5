"""Draw the pictures of the documentation, from the bundled example."""

from __future__ import annotations

from pathlib import Path

import bnml
from tools.make_example import STRUCTURE

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"


def main() -> None:
    """Write them all."""
    data = bnml.example()
    dag = bnml.DAG.parse(STRUCTURE)
    bnml.plot.draw(dag, FOLDER / "chest_clinic.png")
    bnml.plot.draw(dag.cpdag(), FOLDER / "chest_clinic_class.png")
    gain = {
        (a, b): bnml.family_score(b, dag.parents(b), data) - bnml.family_score(b, set(dag.parents(b)) - {a}, data)
        for a, b in dag.arcs
    }
    bnml.plot.draw(
        dag,
        FOLDER / "chest_clinic_strength.png",
        strength={arc: max(value, 0.0) for arc, value in gain.items()},
        strength_label="gain {} nats",
    )
    for path in sorted(FOLDER.iterdir()):
        print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
