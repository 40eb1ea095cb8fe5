"""Constraints, what is known beforehand, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnml._text import names_in_words, shown_name

if TYPE_CHECKING:
    from bnml.graph import Constraints


def knowledge_sentences(constraints: Constraints | None) -> list[str]:
    """Return constraints in words, a sentence for each."""
    if constraints is None:
        return []
    said = [f"{shown_name(a)} → {shown_name(b)} must be in the network." for a, b in constraints.required]
    said += [f"{shown_name(a)} → {shown_name(b)} must not be in the network." for a, b in constraints.forbidden]
    said += [
        f"{shown_name(a)} and {shown_name(b)} must be linked, in either direction."
        for a, b in constraints.required_links
    ]
    said += [f"{shown_name(a)} and {shown_name(b)} must not be linked." for a, b in constraints.forbidden_links]
    if len(constraints.tiers) > 1:
        order = "; then ".join(names_in_words(tier, most=len(tier)) for tier in constraints.tiers)
        said.append(f"No arrow leads back in this order: {order}.")
    return said
