from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.ui.chat.markdown import LONGEST_PROSE, Block, BlockSplitter, Code, Prose, Table

CASES = [
    ("", ()),
    ("one\ntwo\n\nthree", (Prose("one\ntwo"), Prose("three"))),
    ("a\n```py\nx = 1\n```\nb", (Prose("a"), Code("py", "x = 1", True), Prose("b"))),
    ("```\nopen", (Code("", "open", False),)),
    ("~~~~\n```\n~~~~", (Code("", "```", True),)),
    (
        "1. a\n   ```sh\n   ls\n     -l\n   ```\n2. b",
        (Prose("1. a"), Code("sh", "ls\n  -l", True), Prose("2. b")),
    ),
    ("- a\n\n- b\n\n  more\n\nend", (Prose("- a\n\n- b\n\n  more"), Prose("end"))),
    ("> a\n\n> b", (Prose("> a\n\n> b"),)),
    ("|a|b|\n|-|-|\n|1|2|\n\nend", (Table("|a|b|\n|-|-|\n|1|2|"), Prose("end"))),
    ("head\na | b\n--|--\n1 | 2", (Prose("head"), Table("a | b\n--|--\n1 | 2"))),
    ("a | b\nno rule", (Prose("a | b\nno rule"),)),
    ("# H\n\ntext", (Prose("# H"), Prose("text"))),
    ("``` not `a` fence", (Prose("``` not `a` fence"),)),
]


def split(text: str) -> tuple[Block, ...]:
    return tuple(BlockSplitter(text).blocks)


markdown_like = st.lists(
    st.sampled_from(
        [
            "word ",
            "- item",
            "1. one",
            "1",
            ". ",
            "> q",
            "```",
            "`",
            "~~~",
            "py",
            "|a|b|",
            "|-|-|",
            "\n",
            "\n\n",
            "  ",
            "# H",
            "---",
            "\t",
        ]
    ),
    max_size=30,
)


@pytest.mark.parametrize(("text", "blocks"), CASES)
def test_split(text: str, blocks: tuple[object, ...]) -> None:
    """Code and tables stand alone, prose is cut at blank lines where nothing goes on."""
    assert split(text) == blocks


@given(markdown_like)
def test_growing_equals_splitting_at_once(pieces: list[str]) -> None:
    """However the text arrives, the blocks are those of the whole text."""
    splitter = BlockSplitter()
    for count, piece in enumerate(pieces, start=1):
        splitter.append(piece)
        assert tuple(splitter.blocks) == split("".join(pieces[:count]))


@given(st.text(alphabet=st.sampled_from("ab \n|-*#>1."), max_size=200))
def test_no_character_is_lost(text: str) -> None:
    """Where no code is fenced, the blocks hold every character but blanks between them."""
    shown = "".join(block.text for block in split(text))
    assert "".join(shown.split()) == "".join(text.split())


@given(st.lists(st.text(alphabet=st.sampled_from("ab |-*#>"), max_size=20), max_size=20))
def test_code_is_kept_to_the_letter(lines: list[str]) -> None:
    """What stands between two fences is the code, whatever it looks like."""
    code = "\n".join(lines)
    assert split(f"before\n```x\n{code}\n```\nafter") == (
        Prose("before"),
        Code("x", code, True),
        Prose("after"),
    )


def test_a_settled_block_costs_nothing() -> None:
    """What a long answer holds open does not grow with its length."""
    splitter = BlockSplitter()
    for number in range(500):
        splitter.append(f"Paragraph {number} with some words.\n\n")
    assert len(splitter.blocks) == 500
    assert len(splitter._open) < 200


@pytest.mark.parametrize("text", ["x" * 50_000, "word " * 10_000])
def test_a_very_long_paragraph_is_cut(text: str) -> None:
    """No piece is longer than what lays out quickly, and nothing is lost."""
    blocks = split(text)
    assert all(len(block.text) <= LONGEST_PROSE for block in blocks)
    assert "".join(block.text for block in blocks).strip() == text.strip()
