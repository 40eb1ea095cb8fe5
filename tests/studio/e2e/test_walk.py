"""All six steps, with the mouse: on the bundled example, and on a table of 37 variables and 20,000 rows."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import bnml
from tests.studio.e2e.conftest import OpenPage, StartStudio
from tests.studio.e2e.on_the_page import LONG, at_rest, go, key, see, session_of

if TYPE_CHECKING:
    from playwright.sync_api import Page


def saved(page: Page, button: str, folder: Path) -> Path:
    """Press a button that saves a file; return the file."""
    with page.expect_download(timeout=LONG) as expected:
        key(page, button).click()
    path = folder / expected.value.suggested_filename
    expected.value.save_as(path)
    return path


def test_the_example(start_studio: StartStudio, open_page: OpenPage, tmp_path: Path) -> None:
    studio = start_studio()
    page = open_page(studio)

    # 1, the table
    key(page, "example").click()
    at_rest(page)
    page.get_by_role("heading", name="chest_clinic").wait_for()
    see(page, "table.columns tbody tr", 8)
    key(page, "use xray").uncheck()
    at_rest(page)
    page.get_by_text("7 of 8 columns in use").wait_for()
    page.locator("#undo").click()
    page.get_by_text("8 of 8 columns in use").wait_for()
    key(page, "target").select_option("lung")
    page.wait_for_function("async () => (await (await fetch('api/session')).json()).table.target === 'lung'")

    # 2, what is known
    go(page, "Knowledge")
    key(page, "chip smoke").drag_to(page.locator(".tier.next"))
    page.locator(".tier[aria-label=Earliest]").get_by_text("smoke").wait_for()
    key(page, "chip lung").drag_to(page.locator(".tier.next"))
    page.locator(".tier[aria-label='Then (2)']").get_by_text("lung").wait_for()
    assert session_of(page)["knowledge"]["tiers"] == [["smoke"], ["lung"]]
    key(page, "kind").select_option("forbidden")
    page.locator(".sketch .node[data-name=tub]").drag_to(page.locator(".sketch .node[data-name=bronc]"))
    page.locator(".said").get_by_text("tub").wait_for()
    assert session_of(page)["knowledge"]["forbidden"] == [["tub", "bronc"]]
    key(page, "kind").select_option("required")
    key(page, "from").select_option("lung")
    key(page, "to").select_option("smoke")
    key(page, "add").click()
    page.get_by_text("This cannot all be true.").wait_for()
    key(page, "take required lung smoke").click()
    page.get_by_text("This cannot all be true.").wait_for(state="detached")
    key(page, "clear").click()
    page.locator(".tier[aria-label=Earliest]").wait_for(state="detached")

    # 3, learn twice and compare
    go(page, "Learn")
    page.locator("#forecast").get_by_text("second", exact=False).wait_for()
    page.get_by_text("More settings").click()
    key(page, "prior").select_option("uniform")  # a network with a link that not every half of the rows has
    key(page, "learn").click()
    at_rest(page)
    page.locator(".result.current .proven").wait_for()
    see(page, ".graph-frame .node", 8)
    key(page, "score").select_option("bic")
    page.get_by_text("Cautious").wait_for()
    key(page, "learn").click()
    at_rest(page)
    page.locator(".result").nth(1).wait_for()
    key(page, "compare r1").click()
    page.get_by_role("heading", name="Two networks side by side").wait_for()
    see(page, ".pair .graph .node", 16)
    key(page, "show r1").click()
    page.locator(".result.current", has_text="qnml").wait_for()

    # 4, what is open: one direction, and what follows from it
    go(page, "Resolve")
    page.locator(".graph-frame .link.open").first.wait_for(state="attached")
    before = page.locator(".graph-frame .link.open").count()
    assert before >= 2
    page.locator('.graph-frame .link[aria-label*="bronc"][aria-label*="smoke"] .hit').click(force=True)
    key(page, "direct bronc smoke").click()
    page.locator(".graph-frame .link.by-hand").wait_for(state="attached")
    page.locator(".graph-frame .link.follows").first.wait_for(state="attached")
    assert session_of(page)["decisions"]["directed"] == [["bronc", "smoke"]]
    assert page.locator(".graph-frame .link.open").count() < before
    page.locator("#undo").click()
    page.locator(".graph-frame .link.by-hand").wait_for(state="detached")
    page.locator("#redo").click()
    page.locator(".graph-frame .link.by-hand").wait_for(state="attached")
    key(page, "support").click()
    at_rest(page)
    key(page, "threshold").wait_for()
    key(page, "threshold").fill("100")
    assert page.locator(".graph-frame .link.weak").count() > 0
    key(page, "threshold").fill("0")
    see(page, ".graph-frame .link.weak", 0)
    key(page, "posterior").click()
    at_rest(page)
    page.get_by_role("columnheader", name="Probability").wait_for()

    # 5, ask
    go(page, "Ask")
    key(page, "bar lung 0").wait_for()
    yes = page.locator('.bar-card[data-name="smoke"] .bar-row', has_text="yes")
    other = page.locator('.bar-card[data-name="lung"] .bar-row', has_text="yes").locator(".number")
    alone = other.text_content()
    yes.click()
    key(page, "said smoke").wait_for()
    moved = "before => document.querySelector('[data-name=lung] .bar-row:last-child .number').textContent !== before"
    page.wait_for_function(moved, arg=alone)
    assert session_of(page)["evidence"] == {"smoke": "yes"}
    key(page, "set").click()
    page.locator('.bar-card[data-name="bronc"] .bar-row', has_text="yes").click()
    page.locator(".bar-card.do[data-name=bronc]").wait_for()
    assert session_of(page)["do"] == {"bronc": "yes"}
    key(page, "table lung").click()
    page.locator(".conditional table tbody tr").first.wait_for()
    key(page, "mpe").click()
    see(page, ".explanation-list li", 8)

    # 6, hand on
    go(page, "Hand on")
    for kind in ("json", "bif", "net", "xdsl", "xmlbif", "dsc"):
        key(page, "format").select_option(kind)
        assert set(bnml.load(saved(page, "network", tmp_path)).names) == {*bnml.example().names}
    for kind, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        key(page, "picture-kind").select_option(kind)
        assert saved(page, "picture", tmp_path).read_bytes().startswith(start)
    assert '["tub", "bronc"]' in saved(page, "constraints", tmp_path).read_text()
    report = saved(page, "report", tmp_path).read_text()
    assert "by hand" in report
    assert "bronc" in report
    archive = saved(page, "session", tmp_path)
    assert zipfile.is_zipfile(archive)

    # another machine opens the session
    other_page = open_page(start_studio(folder="elsewhere"), "hand-on")
    other_page.locator("#session-file").set_input_files(archive)
    other_page.get_by_text("is open.").wait_for()
    first, second = session_of(page), session_of(other_page)
    for part in ("knowledge", "decisions", "evidence", "do", "results"):
        told = [json.dumps(one[part], sort_keys=True) for one in (first, second)]
        if part != "results":
            assert told[0] == told[1]
        else:
            assert len(first[part]) == len(second[part]) == 2


def test_thirty_seven_variables(start_studio: StartStudio, open_page: OpenPage, alarm: Path, tmp_path: Path) -> None:
    page = open_page(start_studio(alarm))
    at_rest(page)
    page.get_by_text("37 of 37 columns in use").wait_for()
    go(page, "Knowledge")
    key(page, "chip ANAPHYLAXIS").drag_to(page.locator(".tier.next"))
    page.locator(".tier[aria-label=Earliest]").get_by_text("ANAPHYLAXIS").wait_for()
    key(page, "clear").click()
    go(page, "Learn")
    key(page, "search").select_option("climb")
    page.get_by_text("quick.").wait_for()
    key(page, "learn").click()
    at_rest(page)
    page.locator(".result.current").wait_for()
    see(page, ".graph-frame .node", 37)
    go(page, "Resolve")
    open_link = page.locator(".links-table tbody tr", has_text="direction open").first
    open_link.get_by_role("button").click()
    page.locator('.link-card [data-key^="direct "]').first.click()
    page.locator(".graph-frame .link.by-hand").wait_for(state="attached")
    go(page, "Ask")
    page.locator('.bar-card[data-name="HISTORY"] .bar-row').first.click()
    key(page, "said HISTORY").wait_for()
    see(page, ".bar-card", 37)
    key(page, "mpe").click()
    see(page, ".explanation-list li", 37)
    go(page, "Hand on")
    key(page, "format").select_option("bif")
    assert len(bnml.load(saved(page, "network", tmp_path)).names) == 37
    assert saved(page, "picture", tmp_path).stat().st_size > 10_000
    assert zipfile.is_zipfile(saved(page, "session", tmp_path))


def test_cuts_are_dragged(start_studio: StartStudio, open_page: OpenPage, tmp_path: Path) -> None:
    table = tmp_path / "ages.csv"
    rows = [f"{18 + (7 * i) % 60},{'yes' if (7 * i) % 60 > 30 else 'no'}" for i in range(400)]
    table.write_text("\n".join(["age,ill", *rows]))
    page = open_page(start_studio())
    page.locator("#file").set_input_files(table)
    page.get_by_role("heading", name="ages.csv").wait_for()
    at_rest(page)
    see(page, ".cut", 1)
    page.get_by_text("The score gains").wait_for()
    told = page.locator("#gain").text_content()
    best = float(page.locator(".cut").get_attribute("aria-valuenow") or "nan")
    assert 47 <= best <= 50  # where those begin who are ill
    grip, frame = page.locator(".cut").bounding_box(), page.locator(".histogram").bounding_box()
    assert grip is not None
    assert frame is not None
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + frame["width"] / 4, y, steps=8)
    page.mouse.up()
    page.wait_for_function("told => !['…', told].includes(document.getElementById('gain').textContent)", arg=told)
    moved = float(page.locator(".cut").get_attribute("aria-valuenow") or "nan")
    assert moved > best + 5
    key(page, "use-cuts").click()
    at_rest(page)
    assert session_of(page)["table"]["columns"][0]["cuts"] == [moved]
    key(page, "auto-cuts").click()
    at_rest(page)
    assert not session_of(page)["table"]["columns"][0]["by_hand"]
