"""Take figures and the page of claims into the documentation, from folders that `bnml reproduce` has written.

    python -m tools.take_experiments reproduced

Only figures that are there already are replaced; a new one is copied by hand first. Its name is that of the experiment,
and of the figure unless that is called ``figure``. Of several folders the last one that has a figure counts.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from bnml.experiments import EXPERIMENTS

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = DOCS / "pictures" / "experiments"
OTHERWISE = {"prediction-breast-cancer": ("prediction", "figure")}  # what it shows is the better name


def source_of(picture: str) -> tuple[str, str]:
    """Return which figure of which experiment a picture of the documentation is.

    Examples
    --------
    >>> source_of("rank-of-truth"), source_of("qnml-vs-nml-trees")
    (('rank-of-truth', 'figure'), ('qnml-vs-nml', 'trees'))
    """
    if picture in OTHERWISE:
        return OTHERWISE[picture]
    (experiment,) = [name for name in EXPERIMENTS if picture == name or picture.startswith(f"{name}-")]
    return experiment, picture.removeprefix(experiment).removeprefix("-") or "figure"


def claims_alone(page: str) -> str:
    """Return the page of claims without figures and findings, which the other pages have."""
    ends = [page.find(f"\n## {name}\n") for name in EXPERIMENTS]
    return page[: min(end for end in ends if end >= 0)].rstrip() + "\n"


def main(folders: list[str]) -> None:
    """Take what is in some folders."""
    for folder in map(Path, folders):
        for picture in sorted(PICTURES.glob("*.png")):
            experiment, figure = source_of(picture.stem)
            drawn = folder / experiment / f"{figure}.png"
            if drawn.is_file():
                shutil.copy(drawn, picture)
                print(picture.relative_to(DOCS))
        claims = folder / "claims.md"
        if claims.is_file():
            (DOCS / "claims.md").write_text(claims_alone(claims.read_text(encoding="utf-8")), encoding="utf-8")
            print("claims.md")


if __name__ == "__main__":
    main(sys.argv[1:])
