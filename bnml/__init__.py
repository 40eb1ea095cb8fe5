"""Structure learning of Bayesian networks from discrete data, with scores that need no tuning.

>>> import bnml, numpy
>>> table = numpy.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]])
>>> dag = bnml.DAG.parse("[X0][X1|X0]")
>>> round(bnml.score(dag, table, "qnml"), 3)
-8.125

Every public name is loaded when it is first used, so that importing bnml takes no time.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from `typing`: in imports before `bnml.cli.main`, Ctrl-C would end in a traceback

__version__ = "0.1.0"

_HOME = {
    # errors
    "BnmlError": "bnml.errors",
    # data
    "Data": "bnml.data",
    "read": "bnml.data",
    "example": "bnml.data.example",
    # counts
    "information": "bnml.counts.information:",
    # nml
    "regret": "bnml.nml",
    # scores
    "LocalScores": "bnml.scores",
    "code_length": "bnml.scores",
    "family_score": "bnml.scores",
    "prequential": "bnml.scores",
    "priors": "bnml.scores.priors:",
    "score": "bnml.search.total_score",
    "scores": "bnml.scores:",
    # searches
    "learn": "bnml.search",
    "search": "bnml.search:",
    # cutting numbers by turns with a network
    "discretise": "bnml.discretisation",
    # independence
    "dependences": "bnml.independence",
    "independence": "bnml.independence:",
    "npc": "bnml.independence",
    "pc": "bnml.independence",
    "select_features": "bnml.independence",
    # uncertainty
    "bootstrap": "bnml.uncertainty",
    "posterior": "bnml.uncertainty",
    "strength": "bnml.uncertainty",
    # the five steps as one
    "load_study": "bnml.five_steps",
    "study": "bnml.five_steps",
    # relational networks
    "relational": "bnml.relational:",
    # for scikit-learn
    "sklearn": "bnml.sklearn:",
    # networks
    "BayesianNetwork": "bnml.network",
    "fit": "bnml.network",
    "kl_divergence": "bnml.network",
    "load": "bnml.network",
    "plot": "bnml.plot:",
    # graphs
    "Constraints": "bnml.graph",
    "DAG": "bnml.graph",
    "PDAG": "bnml.graph",
    "compare": "bnml.graph",
    "count_complete_component_networks": "bnml.graph",
    "count_dags": "bnml.graph",
    "is_imap": "bnml.graph",
    "is_perfect_map": "bnml.graph",
    "minimal_imap": "bnml.graph",
    "shd": "bnml.graph",
    "sid": "bnml.graph",
    "sid_bounds": "bnml.graph",
}

__all__ = [*sorted(_HOME), "__version__"]

if TYPE_CHECKING:
    from typing import Any

    from bnml import independence as independence
    from bnml import plot as plot
    from bnml import relational as relational
    from bnml import scores as scores
    from bnml import search as search
    from bnml import sklearn as sklearn
    from bnml.counts import information as information
    from bnml.data import Data as Data
    from bnml.data import read as read
    from bnml.data.example import example as example
    from bnml.discretisation import discretise as discretise
    from bnml.errors import BnmlError as BnmlError
    from bnml.five_steps import load_study as load_study
    from bnml.five_steps import study as study
    from bnml.graph import DAG as DAG
    from bnml.graph import PDAG as PDAG
    from bnml.graph import Constraints as Constraints
    from bnml.graph import compare as compare
    from bnml.graph import count_complete_component_networks as count_complete_component_networks
    from bnml.graph import count_dags as count_dags
    from bnml.graph import is_imap as is_imap
    from bnml.graph import is_perfect_map as is_perfect_map
    from bnml.graph import minimal_imap as minimal_imap
    from bnml.graph import shd as shd
    from bnml.graph import sid as sid
    from bnml.graph import sid_bounds as sid_bounds
    from bnml.independence import dependences as dependences
    from bnml.independence import npc as npc
    from bnml.independence import pc as pc
    from bnml.independence import select_features as select_features
    from bnml.network import BayesianNetwork as BayesianNetwork
    from bnml.network import fit as fit
    from bnml.network import kl_divergence as kl_divergence
    from bnml.network import load as load
    from bnml.nml import regret as regret
    from bnml.scores import LocalScores as LocalScores
    from bnml.scores import code_length as code_length
    from bnml.scores import family_score as family_score
    from bnml.scores import prequential as prequential
    from bnml.scores import priors as priors
    from bnml.search import learn as learn
    from bnml.search.total_score import score as score
    from bnml.uncertainty import bootstrap as bootstrap
    from bnml.uncertainty import posterior as posterior
    from bnml.uncertainty import strength as strength


def __getattr__(name: str) -> Any:
    import importlib

    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'bnml' has no attribute {name!r}")
    module = importlib.import_module(home.rstrip(":"))
    value = module if home.endswith(":") else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
