"""What cannot be taken back is asked first; what is not used is said."""

from __future__ import annotations

from pathlib import Path

from tests.studio.e2e.conftest import OpenPage, StartStudio
from tests.studio.e2e.on_the_page import LONG, at_rest, go, key, see, session_of


def test_another_session_is_opened_and_left_again(
    start_studio: StartStudio, open_page: OpenPage, tmp_path: Path
) -> None:
    ages = tmp_path / "ages.csv"
    rows = [f"{18 + (7 * i) % 60},{'yes' if (7 * i) % 60 > 30 else 'no'}" for i in range(400)]
    ages.write_text("\n".join(["age,ill", *rows]))
    first = open_page(start_studio(ages), "hand-on")
    at_rest(first)
    archive = tmp_path / "session.zip"
    with first.expect_download(timeout=LONG) as expected:
        key(first, "session").click()
    expected.value.save_as(archive)

    page = open_page(start_studio(folder="elsewhere"))
    key(page, "example").click()
    page.locator("#subject", has_text="rows").wait_for()
    at_rest(page)
    go(page, "Hand on")
    page.locator("#session-file").set_input_files(archive)
    key(page, "open-it").wait_for()
    page.wait_for_function("document.activeElement.dataset.key === 'open-it'")
    page.get_by_text("takes the place of what is open now: chest_clinic").wait_for()
    key(page, "leave-it").click()
    key(page, "open-it").wait_for(state="detached")
    assert session_of(page)["table"]["name"] == "chest_clinic.csv.gz"

    page.locator("#session-file").set_input_files(archive)
    with page.expect_download(timeout=LONG) as expected:
        key(page, "save-first").click()
    expected.value.save_as(tmp_path / "mine.zip")
    key(page, "open-it").click()
    page.get_by_text("session.zip is open.").wait_for()
    at_rest(page)
    assert session_of(page)["table"]["name"] == "ages.csv"
    page.get_by_text("Before, chest_clinic.csv.gz was open.").wait_for()
    key(page, "before").click()
    page.get_by_text("The session before is open again.").wait_for()
    at_rest(page)
    assert session_of(page)["table"]["name"] == "chest_clinic.csv.gz"

    (tmp_path / "broken.zip").write_bytes(archive.read_bytes()[:200])
    page.locator("#session-file").set_input_files(tmp_path / "broken.zip")
    key(page, "open-it").click()
    page.locator(".offer .mistake").wait_for()
    assert session_of(page)["table"]["name"] == "chest_clinic.csv.gz"


def test_a_result_is_deleted_only_once_that_is_confirmed(start_studio: StartStudio, open_page: OpenPage) -> None:
    page = open_page(start_studio())
    key(page, "example").click()
    at_rest(page)
    go(page, "Learn")
    for number in (1, 2):
        key(page, "learn").click()
        at_rest(page)
        see(page, ".result", number)
    page.get_by_role("heading", name="Exact, qNML (result 1)").wait_for()
    key(page, "delete r1").click()
    key(page, "sure r1").wait_for()
    page.wait_for_function("document.activeElement.dataset.key === 'keep r1'")
    key(page, "keep r1").click()
    key(page, "sure r1").wait_for(state="detached")
    page.wait_for_function("document.activeElement.dataset.key === 'delete r1'")
    key(page, "delete r1").click()
    key(page, "sure r1").click()
    see(page, ".result", 1)
    page.get_by_role("heading", name="Exact, qNML", exact=True).first.wait_for()


def test_knowledge_that_is_not_used_says_why(start_studio: StartStudio, open_page: OpenPage) -> None:
    page = open_page(start_studio())
    key(page, "example").click()
    at_rest(page)
    go(page, "Knowledge")
    key(page, "chip smoke").focus()
    page.keyboard.press("ArrowRight")
    page.locator(".tier[aria-label=Earliest]").get_by_text("smoke").wait_for()
    key(page, "from").select_option("smoke")
    key(page, "to").select_option("lung")
    key(page, "add").click()
    page.locator(".said li").wait_for()
    assert page.get_by_text("Not used now").count() == 0
    go(page, "Table")
    key(page, "use smoke").uncheck()
    at_rest(page)
    go(page, "Knowledge")
    page.locator(".said li.not-used").get_by_text("Not used now: column smoke is switched off").wait_for()
    page.locator("p.not-used").get_by_text("Not used now: column smoke is switched off").wait_for()
