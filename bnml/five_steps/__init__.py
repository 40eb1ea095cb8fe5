"""The five steps from a table to a network that one can answer for, as one study.

Which variables tell something (feature selection), what is known (constraints), which structure (learning), how sure
that is (uncertainty), and how strong each link is (data dependences). `bnml.study` takes all of them, and `bnml.report`
writes its report.

==============  =================================================================
`study_steps`   the steps, one after the other
`parts`         what each of them is made of
`state`         how far a study is
`table_source`  where its table comes from
`features`      the first of them: pairs that depend on each other, odd columns
`selection`     the end of the first step: which variables take part, what that leaves of constraints
`decisions`     what is decided by hand
`saving`        studies in files
`strength`      how strong a dependence is, from 0 to 1
`other_scores`  the best networks by other scores, and the directions they dispute
`links`         every link that a step found, and what each of them says of it
`study_result`  what a study holds
`risk`          what the target depends on, and how often it has its values
`what_if`       what it would be if a variable were set
`open_answers`  how far an answer about setting hangs on directions that are open
`validation`    how well it is predicted; `predictive_measures` has the measures
`values`        a study as plain values, for JSON
==============  =================================================================
"""

from __future__ import annotations

from bnml.five_steps.features import Features
from bnml.five_steps.saving import load_study
from bnml.five_steps.study_result import Study
from bnml.five_steps.study_steps import study

__all__ = ["Features", "Study", "load_study", "study"]
