"""Names and lines as requests mean them."""

from __future__ import annotations

import pytest

from desktop.chat.intent_words import bare_of, is_quoted, named_like, whole_line


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("training.md", "training due.txt", "training due.txt"),
        ("training.md", "plan", "plan.md"),
        ("notes/a.txt", "b", "notes/b.txt"),
        ("a.txt", "other/b.md", "other/b.md"),
        ("report.md", "report v1.2", "report v1.2.md"),
        ("Makefile", "Makefile old", "Makefile old"),
    ],
)
def test_a_new_name_has_one_ending(old: str, new: str, named: str) -> None:
    """Its own where it names one, also behind a blank; else that of the old."""
    assert named_like(old, new) == named


@pytest.mark.parametrize(
    ("removed", "text", "line"),
    [
        ("towels", "soap\ntowels (cheap ones)\n", "towels (cheap ones)"),
        ("towels", "- soap\n- towels (cheap ones)\n", "- towels (cheap ones)"),
        ("towels", "towels and soap\n", ""),
        ("towels", "towels (a)\ntowels (b)\n", ""),
        ("towels", "towels\n", ""),  # nothing is left: all of it goes anyway
        ("", "(x)\n", ""),
    ],
)
def test_a_remark_goes_with_its_entry(removed: str, text: str, line: str) -> None:
    """In a list a pair of brackets alone says nothing."""
    assert whole_line(removed, text) == line


def test_blanks_behind_a_quotation_mark_are_read_at_once() -> None:
    """Taken back one by one, four thousand of them took minutes."""
    assert not is_quoted(f'"{" " * 20_000}x')
    assert is_quoted('" bread "')


def test_polite_words_at_the_end_are_found_behind_any_blanks() -> None:
    """ "Put it there   please"; of three thousand blanks within a text each was tried with each."""
    assert bare_of("put it there   , please  .", "en") == "put it there"
    assert bare_of(f"put x{' ' * 20_000}y", "en") == f"put x{' ' * 20_000}y"
