"""What every screen must be: readable at three widths, in light and dark, with a name for every control."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.studio.e2e.conftest import OpenPage, StartStudio
from tests.studio.e2e.on_the_page import at_rest, go, key, see, session_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

STEPS = ("Table", "Knowledge", "Learn", "Resolve", "Ask", "Hand on")

NAMELESS = """() => [
  ...document.querySelectorAll("button, input, select, [role=button], [role=slider], [role=switch], [role=tab]"),
]
  .filter(one => one.checkVisibility())
  .filter(one => !(one.getAttribute("aria-label") || one.textContent.trim()
    || one.getAttribute("aria-labelledby") || one.labels?.length))
  .map(one => one.outerHTML.slice(0, 120))"""

# Contrast of texts with what is behind them, as WCAG 2 defines it; 4.5 is asked for, 3 where letters are large.
PALE = """() => {
  const numbers = text => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = one => {
    for (let at = one; at; at = at.parentElement) {
      const found = numbers(getComputedStyle(at).backgroundColor);
      if (found[3] > 0.99) return found;
    }
    return [255, 255, 255, 1];
  };
  const pale = [];
  for (const one of document.querySelectorAll("main *, header *, nav *")) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !one.checkVisibility({ opacityProperty: true })) continue;
    if (one.closest("svg, :disabled, .unseen, option")) continue;
    const style = getComputedStyle(one);
    const [a, b] = [light(numbers(style.color)), light(behind(one))].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < least) pale.push(`${contrast.toFixed(2)} ${one.textContent.trim().slice(0, 40)}`);
  }
  return pale;
}"""


def check(page: Page, where: str) -> None:
    """Check what is on the screen."""
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), f"{where}: wider than the screen"
    assert page.evaluate(NAMELESS) == [], where
    assert page.evaluate(PALE) == [], where


def test_every_screen(start_studio: StartStudio, open_page: OpenPage, tmp_path: Path) -> None:
    table = tmp_path / "ages.csv"
    rows = [
        f"{i},{18 + (7 * i) % 60},{'yes' if (7 * i) % 60 > 30 else 'no'},{'ab'[i % 2] if i % 9 else ''}"
        for i in range(400)
    ]
    table.write_text("\n".join(["id,age,ill,group", *rows]))
    studio = start_studio(table)
    page = open_page(studio, color_scheme="light")
    at_rest(page)
    go(page, "Learn")
    key(page, "learn").click()
    at_rest(page)
    see(page, ".graph-frame .node", 3)
    go(page, "Resolve")
    key(page, "support").click()
    at_rest(page)
    go(page, "Ask")
    page.locator(".bar-row").first.click()
    page.locator(".said-bar .chip").wait_for()
    readable(page, "light")
    readable(open_page(studio, color_scheme="dark"), "dark")


def readable(page: Page, scheme: str) -> None:
    """Check every screen at three widths, and that the other colours are a click away."""
    go(page, "Resolve")
    page.locator(".links-table tbody tr").first.get_by_role("button").click()
    for width in (1280, 768, 390):
        page.set_viewport_size({"width": width, "height": 800})
        for step in STEPS:
            go(page, step)
            if step == "Resolve":
                page.locator(".links-table tbody tr").first.wait_for()
            elif step == "Ask":
                page.locator(".bar-row").first.wait_for()
            page.wait_for_timeout(200)
            check(page, f"{step}, {width} pixels, {scheme}")
    page.locator("#theme").click()
    assert page.evaluate("() => document.documentElement.dataset.theme") == ("dark" if scheme == "light" else "light")
    check(page, "the other colours")


def test_long_names(start_studio: StartStudio, open_page: OpenPage, tmp_path: Path) -> None:
    """Long names stand in several lines in their boxes, and nothing is wider than a phone."""
    names = ["How satisfied are you with the service you received?", "x" * 60, "income before taxes, in euros", "y"]
    table = tmp_path / "long.csv"
    rows = [f"{'no answer at all' if i % 3 else 'yes'},{i % 2},{i // 2 % 3},{i % 2}" for i in range(300)]
    table.write_text("\n".join([",".join(f'"{name}"' for name in names), *rows]))
    page = open_page(start_studio(table), width=390, height=800)
    at_rest(page)
    go(page, "Learn")
    key(page, "learn").click()
    at_rest(page)
    see(page, ".graph-frame .node", session_of(page)["results"][0]["variables"])
    inside = """() => [...document.querySelectorAll(".graph-frame .node")].every(node => {
      const box = node.querySelector("rect").getBoundingClientRect();
      return [...node.querySelectorAll("text")].every(text => {
        const own = text.getBoundingClientRect();
        return own.left >= box.left && own.right <= box.right && own.top >= box.top && own.bottom <= box.bottom;
      });
    })"""
    page.wait_for_function(inside)
    assert page.locator(".graph-frame .node", has_text="satisfied").locator("text").count() > 1
    for step in STEPS:
        go(page, step)
        page.wait_for_timeout(250)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), step


def test_names_full_of_html(start_studio: StartStudio, open_page: OpenPage, tmp_path: Path) -> None:
    """Names and labels are text, whatever is in them."""
    image = "<img src=x onerror=\"document.title='broken'\">"
    script = "<script>document.title='broken'</script>"
    quotes = """a"b'c]d\\e &amp; {{x}}"""
    fields = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (image, script, quotes)]
    table = tmp_path / "hostile.csv"
    values = (f"{fields[1] if i % 3 else 'plain'},{i % 2},{fields[0] if i % 5 else fields[2]}" for i in range(300))
    table.write_text("\n".join([",".join(fields), *values]))
    page = open_page(start_studio(table))
    at_rest(page)
    page.get_by_role("button", name=script).wait_for()
    go(page, "Knowledge")
    page.locator(".tier.free").get_by_text(image, exact=True).wait_for()
    page.locator(".chip").first.focus()
    page.keyboard.press("ArrowRight")
    page.locator(".tier[aria-label=Earliest] .chip").wait_for()
    page.locator("#undo").click()
    go(page, "Learn")
    key(page, "learn").click()
    at_rest(page)
    see(page, ".graph-frame .node", 3)
    go(page, "Resolve")
    page.locator("h1").wait_for()
    go(page, "Ask")
    page.locator(".bar-card h2").get_by_text(quotes, exact=True).wait_for()
    page.locator(".bar-row").first.click()
    page.locator(".said-bar .chip").wait_for()
    assert len(session_of(page)["evidence"]) == 1
    assert page.locator("main img, main script").count() == 0
    assert "broken" not in page.title()
