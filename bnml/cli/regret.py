"""``bnml regret``: the price of not knowing the parameters."""

from __future__ import annotations

from typing import Annotated

import typer

import bnml
from bnml._text import number_of
from bnml.cli import options, printing

EXAMPLE = "Example: bnml regret 500 10"
OPTIONS = {"n": "N", "r": "R"}
SETTINGS = {"ignore_unknown_options": True}  # -1 is a number, though a wrong one


def command(
    n: Annotated[int, typer.Argument(metavar="N", parser=options.parse_whole, help="Sample size, from 0.")],
    r: Annotated[int, typer.Argument(metavar="R", parser=options.parse_whole, help="Number of values, from 1.")],
    method: Annotated[str, typer.Option("--method", help="exact, szpankowski or szpankowski-weinberger.")] = "exact",
    as_json: options.Json = False,
) -> None:
    """Print the regret log C(n, r) of the normalised maximum likelihood, in nats."""
    value = bnml.regret(n, r, method)
    if as_json:
        printing.print_json({"n": n, "r": r, "method": method, "regret": value})
    else:
        print(f"regret of {n:,} draws from {number_of(r, 'value')}, {method}: {value:.12g}")
