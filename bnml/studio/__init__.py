"""The five steps in a browser: a page on which a person goes from a table to a network that they can defend.

`bnml studio` serves it on this machine alone. A thin door: what the page shows comes from the results of other rooms,
and nothing statistical is computed here.

===================  =============================================================
`serve`              the server: where it listens, how it ends
`door`               who gets in: token, host, origin, sizes, headers
`app`                the addresses of the page and of its requests
`desk`               what requests do: the session, its history, its jobs
`events`             what the page is told as it happens
`session`            all that was chosen and found, as one document
`session_folder`     where it is kept, file by file
`session_archive`    the same as one file, for another machine
`archive_check`      a session from elsewhere, loaded before it is believed
`worker`             the process that does what takes long; `jobs` is its other end
`learning`           results: studies of which some parts are made
`table_look`         what is in a table, and what `bnml info` advises
`read_tables`        tables that are kept in memory
`forecasts`          what a search will take
`cut_gain`           what cuts of a column of numbers gain
`results`            results as the page shows them, with what was decided by hand
`result_summary`     what the list of results says of each
`result_layout`      where the nodes of each stand
`result_titles`      what scores, searches and results are called
`link_view`          each link and what is known of it
`questions`          probabilities, conditional tables, the most probable row
`hand_on`            networks, pictures, constraints and the report as files
`page_words`         messages in the words of the page
``page``             the page itself
===================  =============================================================
"""

from __future__ import annotations

from bnml.studio.serve import serve

__all__ = ["serve"]
