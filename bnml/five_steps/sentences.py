"""Names, numbers and constraints as words in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnml._text import shortened_in_the_middle

if TYPE_CHECKING:
    from bnml.graph import Constraints

__all__ = ["are", "chance", "knowledge", "name_in_words", "names_in_words", "percent", "shown"]

LONGEST_NAME = 40
MOST_NAMED = 6


def knowledge(constraints: Constraints | None) -> list[str]:
    """Return constraints in words, a sentence for each."""
    if constraints is None:
        return []
    said = [f"{shown(a)} → {shown(b)} must be in the network." for a, b in constraints.required]
    said += [f"{shown(a)} → {shown(b)} must not be in the network." for a, b in constraints.forbidden]
    said += [f"{shown(a)} and {shown(b)} must be linked, in either direction." for a, b in constraints.required_links]
    said += [f"{shown(a)} and {shown(b)} must not be linked." for a, b in constraints.forbidden_links]
    if len(constraints.tiers) > 1:
        order = "; then ".join(names_in_words(tier, most=len(tier)) for tier in constraints.tiers)
        said.append(f"No arrow leads back in this order: {order}.")
    return said


def shown(name: str) -> str:
    """Return a name for a sentence: on one line, not too long, in quotes where it would run into other words."""
    return name_in_words(name) if not name or any(mark in name for mark in " ,;.") else name_in_words(name)[1:-1]


def name_in_words(name: str) -> str:
    """Return a name as it stands in a sentence: in quotes, on one line and not too long."""
    return f"“{shortened_in_the_middle(name, LONGEST_NAME)}”"


def names_in_words(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return names as a list in the words of a sentence; of many names the first."""
    texts = [_clipped(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(texts)} and {len(names) - most:,} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _clipped(text: str) -> str:
    """Return a name or a link for a sentence."""
    for mark in (" → ", " – "):
        a, found, b = text.partition(mark)
        if found:
            return f"{shown(a)}{mark}{shown(b)}"
    return shown(text)


def percent(share: float) -> str:
    """Return a share in percent; what is neither none nor all never looks so."""
    if 0.0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1.0 else f"{share:.0%}"


def chance(probability: float) -> str:
    """Return a posterior probability in percent; it is never all."""
    return percent(min(probability, 0.9999))


def are(items: Sequence[object]) -> str:
    """Return the verb for some items."""
    return "is" if len(items) == 1 else "are"
