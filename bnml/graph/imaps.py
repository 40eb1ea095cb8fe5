"""Independence maps: how a DAG relates to the independences of a domain.

A DAG is an *I-map* of a domain when every independence it promises (every d-separation) really holds there. The
complete DAG promises nothing and is always one, so one asks for a *minimal* I-map, which stops being one when any arc
is taken away; there is one for each order of the variables. A *perfect map* shows all independences and no others;
not every distribution has one, and if it has, then all members of one Markov equivalence class are perfect maps.

The domain speaks through an *oracle*: a DAG, taken to show exactly the domain's independences; or a function
``oracle(x, y, given)`` that tells whether the variable x is independent of the variable y given the frozenset of
variables ``given``. Answers of a function are taken to obey the semi-graphoid axioms (symmetry, decomposition, weak
union, contraction), as the independences of every probability distribution do. These turn "x is independent of y1,
y2, ... given Z" into questions about single variables, "x of y1 given Z", "x of y2 given Z and y1", and so on. No
stronger axiom (intersection, composition) is needed to decide whether a graph is an I-map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from math import comb

from bnml._bits import bits
from bnml._checks import is_number
from bnml.errors import ArgumentError, argument
from bnml.graph.base import Variables, require_dag, require_same_variables
from bnml.graph.dag import DAG
from bnml.graph.separation import reachable

Oracle = Callable[[str, str, frozenset[str]], bool]


def is_imap(dag: DAG, oracle: DAG | Oracle) -> bool:
    """Tell whether every d-separation of a DAG holds in the domain.

    Parameters
    ----------
    dag : DAG
        The candidate.
    oracle : DAG or callable
        The domain's independences; see the module's text.

    Returns
    -------
    bool
        True if the DAG is an I-map.

    Raises
    ------
    GraphError
        If the oracle is a DAG over other variables.

    Notes
    -----
    It is enough to ask, for each variable in a topological order, whether its parents make it independent of the
    variables before it (the ordered local Markov property; Verma and Pearl 1988): n questions to a DAG, at most
    n (n - 1) / 2 to a function.

    Examples
    --------
    >>> from bnml.graph import DAG, is_imap
    >>> truth = DAG.parse("[A][B|A][C|B]")
    >>> is_imap(DAG.parse("[A][B|A][C|A:B]"), truth), is_imap(DAG.parse("[A][B|A][C]"), truth)
    (True, False)
    """
    _check_oracle(oracle, require_dag(dag, "dag").names)
    domain = oracle.reordered(dag.names) if isinstance(oracle, DAG) else oracle
    before = 0
    for i in (dag.variables.index[name] for name in dag.topological_order()):
        parents = dag.parent_masks[i]
        if not _independent(domain, dag.names, i, before & ~parents, parents):
            return False
        before |= 1 << i
    return True


def _independent(domain: DAG | Oracle, names: tuple[str, ...], i: int, others: int, given: int) -> bool:
    """Ask whether node i is independent of all others together, given some."""
    if isinstance(domain, DAG):
        return not reachable(domain.parent_masks, domain.child_masks, 1 << i, given) & others
    known = {names[j] for j in bits(given)}
    for j in bits(others):
        if not domain(names[i], names[j], frozenset(known)):
            return False
        known.add(names[j])  # contraction: the next question is asked given the ones answered
    return True


def minimal_imap(order: Iterable[str], oracle: DAG | Oracle) -> DAG:
    """Build the minimal I-map of a domain for an order of its variables.

    Parameters
    ----------
    order : iterable of str
        All variables; a variable's parents will come from those before it.
    oracle : DAG or callable
        The domain's independences; see the module's text.

    Returns
    -------
    DAG
        An I-map from which no arc can be taken away, with the names in this order.

    Raises
    ------
    GraphError
        If the oracle is a DAG and the order is not one of its variables.

    Notes
    -----
    The parents of x are the smallest set of variables before it that makes it independent of the others before it. They
    are found by beginning with all of them and dropping each y of which x is independent given the ones still there,
    the latest first. If the intersection axiom holds, as it does for DAGs and for distributions without zeros, there is
    only one such smallest set; otherwise the set found is one that cannot be made smaller.

    Examples
    --------
    >>> from bnml.graph import DAG, minimal_imap
    >>> print(minimal_imap(["C", "A", "B"], DAG.parse("[A][B][C|A:B]")))
    [C][A|C][B|C:A]
    """
    variables = Variables(order, "order")
    names = variables.names
    _check_oracle(oracle, names)
    if isinstance(oracle, DAG):
        domain = oracle.reordered(names)
        masks = [_boundary(domain, i) for i in range(len(names))]
        return DAG.from_parent_sets(names, [tuple(bits(mask)) for mask in masks])
    parent_sets = []
    for i, x in enumerate(names):
        kept = list(names[:i])
        for y in names[:i][::-1]:
            if oracle(x, y, frozenset(name for name in kept if name != y)):
                kept.remove(y)
        parent_sets.append([variables.index[y] for y in kept])
    return DAG.from_parent_sets(names, parent_sets)


def _boundary(domain: DAG, i: int) -> int:
    """Return the variables before i that are in direct touch with it when all before it are known."""
    before = (1 << i) - 1
    return before & reachable(domain.parent_masks, domain.child_masks, 1 << i, before)


def is_perfect_map(dag: DAG, oracle: DAG | Oracle, *, limit: int = 5_000_000) -> bool:
    """Tell whether a DAG shows exactly the independences of a domain.

    Parameters
    ----------
    dag, oracle
        As for `is_imap`.
    limit : int
        The most questions to put to a function; there are n (n - 1) / 2 · 2^(n - 2) of them.

    Returns
    -------
    bool
        True if both have the same independences.

    Raises
    ------
    ArgumentError
        If there are more questions than ``limit``.
    GraphError
        If the oracle is a DAG over other variables.

    Notes
    -----
    For a DAG the answer is Markov equivalence. For a function every pair of variables is compared given every set of
    the others; by the semi-graphoid axioms these statements determine those about sets of variables.

    Examples
    --------
    >>> from bnml.graph import DAG, is_perfect_map
    >>> is_perfect_map(DAG.parse("[A][B|A]"), DAG.parse("[B][A|B]"))
    True
    """
    _check_oracle(oracle, require_dag(dag, "dag").names)
    if isinstance(oracle, DAG):
        return dag.is_equivalent(oracle)
    if not is_number(limit):
        raise ArgumentError(argument("limit") + f" must be a number, got {limit!r}")
    n = len(dag.names)
    questions = comb(n, 2) << max(n - 2, 0)
    if questions > limit:
        raise ArgumentError(
            f"a perfect map of {n} variables needs {questions:,} questions to the oracle, more than limit={limit:,}."
            " Give a DAG as oracle, use is_imap, or raise the limit."
        )
    return all(dag.d_separated(x, y, given) == bool(oracle(x, y, given)) for x, y, given in imap_statements(dag.names))


def imap_statements(names: Iterable[str]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yield every statement that an I-map may make: a pair of variables with a set of the others, small sets first.

    Examples
    --------
    >>> from bnml.graph.imaps import imap_statements
    >>> [(x, y, sorted(given)) for x, y, given in imap_statements("ABC")][:2]
    [('A', 'B', []), ('A', 'B', ['C'])]
    """
    listed = list(names)
    for x, y in combinations(listed, 2):
        rest = [name for name in listed if name not in (x, y)]
        for size in range(len(rest) + 1):
            for given in combinations(rest, size):
                yield x, y, frozenset(given)


def _check_oracle(oracle: DAG | Oracle, names: tuple[str, ...]) -> None:
    if isinstance(oracle, DAG):
        require_same_variables(names, oracle.names)
    elif not callable(oracle):
        raise ArgumentError(argument("oracle") + f" must be a DAG or a function (x, y, given) -> bool, got {oracle!r}")
