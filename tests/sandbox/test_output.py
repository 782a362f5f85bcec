"""The beginning and the end of what a child said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop.sandbox.output import BoundedOutput


@given(st.lists(st.binary(max_size=40), max_size=30), st.integers(2, 60))
def test_head_and_tail_are_exact_and_the_rest_is_counted(chunks: list[bytes], limit: int) -> None:
    """However it arrives, the kept bytes are the true first and last ones, and no byte is uncounted."""
    kept = BoundedOutput(limit)
    for chunk in chunks:
        kept.add(chunk)
    output, whole = kept.output(), b"".join(chunks)
    assert output.total_bytes == kept.total_bytes == len(whole)
    assert whole.startswith(output.head)
    assert whole.endswith(output.tail)
    assert len(output.head) + len(output.tail) == min(limit, len(whole))


def test_text_says_what_is_missing_and_survives_binary() -> None:
    """Bytes that are no text become a mark; the gap is told in words."""
    kept = BoundedOutput(4)
    kept.add(b"ab\xff\xffcd")
    assert kept.output().text() == "ab\n[… 2 bytes left out …]\ncd"
    whole = BoundedOutput(100)
    whole.add(b"\xff\x00")
    assert whole.output().text() == "\ufffd\x00"
