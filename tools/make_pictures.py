"""Draw the pictures of the documentation: from the bundled example, and those that tutorials draw themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import bnml
from tools.make_example import STRUCTURE

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"


def draw_tutorials() -> None:
    """Follow the tutorials whose tables are there, and keep the pictures that they draw and show."""
    pages = FOLDER.parent / "tutorials"
    os.environ["BNML_PICTURES"] = str(FOLDER / "tutorials")
    pytest.main([str(pages), "-q"])
    shown = "".join(page.read_text(encoding="utf-8") for page in pages.glob("*.md"))
    for picture in (FOLDER / "tutorials").iterdir():
        if f"pictures/tutorials/{picture.name})" not in shown:
            picture.unlink()


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
    draw_tutorials()
    for path in sorted(path for path in FOLDER.rglob("*") if path.is_file()):
        print(path.relative_to(FOLDER), path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
