"""All six steps without a mouse: Tab, arrow keys, Enter and letters alone."""

from __future__ import annotations

from pathlib import Path

import bnml
from tests.studio.e2e.conftest import OpenPage, StartStudio
from tests.studio.e2e.on_the_page import LONG, at_rest, by_keys, see, session_of, tab_to


def test_the_whole_path(start_studio: StartStudio, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(start_studio())
    press = page.keyboard.press

    # 1, the table: the example, a column switched off, undone by keys
    tab_to(page, '[data-key="example"]')
    press("Enter")
    at_rest(page)
    tab_to(page, '[data-key="use xray"]')
    press("Space")
    at_rest(page)
    page.get_by_text("7 of 8 columns in use").wait_for()
    tab_to(page, '[data-key="column asia"]', backwards=True)
    press("Control+z")
    page.get_by_text("8 of 8 columns in use").wait_for()

    # 2, what is known: a variable moved between columns, a line drawn from one to another
    by_keys(page, "Knowledge")
    tab_to(page, '[data-key="chip smoke"]')
    press("ArrowRight")
    page.locator(".tier[aria-label=Earliest]").get_by_text("smoke").wait_for()
    assert page.evaluate("document.activeElement.dataset.key") == "chip smoke"
    press("ArrowLeft")
    page.locator(".tier[aria-label=Earliest]").wait_for(state="detached")
    tab_to(page, ".sketch .node")
    start = page.evaluate("document.activeElement.dataset.name")
    press("Enter")
    press("ArrowDown")
    end = page.evaluate("document.activeElement.dataset.name")
    press("Enter")
    page.locator(".said li").wait_for()
    assert session_of(page)["knowledge"]["required"] == [[start, end]]
    tab_to(page, '[data-key^="take "]')
    press("Enter")
    page.locator(".said li").wait_for(state="detached")

    # 3, learn
    by_keys(page, "Learn")
    tab_to(page, '[data-key="learn"]')
    press("Enter")
    at_rest(page)
    see(page, ".graph-frame .node", 8)

    # 4, what is open: along the links of the picture, then the choices beside it
    by_keys(page, "Resolve")
    page.locator(".graph-frame .link.open").first.wait_for(state="attached")
    tab_to(page, ".graph .node")
    for _ in range(8):
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "smoke":
            break
        press("ArrowRight")
    press("ArrowDown")
    assert page.evaluate("document.activeElement.classList.contains('link')")
    for _ in range(4):
        if page.evaluate("document.activeElement.classList.contains('open')"):
            break
        press("ArrowRight")
    press("Enter")
    page.locator(".link-card").wait_for()
    tab_to(page, '.link-card [data-key^="direct "]')
    press("Enter")
    page.locator(".graph-frame .link.by-hand").wait_for(state="attached")
    tab_to(page, '[data-key^="list "]')
    press("Enter")
    page.locator(".link-card").wait_for()

    # 5, ask
    by_keys(page, "Ask")
    page.locator(".bar-card").first.wait_for()
    tab_to(page, '[data-key="bar smoke 0"]')
    press("ArrowDown")
    press("Enter")
    page.locator('[data-key="said smoke"]').wait_for()
    press("Shift+Tab")
    tab_to(page, '[data-key="bar lung 0"]')
    press("Shift+Enter")
    page.locator(".bar-card.do[data-name=lung]").wait_for()
    tab_to(page, '[data-key="table lung"]', backwards=True)
    press("Enter")
    page.locator(".conditional").wait_for()
    asked = session_of(page)
    assert set(asked["evidence"]) == {"smoke"}
    assert set(asked["do"]) == {"lung"}

    # 6, hand on
    by_keys(page, "Hand on")
    tab_to(page, '[data-key="format"]')
    page.keyboard.type("BIF")
    tab_to(page, '[data-key="network"]')
    with page.expect_download(timeout=LONG) as expected:
        press("Enter")
    expected.value.save_as(tmp_path / "by_keys.bif")
    assert set(bnml.load(tmp_path / "by_keys.bif").names) == {*bnml.example().names}


def test_thirty_seven_variables(start_studio: StartStudio, open_page: OpenPage, alarm: Path, tmp_path: Path) -> None:
    page = open_page(start_studio(alarm))
    press = page.keyboard.press
    at_rest(page)
    tab_to(page, '[data-key="target"]')
    page.keyboard.type("CVP")
    page.wait_for_function("async () => (await (await fetch('api/session')).json()).table.target === 'CVP'")
    by_keys(page, "Knowledge")
    tab_to(page, '[data-key="chip ANAPHYLAXIS"]')
    press("ArrowRight")
    page.locator(".tier[aria-label=Earliest]").get_by_text("ANAPHYLAXIS").wait_for()
    by_keys(page, "Learn")
    tab_to(page, '[data-key="search"]')
    page.keyboard.type("Hill")
    page.wait_for_function("async () => (await (await fetch('api/session')).json()).settings.search === 'climb'")
    tab_to(page, '[data-key="learn"]')
    press("Enter")
    at_rest(page)
    see(page, ".graph-frame .node", 37)
    by_keys(page, "Resolve")
    page.locator(".links-table tbody tr").first.wait_for()
    tab_to(page, '[data-key^="list "]')  # those that are open come first
    press("Enter")
    tab_to(page, '.link-card [data-key^="direct "]')
    press("Enter")
    page.locator(".graph-frame .link.by-hand").wait_for(state="attached")
    by_keys(page, "Ask")
    page.locator(".bar-card").first.wait_for()
    tab_to(page, '[data-key="filter"]')
    page.keyboard.type("HYPO")
    tab_to(page, '[data-key="bar HYPOVOLEMIA 0"]')
    press("Enter")
    page.locator('[data-key="said HYPOVOLEMIA"]').wait_for()
    assert page.locator(".bar-card:visible").count() == 1
    by_keys(page, "Hand on")
    tab_to(page, '[data-key="picture"]')
    with page.expect_download(timeout=LONG) as expected:
        press("Enter")
    expected.value.save_as(tmp_path / "by_keys.svg")
    assert (tmp_path / "by_keys.svg").read_text().count("HYPOVOLEMIA") >= 1


def test_a_file_is_chosen_by_keys(start_studio: StartStudio, open_page: OpenPage, tmp_path: Path) -> None:
    table = tmp_path / "ages.csv"
    rows = [f"{18 + (7 * i) % 60},{'yes' if (7 * i) % 60 > 30 else 'no'}" for i in range(400)]
    table.write_text("\n".join(["age,ill", *rows]))
    page = open_page(start_studio())
    tab_to(page, "#file")
    with page.expect_file_chooser() as chooser:
        page.wait_for_timeout(300)  # until the browser has been told to leave the dialogue to us
        page.keyboard.press("Enter")
    chooser.value.set_files(table)
    page.get_by_role("heading", name="ages.csv").wait_for()
    at_rest(page)

    # cuts are moved and used by keys
    tab_to(page, ".cut")
    before = float(page.locator(".cut").first.get_attribute("aria-valuenow") or "nan")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "before => Number(document.querySelector('.cut').getAttribute('aria-valuenow')) > before", arg=before
    )
    tab_to(page, '[data-key="add"]')
    page.keyboard.press("Enter")
    see(page, ".cut", 2)
    page.get_by_text("The score gains").wait_for()
    tab_to(page, '[data-key="use-cuts"]')
    page.keyboard.press("Enter")
    at_rest(page)
    column = session_of(page)["table"]["columns"][0]
    assert column["by_hand"]
    assert len(column["cuts"]) == 2
