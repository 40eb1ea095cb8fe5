"""Makes the pictures of docs/studio.md anew: ``python -m tests.studio.e2e.pictures`` walks as the page tells."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.studio.e2e.conftest import BROWSERS
from tests.studio.e2e.on_the_page import at_rest, go, key
from tests.studio.e2e.studio_process import StudioProcess

if TYPE_CHECKING:
    from playwright.sync_api import Page

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"
COLOURS = 128


def main() -> None:
    """Walk through the studio and take four pictures."""
    from playwright.sync_api import sync_playwright

    browser_path = os.environ.get("BNML_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        studio = StudioProcess(Path(folder))
        try:
            browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1180, "height": 860}, reduced_motion="reduce")
            page.set_default_timeout(120_000)
            page.goto(studio.address)
            walk(page)
            browser.close()
        finally:
            studio.stop()


def walk(page: Page) -> None:
    """Go the way of docs/studio.md."""
    key(page, "example").click()
    at_rest(page)
    key(page, "target").select_option("lung")
    go(page, "Knowledge")
    for name, tier in (("smoke", ".tier.next"), ("lung", ".tier.next"), ("bronc", ".tier[aria-label='Then (2)']")):
        key(page, f"chip {name}").drag_to(page.locator(tier))
        page.locator(f".tier:not(.free) [data-key='chip {name}']").wait_for()
    picture(page, "knowledge")
    go(page, "Learn")
    key(page, "learn").click()
    at_rest(page)
    page.locator(".graph-frame .node").first.wait_for()
    page.wait_for_function("() => document.querySelector('#forecast').textContent !== ''")
    picture(page, "learn")
    page.locator("details[data-open='more'] summary").click()
    key(page, "prior").select_option("uniform")  # a network in which the direction of asia - tub is open
    key(page, "delete r1").click()  # or the second network would be drawn near the first
    key(page, "sure r1").click()
    key(page, "learn").click()
    at_rest(page)
    go(page, "Resolve")
    page.locator(".links-table tbody tr").first.wait_for()
    key(page, "support").click()
    at_rest(page)
    key(page, "threshold").wait_for()
    page.locator(".links-table tbody tr", has_text="asia").get_by_role("button").click()
    key(page, "direct asia tub").click()
    page.locator(".graph-frame .link.by-hand").wait_for(state="attached")
    page.locator(".picture").scroll_into_view_if_needed()
    page.evaluate("() => scrollTo(0, document.querySelector('.picture').getBoundingClientRect().top + scrollY - 80)")
    print(page.locator(".link-card").inner_text())
    print(page.locator(".links-table").inner_text())
    picture(page, "resolve")
    go(page, "Ask")
    for name, state in (("dysp", "yes"), ("xray", "yes")):
        page.locator(f'.bar-card[data-name="{name}"] .bar-row', has_text=state).click()
        key(page, f"said {name}").wait_for()
        print(name, page.locator('.bar-card[data-name="lung"]').inner_text().replace("\n", " "))
    page.evaluate("() => scrollTo(0, 0)")
    picture(page, "ask")


def picture(page: Page, name: str) -> None:
    """Take a picture of what is on the screen, in few colours so that the file is small."""
    from PIL import Image

    page.evaluate("() => document.activeElement?.blur()")
    page.wait_for_timeout(500)
    path = PICTURES / f"studio_{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as taken:
        taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
