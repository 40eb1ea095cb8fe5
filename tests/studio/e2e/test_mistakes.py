"""What goes wrong is said beside what caused it, and everything goes on."""

from __future__ import annotations

from pathlib import Path

from tests.studio.e2e.conftest import OpenPage, StartStudio
from tests.studio.e2e.on_the_page import at_rest, go, key, see


def test_a_file_that_is_no_table(start_studio: StartStudio, open_page: OpenPage, tmp_path: Path) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"no parquet at all")
    odd = tmp_path / "letter.docx"
    odd.write_bytes(b"PK")
    page = open_page(start_studio())
    for path in (broken, odd):
        page.locator("#file").set_input_files(path)
        page.locator(".drop .mistake").wait_for()
        at_rest(page)
    key(page, "example").click()
    at_rest(page)
    page.get_by_text("The table is ready.").wait_for()
    see(page, ".mistake", 0)


def test_settings_and_decisions_that_do_not_go(start_studio: StartStudio, open_page: OpenPage) -> None:
    page = open_page(start_studio())
    key(page, "example").click()
    at_rest(page)
    go(page, "Learn")
    page.get_by_text("More settings").click()
    key(page, "alpha").fill("-1")
    key(page, "alpha").press("Enter")
    page.locator('.field:has([data-key="alpha"]) .mistake').wait_for()
    key(page, "search").select_option("tan")  # needs a target
    page.locator('.field:has([data-key="search"]) .mistake').wait_for()
    key(page, "learn").click()
    at_rest(page)
    page.locator(".result.current").wait_for()


def test_a_table_that_cannot_be_used_says_why(start_studio: StartStudio, open_page: OpenPage, tmp_path: Path) -> None:
    table = tmp_path / "gaps.csv"
    table.write_text("a,b\n" + "\n".join(f"{'xy'[i % 2]},{'uv'[i % 3 % 2] if i % 7 else ''}" for i in range(200)))
    page = open_page(start_studio(table))
    at_rest(page)
    key(page, "missing").select_option("error")
    at_rest(page)
    page.get_by_text("This table cannot be used as it is.").wait_for()
    go(page, "Learn")
    page.get_by_text("First make the table ready").wait_for()
    go(page, "Table")
    key(page, "missing").select_option("drop")
    at_rest(page)
    page.get_by_text("The table is ready.").wait_for()
