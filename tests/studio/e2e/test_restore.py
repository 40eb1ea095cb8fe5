"""Nothing is lost: after a reload, when the window is closed, and when the studio is killed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.studio.e2e.conftest import OpenPage, StartStudio
from tests.studio.e2e.on_the_page import at_rest, go, key, see, session_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

KEPT = ("table", "knowledge", "settings", "results", "current", "compared", "decisions", "evidence", "do", "can_undo")


def worked_on(page: Page) -> None:
    """Go through all steps."""
    key(page, "example").click()
    at_rest(page)
    key(page, "target").select_option("dysp")
    go(page, "Knowledge")
    key(page, "chip asia").drag_to(page.locator(".tier.next"))
    page.locator(".tier[aria-label=Earliest]").get_by_text("asia").wait_for()
    go(page, "Learn")
    key(page, "learn").click()
    at_rest(page)
    go(page, "Resolve")
    page.locator(".links-table tbody tr", has_text="direction open").first.get_by_role("button").click()
    page.locator('.link-card [data-key^="direct "]').first.click()
    page.locator(".graph-frame .link.by-hand").wait_for(state="attached")
    go(page, "Ask")
    page.locator('.bar-card[data-name="xray"] .bar-row', has_text="yes").click()
    key(page, "said xray").wait_for()


def as_shown(page: Page) -> dict[str, Any]:
    """Return what the page shows in steps 2, 4 and 5."""
    go(page, "Knowledge")
    page.locator(".tiers").wait_for()
    tiers = page.locator(".tiers").inner_text()
    go(page, "Resolve")
    page.locator(".graph-frame .link.by-hand").wait_for(state="attached")
    links = page.locator(".links-table").inner_text()
    places = page.locator(".graph-frame .node rect").evaluate_all("all => all.map(one => one.getAttribute('x'))")
    go(page, "Ask")
    key(page, "said xray").wait_for()
    page.wait_for_function("() => document.querySelector('.bar-card[data-name=xray].seen') !== null")
    return {"tiers": tiers, "links": links, "places": places, "bars": page.locator(".bars").inner_text()}


def test_a_reload_and_a_killed_studio(start_studio: StartStudio, open_page: OpenPage) -> None:
    studio = start_studio()
    page = open_page(studio)
    worked_on(page)
    shown, kept = as_shown(page), session_of(page)
    page.reload()
    key(page, "said xray").wait_for()  # the same step, too
    assert page.get_by_role("tab", name="Ask").get_attribute("aria-selected") == "true"
    assert as_shown(page) == shown
    again = session_of(page)
    assert {part: again[part] for part in KEPT} == {part: kept[part] for part in KEPT}

    studio.kill()
    page.get_by_text("The studio has stopped. Nothing is lost").wait_for()
    new = open_page(start_studio(), "ask")
    key(new, "said xray").wait_for()
    assert as_shown(new) == shown
    again = session_of(new)
    assert {part: again[part] for part in KEPT} == {part: kept[part] for part in KEPT}
    new.locator("#undo").click()  # what was done before can be undone still
    go(new, "Resolve")
    new.locator(".links-table").wait_for()
    see(new, ".graph-frame .link.by-hand", 0)


def test_two_windows(start_studio: StartStudio, open_page: OpenPage) -> None:
    studio = start_studio()
    first, second = open_page(studio), open_page(studio)
    key(first, "example").click()
    at_rest(first)
    second.get_by_role("heading", name="chest_clinic").wait_for()
    key(first, "target").select_option("lung")
    second.wait_for_function("() => document.querySelector('[data-key=target]').value === 'lung'")
