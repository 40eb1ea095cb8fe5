"""A browser, studios as processes, and pages that tell when something leaves the machine or goes wrong in a script.

Without Playwright or Chromium these tests skip, and say so.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import bnml
from tests.studio.e2e.studio_process import StudioProcess

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NETWORKS = Path(__file__).parents[4] / "shared" / "data" / "networks"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

StartStudio = Callable[..., StudioProcess]
OpenPage = Callable[..., "Page"]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    pytest.importorskip("uvicorn", reason="needs bnml[studio]")
    if os.environ.get("BNML_SKIP_BROWSER"):
        pytest.skip("BNML_SKIP_BROWSER is set")
    path = os.environ.get("BNML_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("needs Chromium: apt install chromium, or its path in BNML_CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def start_studio(tmp_path: Path) -> Iterator[StartStudio]:
    """Start studios; they end with the test."""
    running: list[StudioProcess] = []

    def start(data: Path | None = None, folder: str = "session") -> StudioProcess:
        studio = StudioProcess(tmp_path / folder, data)
        running.append(studio)
        return studio

    yield start
    for studio in running:
        studio.stop()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open pages; no request may leave for anywhere else, and no script may fail."""
    contexts: list[Any] = []
    elsewhere: list[str] = []
    wrong: list[str] = []

    def open_one(
        studio: StudioProcess, step: str = "", *, width: int = 1280, height: int = 900, **options: Any
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda request: None if _own(request.url, studio) else elsewhere.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: _note(message, wrong))
        page.goto(f"{studio.address}#{step}" if step else studio.address)
        page.locator("#starting").wait_for(state="detached")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not elsewhere, f"requests to other places: {elsewhere}"
    assert not wrong, f"scripts went wrong: {wrong}"


@contextmanager
def prepared_studio(
    browser: Browser, folder: Path, data: Path | None, prepare: Callable[[Page], None]
) -> Iterator[StudioProcess]:
    """Start a studio for several tests, and do on a page of its own what they all begin with."""
    studio = StudioProcess(folder / "session", data)
    try:
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.goto(studio.address)
        page.locator("#starting").wait_for(state="detached")
        prepare(page)
        page.close()
        yield studio
    finally:
        studio.stop()


def _own(url: str, studio: StudioProcess) -> bool:
    return url.startswith((studio.address, "blob:http://127.0.0.1:", "data:"))


def _note(message: Any, wrong: list[str]) -> None:
    """Keep what the browser complains about; refusals are told by the page itself, and so is a studio that is gone."""
    if message.type == "error" and "Failed to load resource" not in message.text and "ERR_" not in message.text:
        wrong.append(message.text)


def sampled(name: str, rows: int, folder: Path) -> Path:
    """Write a table of rows drawn from one of the known networks; skip where these are not at hand."""
    source = NETWORKS / f"{name}.bif"
    if not source.is_file():
        pytest.skip(f"needs {name}.bif of the shared data")
    path = folder / f"{name}.csv"
    bnml.load(source).sample(rows, seed=1).to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def alarm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ALARM, 37 variables, 20,000 rows."""
    return sampled("alarm", 20_000, tmp_path_factory.mktemp("alarm"))


@pytest.fixture(scope="session")
def printers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """WIN95PTS, 76 variables, 2,000 rows."""
    return sampled("win95pts", 2_000, tmp_path_factory.mktemp("printers"))
