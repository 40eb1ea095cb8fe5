"""Networks from and to other programs' objects: networkx, pyAgrum, pgmpy.

The functions ``to_…`` take a `BayesianNetwork`; the functions ``from_…`` return what makes one: the graph, the states
and the tables, the latter with an axis for each parent in the order of the graph and a last one for the variable.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._optional import needs
from bnml.data.labels import Reading, label_text
from bnml.errors import ArgumentError, NetworkError
from bnml.graph import DAG

if TYPE_CHECKING:
    import networkx as nx

    from bnml.network.network import BayesianNetwork

Parts = tuple[DAG, dict[str, list[Any]], dict[str, npt.NDArray[np.float64]]]


def to_networkx(network: BayesianNetwork) -> nx.DiGraph[str]:
    """Return a ``networkx.DiGraph`` whose nodes carry ``states``, ``parents`` (the order of the axes) and ``table``.

    A variable that was cut into bins also has its ``cuts``, and the graph its ``reading``: how data were read.

    Examples
    --------
    >>> from bnml.network.network import BayesianNetwork
    >>> states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    >>> tables = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}
    >>> graph = to_networkx(BayesianNetwork(DAG.parse("[rain][wet|rain]"), states, tables))
    >>> graph.nodes["wet"]["parents"], graph.nodes["wet"]["table"].tolist()
    (('rain',), [[0.9, 0.1], [0.2, 0.8]])
    """
    graph = network.dag.to_networkx()
    for x in network.names:
        graph.nodes[x].update(
            states=network.states[x], parents=network.dag.parents(x), table=network.probabilities(x).copy()
        )
        if x in network.cuts:
            graph.nodes[x]["cuts"] = network.cuts[x]
    if known := network.reading.to_dict():
        graph.graph["reading"] = known
    return graph


def from_networkx(graph: nx.DiGraph[str]) -> tuple[Any, ...]:
    """Return graph, states, tables, cuts and reading of what `to_networkx` gave.

    Raises
    ------
    BnmlError
        If the graph is not a DAG of texts, or a node has no ``states`` or ``table``.
    """
    dag = DAG.from_networkx(graph)
    states: dict[str, list[Any]] = {}
    tables: dict[str, npt.NDArray[np.float64]] = {}
    cuts: dict[str, Sequence[float]] = {}
    for x in dag.names:
        node = graph.nodes[x]
        for key in ("states", "table"):
            if key not in node:
                raise NetworkError(f"the node {x!r} has no {key!r}; a network needs it at every node")
        states[x] = list(node["states"])
        tables[x] = _arranged(dag, x, node.get("parents", dag.parents(x)), node["table"])
        if "cuts" in node:
            cuts[x] = node["cuts"]
    return dag, states, tables, cuts, Reading.from_dict(graph.graph.get("reading", {}))


def to_pyagrum(network: BayesianNetwork) -> Any:
    """Return a ``pyagrum.BayesNet``; its labels are the texts of the network's.

    Raises
    ------
    DependencyError
        If pyAgrum is not installed.
    NetworkError
        If pyAgrum cannot hold a name or label.
    """
    pyagrum = _package("pyagrum")
    result = pyagrum.BayesNet("network")
    for x in network.names:
        labels = [label_text(label) for label in network.states[x]]
        for text in (x, *labels):
            if "\0" in text or not _encodable(text):
                raise NetworkError(f"pyAgrum cannot hold the name or label {text!r} of the variable {x!r}")
        result.add(pyagrum.LabelizedVariable(x, x, labels))
    for x in network.names:
        for parent in reversed(network.dag.parents(x)):  # pyAgrum's arrays have the axes in reverse
            result.addArc(parent, x)
    for x in network.names:
        result.cpt(x)[:] = network.probabilities(x)
    return result


def from_pyagrum(network: Any) -> Parts:
    """Return graph, states and tables of a ``pyagrum.BayesNet``.

    Raises
    ------
    DependencyError
        If pyAgrum is not installed.
    ArgumentError
        If it is something else.
    """
    pyagrum = _package("pyagrum")
    if not isinstance(network, pyagrum.BayesNet):
        raise ArgumentError(f"expected a pyagrum.BayesNet, got {type(network).__name__}")
    names = [network.variable(node).name() for node in sorted(network.nodes())]
    dag = DAG(names, [tuple(network.variable(node).name() for node in arc) for arc in sorted(network.arcs())])
    states = {x: list(network.variable(x).labels()) for x in names}
    tables = {}
    for x in names:
        cpt = network.cpt(x)
        tables[x] = _arranged(dag, x, [name for name in reversed(cpt.names) if name != x], _own_axis_last(cpt, x))
    return dag, states, tables


def _own_axis_last(cpt: Any, name: str) -> Any:
    """Return a pyAgrum table as an array with the variable's axis last."""
    return np.moveaxis(cpt.toarray(), list(reversed(cpt.names)).index(name), -1)


def to_pgmpy(network: BayesianNetwork) -> Any:
    """Return a ``pgmpy.models.DiscreteBayesianNetwork``.

    Raises
    ------
    DependencyError
        If pgmpy is not installed.
    """
    models, factors = _package("pgmpy.models"), _package("pgmpy.factors.discrete")
    result = models.DiscreteBayesianNetwork()
    result.add_nodes_from(network.names)
    result.add_edges_from(network.dag.arcs)
    for x in network.names:
        parents = list(network.dag.parents(x))
        table = network.probabilities(x)
        cpd = factors.TabularCPD(
            x,
            table.shape[-1],
            table.reshape(-1, table.shape[-1]).T,
            evidence=parents or None,
            evidence_card=list(table.shape[:-1]) or None,
            state_names={v: list(network.states[v]) for v in (x, *parents)},
        )
        result.add_cpds(cpd)
    return result


def from_pgmpy(network: Any) -> Parts:
    """Return graph, states and tables of a ``pgmpy`` network.

    Raises
    ------
    DependencyError
        If pgmpy is not installed.
    ArgumentError
        If it is something else.
    BnmlError
        If a node is not a text or has no table, or states differ between tables.
    """
    models = _package("pgmpy.models")
    if not isinstance(network, models.DiscreteBayesianNetwork):
        raise ArgumentError(f"expected a pgmpy DiscreteBayesianNetwork, got {type(network).__name__}")
    dag = DAG(network.nodes(), network.edges())
    cpds = {x: network.get_cpds(x) for x in dag.names}
    for x, cpd in cpds.items():
        if cpd is None:
            raise NetworkError(f"the node {x!r} has no table; add one with add_cpds")
    states = {x: list(cpd.state_names[x]) for x, cpd in cpds.items()}
    tables = {}
    for x, cpd in cpds.items():
        values = np.asarray(cpd.values, np.float64)
        for axis, parent in enumerate(cpd.variables[1:], 1):
            values = np.take(values, _positions(x, parent, cpd.state_names[parent], states.get(parent, [])), axis)
        tables[x] = _arranged(dag, x, cpd.variables[1:], np.moveaxis(values, 0, -1))
    return dag, states, tables


def _positions(x: str, parent: str, labels: Sequence[Any], wanted: Sequence[Any]) -> list[int]:
    """Return where the labels of a parent stand in a table of its child, which may have them in another order."""
    found = {label: i for i, label in enumerate(labels)}
    if found.keys() != set(wanted):
        raise NetworkError(f"the table of {x!r} has other states for {parent!r} than the table of {parent!r}")
    return [found[label] for label in wanted]


def _arranged(dag: DAG, x: str, parents: Sequence[str], table: Any) -> npt.NDArray[np.float64]:
    """Return a table with the axes of the parents in the order of the graph."""
    array = np.asarray(table, np.float64)
    wanted = dag.parents(x)
    if set(parents) != set(wanted) or len(parents) != len(wanted) or array.ndim != len(wanted) + 1:
        raise NetworkError(f"the table of {x!r} is not one for its parents {', '.join(map(repr, wanted)) or '(none)'}")
    order = [*(list(parents).index(parent) for parent in wanted), len(wanted)]
    return np.ascontiguousarray(array.transpose(order))


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _package(name: str) -> Any:
    """Import an optional package, without what it warns of on the way."""
    root = name.partition(".")[0]
    with needs(f"a network from or to {root}", root), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)
