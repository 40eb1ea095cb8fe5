"""Setting values by hand: what the answer hangs on is said beside it, and shown on the bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.studio.e2e.conftest import OpenPage, prepared_studio
from tests.studio.e2e.on_the_page import at_rest, go, key, nothing_asked, session_of
from tests.studio.e2e.studio_process import StudioProcess

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def learned(page: Page) -> None:
    key(page, "example").click()
    at_rest(page)
    go(page, "Learn")
    key(page, "learn").click()
    at_rest(page)
    page.locator(".result.current").wait_for()


@pytest.fixture(scope="module")
def example_learned(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioProcess]:
    """Learn the example in a studio, for all tests here."""
    with prepared_studio(browser, tmp_path_factory.mktemp("example"), None, learned) as studio:
        yield studio


def asking(page: Page) -> Page:
    """Return the page once it shows all bars, and nothing is observed or set."""
    nothing_asked(page)
    go(page, "Ask")
    page.locator(".bar-card").first.wait_for()
    return page


def test_open_directions_are_named_and_decided(example_learned: StudioProcess, open_page: OpenPage) -> None:
    page = asking(open_page(example_learned))
    bronc = page.locator('.bar-card[data-name="bronc"] .bar-row', has_text="yes")
    bronc.click()
    key(page, "said bronc").wait_for()
    assert page.locator(".hanging").count() == 0  # to observe hangs on no direction
    assert page.locator(".range:visible").count() == 0
    bronc.click()
    key(page, "said bronc").wait_for(state="detached")
    key(page, "set").click()
    bronc.click()
    page.locator(".hanging").get_by_text("This answer takes bronc → smoke as the network has it").wait_for()
    smoke = page.locator('.bar-card[data-name="smoke"] .bar-row', has_text="yes")
    assert smoke.locator(".range").is_visible()
    assert "depending on directions that are open" in (smoke.get_attribute("aria-label") or "")
    assert not page.locator('.bar-card[data-name="asia"] .range').first.is_visible()

    key(page, "decide").click()
    page.get_by_role("heading", name="What the data leave open").wait_for()
    page.locator(".links-table tbody tr", has_text="smoke – bronc").or_(
        page.locator(".links-table tbody tr", has_text="bronc – smoke")
    ).get_by_role("button").click()
    key(page, "direct smoke bronc").click()
    page.locator(".graph-frame .link.by-hand").wait_for(state="attached")
    go(page, "Ask")
    page.locator(".bar-card.do[data-name=bronc]").wait_for()
    page.locator(".hanging").wait_for(state="detached")
    assert page.locator(".range:visible").count() == 0
    assert session_of(page)["do"] == {"bronc": "yes"}


def test_marks_of_the_prior_are_there_after_a_reload(example_learned: StudioProcess, open_page: OpenPage) -> None:
    page = asking(open_page(example_learned))
    page.locator('.bar-card[data-name="xray"] .bar-row', has_text="yes").click()
    key(page, "said xray").wait_for()
    mark = page.locator('.bar-card[data-name="lung"] .bar-row', has_text="yes").locator(".mark")
    mark.wait_for()
    place = mark.evaluate("one => one.style.left")
    page.reload()
    mark.wait_for()
    assert mark.evaluate("one => one.style.left") == place
    assert session_of(page)["evidence"] == {"xray": "yes"}
