"""Which variables take part in a study, and what that leaves of the constraints.

Feature selection is the first of the five steps. ``"target"`` takes the variables that depend on the target beyond
chance, one by one; ``"blanket"`` takes its Markov blanket (parents, children, and other parents of the children) in the
network that the study's own search learns from all variables: given these, by that network, the others tell nothing
more of the target. A list takes those that it names.

What is known must not lose its sense. A forbidden arc and a place in the tiers say nothing about other variables: of
variables that are left out they are left out as well. An arc or a link that is required says that two variables belong
together, and a path of such arcs that others lie in between. So variables of required arcs and links are always taken,
as are the target and the class of a search that has one; a list that leaves one of them out contradicts the
constraints, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bnml._checks import a_variable, one_of, refuse
from bnml._text import name_in_words, names_in_words, p_value_text
from bnml.errors import ArgumentError, argument
from bnml.graph import Constraints
from bnml.graph.base import pairs_of_names

if TYPE_CHECKING:
    from bnml.five_steps.features import Features
    from bnml.five_steps.state import StudyOptions
    from bnml.search.search_result import SearchResult

SELECTIONS = ("all", "target", "blanket")


@dataclass(frozen=True)
class Selection:
    """Which variables take part.

    ``how``: ``"all"``, ``"target"``, ``"blanket"`` or ``"list"``. ``names``: those that do, in the order of the table.
    ``reasons``: those that do not, each with the reason. ``added``: those that do for another reason than the others,
    each with it.
    """

    how: str
    names: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...] = ()
    added: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "how": self.how,
            "variables": list(self.names),
            "left_out": [{"variable": name, "reason": reason} for name, reason in self.reasons],
            "added": [{"variable": name, "reason": reason} for name, reason in self.added],
        }


@dataclass(frozen=True)
class Knowledge:
    """What is known of the variables that take part.

    Attributes
    ----------
    constraints
        What holds for them; None for nothing.
    options
        The options of the search, without other variables.
    notes
        What was left out of both, as sentences.
    """

    constraints: Constraints | None
    options: Mapping[str, Any]
    notes: tuple[str, ...] = ()


def check_select(select: Any, target: str | None) -> str | tuple[str, ...]:
    """Check the argument ``select`` before there are data.

    Raises
    ------
    ArgumentError
        If it is neither one of the words nor a list of names, or needs a target.

    Examples
    --------
    >>> check_select(["smoke", "lung"], None)
    ('smoke', 'lung')
    >>> check_select("blanket", None)
    Traceback (most recent call last):
    bnml.errors.ArgumentError: select='blanket' needs target=, the variable of interest
    """
    if isinstance(select, str):
        word = one_of(select, "select", SELECTIONS, otherwise=", or a list of variables")
        if word != "all" and target is None:
            raise ArgumentError(
                argument("select", word) + " needs " + argument("target") + ", the variable of interest"
            )
        return word
    if not isinstance(select, Iterable):
        words = ", ".join(map(repr, SELECTIONS))
        raise refuse("select", select, f"expected one of {words}, or a list of variables")
    names = tuple(select)
    if not names or not all(isinstance(name, str) for name in names):
        raise refuse("select", list(names), "expected the names of at least one variable")
    return names


def check_select_among(options: StudyOptions, names: Sequence[str], were_set: Sequence[str] = ()) -> None:
    """Check the argument ``select`` against the variables of a table and the constraints on them.

    Raises
    ------
    ArgumentError
        If it names a variable that is not there, or leaves out one that is required or ``were_set`` in some rows.
    """
    select = options.select
    if select == "all":
        return
    if options.learning.score.name == "bde":
        raise ArgumentError(
            "the prior network of bde has all variables",
            argument="select",
            value=select,
            hint="take " + argument("select", "all") + ", or another score",
        )
    if isinstance(select, str):
        return
    for name in select:
        a_variable(name, "select", names)
    for name, reason in _needed(options, were_set):
        if name not in select and name != options.target:
            raise ArgumentError(
                f"{name!r} is left out, yet {reason}", argument="select", hint="name it as well, or take that back"
            )


def _needed(options: StudyOptions, were_set: Sequence[str]) -> list[tuple[str, str]]:
    """Return the variables that must take part, each with the reason."""
    found: dict[str, str] = {}
    if options.target is not None:
        found[options.target] = "it is the target"
    chosen = options.learning.options.get("class_variable")
    if isinstance(chosen, str):
        found.setdefault(chosen, f"it is the class of {options.search}")
    if options.learning.constraints is not None:
        known = options.learning.constraints
        for a, b in (*known.required, *known.required_links):
            found.setdefault(a, f"a link with {name_in_words(b)} is required")
            found.setdefault(b, f"a link with {name_in_words(a)} is required")
    for name in were_set:
        found.setdefault(name, "it was set in some rows")
    return list(found.items())


def select_variables(
    options: StudyOptions,
    names: Sequence[str],
    features: Features,
    learn: Callable[[], SearchResult],
    were_set: Sequence[str] = (),
) -> Selection:
    """Return which variables take part.

    Parameters
    ----------
    options
        What was asked.
    names
        All variables.
    features
        What is told of them one by one.
    learn
        Learns a network of all of them; called for ``"blanket"`` only.
    were_set
        Those that were set in some rows, and take part for that.

    Raises
    ------
    ArgumentError
        If there is no such network.
    """
    select, target = options.select, options.target
    if select == "all":
        return Selection("all", tuple(names))
    if select == "target":
        chosen, told = set(features.selected), _told_of_target(features)
    elif select == "blanket":
        assert target is not None
        learned = learn()
        if learned.dag is None:
            raise ArgumentError(
                f"no network of all variables fits what {learned.search} found",
                argument="select",
                value="blanket",
                hint="take " + argument("select", "target") + ", or a search by score",
            )
        chosen = set(learned.dag.markov_blanket(target))
        told = dict.fromkeys(
            names, f"not in the Markov blanket of {name_in_words(target)} in a network of all variables"
        )
    else:
        chosen, told = set(select), dict.fromkeys(names, "not among those that were asked for")
    needed = dict(_needed(options, were_set))
    return Selection(
        select if isinstance(select, str) else "list",
        tuple(name for name in names if name in chosen or name in needed),
        tuple((name, told[name]) for name in names if name not in chosen and name not in needed),
        tuple((name, needed[name]) for name in names if name in needed and name not in chosen and name != target),
    )


def _told_of_target(features: Features) -> dict[str, str]:
    """Return for each variable that it tells nothing of the target, with the p-value."""
    found = features.of_target
    said = f"no dependence on {name_in_words(features.target or '')} beyond chance"
    return {
        name: f"{said} (adjusted p-value {p_value_text(p)})"
        for name, p in zip(found["variable"], found["adjusted_p_value"], strict=True)
    }


def knowledge_of_selection(options: StudyOptions, names: Sequence[str], variables: Sequence[str]) -> Knowledge:
    """Return what the selection of some variables leaves of constraints and options, and say what it does not.

    Parameters
    ----------
    options
        What was asked.
    names, variables
        Those that take part, and all there are.
    """
    from bnml.report.study_text import knowledge_sentences

    kept, every, own, notes = set(names), set(variables), dict(options.learning.options), list[str]()
    constraints = options.learning.constraints
    if constraints is not None:
        inside: dict[str, Any] = {}
        for kind in ("required", "forbidden", "required_links", "forbidden_links"):
            pairs = getattr(constraints, kind)
            inside[kind] = [pair for pair in pairs if kept.issuperset(pair)]
            for pair in pairs:
                if not kept.issuperset(pair):
                    (said,) = knowledge_sentences(Constraints(**{kind: [pair]}))
                    notes.append(f"{said[:-1]}: {_absent(pair, kept)}.")
        inside["tiers"] = [[name for name in tier if name in kept] for tier in constraints.tiers]
        gone = [name for tier in constraints.tiers for name in tier if name not in kept]
        if gone:
            notes.append(f"The place in the order of {names_in_words(gone)}, as {_absent(gone, kept)}.")
        constraints = Constraints(**inside) if any(inside.values()) else None
    if isinstance(own.get("order"), list | tuple):
        own["order"] = [name for name in own["order"] if name in kept or name not in every]
    for kind in ("keep", "drop"):
        if kind in own:
            links = pairs_of_names(own[kind], kind, ordered=False)
            own[kind] = [link for link in links if kept.issuperset(link) or not every.issuperset(link)]
            for a, b in (link for link in links if link not in own[kind]):
                notes.append(f"The choice of the link {a} – {b}: {_absent((a, b), kept)}.")
    return Knowledge(constraints, own, tuple(notes))


def _absent(names: Iterable[str], kept: set[str]) -> str:
    gone = list(dict.fromkeys(name for name in names if name not in kept))
    return f"{names_in_words(gone)} {'does' if len(gone) == 1 else 'do'} not take part"
