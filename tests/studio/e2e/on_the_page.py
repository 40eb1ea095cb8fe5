"""What a person does on the page, by mouse or by keyboard alone, and what is waited for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

LONG = 300_000  # milliseconds that a search or a study may take on a slow machine


def go(page: Page, step: str) -> None:
    """Click the tab of a step."""
    page.get_by_role("tab", name=step).click()


def key(page: Page, name: str) -> Locator:
    """Return the control with this key."""
    return page.locator(f'[data-key="{name}"]')


def at_rest(page: Page) -> None:
    """Wait until the job is done."""
    page.wait_for_function("async () => (await (await fetch('api/session')).json()).job === null", timeout=LONG)
    page.locator("#status").wait_for(state="hidden", timeout=LONG)


def session_of(page: Page) -> dict[str, object]:
    """Return the session as the server has it."""
    found: dict[str, object] = page.evaluate("async () => (await fetch('api/session')).json()")
    return found


def nothing_asked(page: Page) -> None:
    """Take back what tests before have observed and set."""
    asked = "async said => (await fetch('api/ask', { method: 'POST', body: said })).status"
    assert page.evaluate(asked, json.dumps({"evidence": {}, "do": {}})) == 200


def tab_to(page: Page, selector: str, *, most: int = 400, backwards: bool = False) -> None:
    """Press Tab until the element is reached; fail if it never is."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def by_keys(page: Page, step: str) -> None:
    """Go to a step with the keyboard alone."""
    page.evaluate("document.activeElement?.blur()")
    tab_to(page, '[role="tab"]')
    for _ in range(6):
        if page.evaluate("step => document.activeElement.textContent.endsWith(step)", step):
            return
        page.keyboard.press("ArrowRight")
    raise AssertionError(f"arrow keys do not reach {step}")


def see(page: Page, selector: str, number: int) -> None:
    """Wait until there are so many elements."""
    page.wait_for_function(
        "([selector, number]) => document.querySelectorAll(selector).length === number", arg=[selector, number]
    )
