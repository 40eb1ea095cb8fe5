"""The addresses of the page and of its requests: `bnml.studio.door` lets them in, `bnml.studio.desk` does the work."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from importlib import resources
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote, unquote

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from bnml.errors import ArgumentError, BnmlError
from bnml.scores import SCORES
from bnml.search.searches import SEARCHES
from bnml.studio import hand_on
from bnml.studio.desk import BusyError, Desk
from bnml.studio.door import TooLargeError
from bnml.studio.page_words import error_values
from bnml.studio.read_tables import offered_suffixes
from bnml.studio.result_titles import SCORE_TITLES, SEARCH_TITLES
from bnml.studio.session_archive import pack_session

Handler = Callable[[Desk, Request], Awaitable[Response]]

KINDS = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""Of the files of the page, what they are."""
HANDED_ON = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "html": "text/html",
    "toml": "application/toml",
}
LONGEST_NAME = 200


def studio_app(desk: Desk) -> Starlette:
    """Return the application that answers the requests of the page."""

    def route(path: str, handler: Handler, *methods: str) -> Route:
        return Route(path, _answering(desk, handler), methods=list(methods))

    return Starlette(
        routes=[
            route("/", _page, "GET"),
            route("/static/{name}", _static, "GET"),
            route("/api/session", _session, "GET"),
            route("/api/choices", _choices, "GET"),
            route("/api/events", _events, "GET"),
            route("/api/table", _new_table, "POST"),
            route("/api/table", _choose_table, "PUT"),
            route("/api/table/gain", _gain, "POST"),
            route("/api/example", _example, "POST"),
            route("/api/knowledge", _knowledge, "PUT"),
            route("/api/settings", _settings, "PUT"),
            route("/api/forecast", _forecast, "GET"),
            route("/api/jobs", _new_job, "POST"),
            route("/api/jobs/{id}", _cancel, "DELETE"),
            route("/api/results/{id}", _result, "GET"),
            route("/api/results/{id}", _remove, "DELETE"),
            route("/api/results/{id}/comparison/{other}", _comparison, "GET"),
            route("/api/current", _current, "PUT"),
            route("/api/decisions", _decisions, "POST"),
            route("/api/undo", _undo, "POST"),
            route("/api/redo", _redo, "POST"),
            route("/api/ask", _ask, "POST"),
            route("/api/prior", _prior, "GET"),
            route("/api/most-probable", _most_probable, "POST"),
            route("/api/cpt/{name:path}", _cpt, "GET"),
            route("/api/export/{file}", _export, "GET"),
            route("/api/import", _import, "POST"),
            route("/api/before", _go_back, "POST"),
        ],
        exception_handlers={404: _nothing_here, 405: _nothing_here, 500: _mistake},
    )


def _answering(desk: Desk, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a request, and tells the page what went wrong."""

    async def answer(request: Request) -> Response:
        try:
            if request.method != "GET":
                desk.check_revision(request.headers.get("x-revision"))
            return await handler(desk, request)
        except BusyError as error:
            return JSONResponse(error_values(error), 409)
        except BnmlError as error:
            return JSONResponse(error_values(error), 400)
        except LookupError as error:
            return JSONResponse({"error": str(error.args[0]) if error.args else "nothing", "argument": None}, 404)
        except TooLargeError:
            said = {"error": "this is too large", "argument": None}
            return JSONResponse(said, 413, headers={"connection": "close"})
        except ClientDisconnect:
            return Response(status_code=400)
        except MemoryError:
            return JSONResponse({"error": "memory ran out; take fewer columns or rows", "argument": None}, 400)
        except OSError as error:
            return JSONResponse({"error": f"{error.strerror or error}", "argument": None}, 400)

    return answer


async def _nothing_here(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "there is nothing here", "argument": None}, getattr(error, "status_code", 404))


async def _mistake(request: Request, error: Exception) -> Response:
    """Tell the page; what went wrong is told on standard error."""
    return JSONResponse({"error": f"this is a mistake in bnml, please report it: {error!r}", "argument": None}, 500)


# --- the page ---


async def _page(desk: Desk, request: Request) -> Response:
    return _own_file("index.html")


async def _static(desk: Desk, request: Request) -> Response:
    return _own_file(request.path_params["name"])


def _own_file(name: str) -> Response:
    """Return a file of the page: one that is in its folder, by its bare name."""
    place = resources.files("bnml.studio").joinpath("page")
    found = next((file for file in place.iterdir() if file.name == name and file.is_file()), None)
    kind = KINDS.get(PurePosixPath(name).suffix)
    if found is None or kind is None:
        raise LookupError("there is no such file")
    return Response(found.read_bytes(), media_type=kind)


# --- the session ---


async def _session(desk: Desk, request: Request) -> Response:
    return JSONResponse(desk.document())


async def _choices(desk: Desk, request: Request) -> Response:
    """Return what there is to choose from."""
    return JSONResponse(
        {
            "scores": [
                {"name": name, "title": SCORE_TITLES.get(name, name), "about": _about(kind)}
                for name, kind in SCORES.items()
            ],
            "searches": ["auto", *SEARCHES],
            "search_titles": SEARCH_TITLES,
            "needs_target": [name for name, own in SEARCHES.items() if "class_variable" in own.needed],
            "suffixes": offered_suffixes(),
            "networks": list(hand_on.NETWORKS),
            "pictures": list(hand_on.PICTURES),
        }
    )


def _about(kind: type) -> str:
    return (kind.__doc__ or "").partition("\n")[0].strip()


async def _events(desk: Desk, request: Request) -> Response:
    first = {"revision": desk.session.revision}
    return StreamingResponse(desk.events.stream(first), media_type="text/event-stream")


async def _undo(desk: Desk, request: Request) -> Response:
    desk.undo()
    return JSONResponse(desk.document())


async def _redo(desk: Desk, request: Request) -> Response:
    desk.redo()
    return JSONResponse(desk.document())


async def _body(request: Request) -> dict[str, Any]:
    """Return the object that a request brings.

    Raises
    ------
    ArgumentError
        If it is something else.
    """
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise ArgumentError("the request is no JSON") from None
    if not isinstance(found, dict):
        raise ArgumentError("the request must be a JSON object")
    return found


# --- the table ---


async def _new_table(desk: Desk, request: Request) -> Response:
    name = _bare_name(request.headers.get("x-file-name", ""))
    arrived = await _arrived(desk, request)
    try:
        job = await desk.take_table(arrived, name)
    finally:
        arrived.unlink(missing_ok=True)
    return JSONResponse({"id": job.id})


def _bare_name(told: str) -> str:
    """Return the name of a file as it was told, without folders and without what cannot be shown.

    Examples
    --------
    >>> _bare_name("..%2F..%2Fetc%2Fpasswd%00.csv"), _bare_name("C%3A%5Cdata%5Csurvey.csv")
    ('passwd.csv', 'survey.csv')
    """
    name = PureWindowsPath(PurePosixPath(unquote(told, errors="replace")).name).name
    shown = "".join(letter for letter in name if letter.isprintable())
    return shown if len(shown) <= LONGEST_NAME else shown[-LONGEST_NAME:]


async def _arrived(desk: Desk, request: Request) -> Path:
    """Write what a request brings to a file, piece by piece."""
    target = desk.folder.incoming()
    try:
        with target.open("xb") as stream:
            async for piece in request.stream():
                stream.write(piece)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return target


async def _choose_table(desk: Desk, request: Request) -> Response:
    job = await desk.choose_table(await _body(request))
    return JSONResponse({**desk.document(), "id": None if job is None else job.id})


async def _example(desk: Desk, request: Request) -> Response:
    job = await desk.take_example()
    return JSONResponse({"id": job.id})


async def _gain(desk: Desk, request: Request) -> Response:
    asked = await _body(request)
    return JSONResponse(await desk.gain(asked.get("column"), asked.get("cuts")))


# --- knowledge, settings, jobs ---


async def _knowledge(desk: Desk, request: Request) -> Response:
    desk.know(await _body(request))
    return JSONResponse(desk.document())


async def _settings(desk: Desk, request: Request) -> Response:
    desk.set_learning(await _body(request))
    return JSONResponse(desk.document())


async def _forecast(desk: Desk, request: Request) -> Response:
    return JSONResponse(await desk.forecast())


async def _new_job(desk: Desk, request: Request) -> Response:
    job = await desk.do((await _body(request)).get("kind"))
    return JSONResponse({"id": job.id})


async def _cancel(desk: Desk, request: Request) -> Response:
    await desk.cancel(request.path_params["id"])
    return JSONResponse(desk.document())


# --- results ---


async def _result(desk: Desk, request: Request) -> Response:
    return JSONResponse(await desk.view(request.path_params["id"]))


async def _remove(desk: Desk, request: Request) -> Response:
    desk.remove(request.path_params["id"])
    return JSONResponse(desk.document())


async def _comparison(desk: Desk, request: Request) -> Response:
    return JSONResponse(await desk.comparison(request.path_params["id"], request.path_params["other"]))


async def _current(desk: Desk, request: Request) -> Response:
    desk.show(await _body(request))
    return JSONResponse(desk.document())


async def _decisions(desk: Desk, request: Request) -> Response:
    await desk.decide(await _body(request))
    return JSONResponse(desk.document())


# --- questions ---


async def _ask(desk: Desk, request: Request) -> Response:
    return JSONResponse(await desk.ask(await _body(request)))


async def _prior(desk: Desk, request: Request) -> Response:
    return JSONResponse(await desk.prior())


async def _most_probable(desk: Desk, request: Request) -> Response:
    return JSONResponse(await desk.most_probable(await _body(request)))


async def _cpt(desk: Desk, request: Request) -> Response:
    return JSONResponse(await desk.cpt(request.path_params["name"]))


# --- files ---


async def _export(desk: Desk, request: Request) -> Response:
    file = request.path_params["file"]
    what, _, kind = file.rpartition(".")
    if file == "session.zip":
        target = desk.folder.incoming()
        await asyncio.to_thread(pack_session, desk.session, desk.folder, target)
        gone = BackgroundTask(target.unlink, missing_ok=True)
        return FileResponse(
            target, media_type="application/zip", headers=_attached(desk, file), background=gone
        )  # fmt: skip
    if file == "constraints.toml":
        content = hand_on.constraints_file(desk.session)
    elif (what == "network" and kind in hand_on.NETWORKS) or (what == "picture" and kind in hand_on.PICTURES):
        content = await _of_result(desk, what, kind)
    elif file == "report.html":
        content = await _report(desk)
    else:
        raise LookupError("there is no such file")
    return Response(content, media_type=HANDED_ON.get(kind, "application/octet-stream"), headers=_attached(desk, file))


async def _of_result(desk: Desk, what: str, kind: str) -> bytes:
    entry = desk.current()
    made = desk.decisions_of(entry)
    if what == "network":
        network = await asyncio.to_thread(desk.results.network, entry, made)
        return await asyncio.to_thread(hand_on.network_file, network, kind)
    state = await asyncio.to_thread(desk.results.decided, entry, made)
    return await asyncio.to_thread(hand_on.picture_file, state, kind, entry.table.name)


async def _report(desk: Desk) -> bytes:
    entry = desk.current()
    study = await asyncio.to_thread(desk.results.study, entry, desk.decisions_of(entry))
    if study is None:
        raise BusyError("the report tells of all five steps, and some are not done: finish the study first")
    return await asyncio.to_thread(hand_on.report_file, study, entry.table.name)


def _attached(desk: Desk, file: str) -> Mapping[str, str]:
    """Return the header that makes a browser keep a file; its name begins with that of the table."""
    table = desk.session.table
    stem = "bnml" if table is None else table.name.split(".")[0] or "bnml"
    return {"content-disposition": f"attachment; filename*=UTF-8''{quote(f'{stem}-{file}', safe='')}"}


async def _import(desk: Desk, request: Request) -> Response:
    arrived = await _arrived(desk, request)
    try:
        await desk.take_session(arrived)
    finally:
        arrived.unlink(missing_ok=True)
    return JSONResponse(desk.document())


async def _go_back(desk: Desk, request: Request) -> Response:
    await desk.go_back()
    return JSONResponse(desk.document())
