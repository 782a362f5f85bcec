"""What the text of a path may say."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import UserFacing
from desktop.sandbox import names

REFUSED = (
    ("", "path-name"),
    ("   ", "path-name"),
    ("a" * 5000, "path-name"),
    ("../secrets.txt", "path-up"),
    ("notes/../../secrets.txt", "path-up"),
    ("notes/..", "path-up"),
    ("..", "path-up"),
    ("...", "path-look-alike"),
    ("a/.../b", "path-look-alike"),
    ("notes.txt\0.png", "path-name"),
    ("notes\n.txt", "path-name"),
    ("\x1b[2Jnotes.txt", "path-name"),
    ("photo\u202egnp.exe", "path-name"),
    ("no\u200btes.txt", "path-name"),
    ("\ufeffnotes.txt", "path-name"),
    ("notes\udcff.txt", "path-name"),
    ("..\u2215secrets.txt", "path-look-alike"),
    ("..\u2044secrets.txt", "path-look-alike"),
    ("..\uff0fsecrets.txt", "path-look-alike"),
    ("..\uff3csecrets.txt", "path-look-alike"),
    ("..\u29f8secrets.txt", "path-look-alike"),
    ("\u2025/secrets.txt", "path-look-alike"),
    ("\uff0e\uff0e/secrets.txt", "path-look-alike"),
    ("\u2024\u2024/secrets.txt", "path-look-alike"),
    (".\uff0e/secrets.txt", "path-look-alike"),
    ("\u3002\u3002/secrets.txt", "path-look-alike"),
    ("\\\\server\\share\\file", "path-device"),
    ("//server/share/file", "path-device"),
    ("\\\\?\\C:\\file", "path-device"),
    ("//?/C:/file", "path-device"),
    ("\\\\.\\PhysicalDrive0", "path-device"),
    ("\\??\\C:\\file", "path-device"),
    ("NUL", "path-device"),
    ("nul.txt", "path-device"),
    ("folder/con", "path-device"),
    ("Com1.log", "path-device"),
    ("LPT\u00b9", "path-device"),
    ("CONIN$", "path-device"),
    ("notes.txt:hidden", "path-stream"),
    ("notes.txt::$DATA", "path-stream"),
    ("C:secret.txt", "path-stream"),
    ("file:///etc/passwd", "path-stream"),
    ("notes.txt/..namedfork/rsrc", "path-stream"),
    ("notes.txt.", "path-name"),
    ("notes.txt ", "path-name"),
    ("folder./file", "path-name"),
    ("folder\u3000/file", "path-name"),
)


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_what_is_not_plain_is_refused_with_its_reason(text: str, code: str, windows: bool) -> None:
    """Every trick of the table has a code and a sentence that shows what cannot be seen."""
    with pytest.raises(UserFacing) as refusal:
        names.read(text, windows)
    assert refusal.value.code == code
    assert refusal.value.cause.isprintable()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("notes.txt", ("notes.txt",)),
        ("./a//b/", ("a", "b")),
        (".", ()),
        (".gitignore", (".gitignore",)),
        ("Überweisung März.txt", ("Überweisung März.txt",)),
        (
            "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt",
            ("\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt",),
        ),
        ("报告。最终.txt", ("报告。最终.txt",)),
        ("to be continued….txt", ("to be continued….txt",)),
        ("..hidden", ("..hidden",)),
        ("construct.txt", ("construct.txt",)),
        ("console/aux-notes", ("console", "aux-notes")),
    ],
)
def test_ordinary_names_pass_as_they_are(text: str, parts: tuple[str, ...]) -> None:
    """Other scripts, hidden files and names that merely begin like a device are ordinary."""
    assert names.read(text).parts == parts
    assert names.read(text).anchor == ""


def test_a_time_of_day_in_a_name_is_no_stream_outside_windows() -> None:
    """Pictures are often named after the minute; only on Windows is their colon a stream."""
    assert names.read("at 12:30:05.png", windows=False).parts == ("at 12:30:05.png",)
    with pytest.raises(UserFacing):
        names.read("at 12:30:05.png", windows=True)


def test_windows_drives_are_anchors_there_and_nowhere_else() -> None:
    """`C:\\notes` is absolute on Windows and refused on other systems."""
    assert names.read("C:\\Users\\me\\a.txt", windows=True).parts == ("Users", "me", "a.txt")
    with pytest.raises(UserFacing):
        names.read("C:\\Users\\me\\a.txt", windows=False)


TRICKY = st.text(alphabet=st.sampled_from("ab./\\:~ \0\u2215\uff0e\u2025\u202e\u200bCONul$?"), max_size=24)


@given(st.one_of(TRICKY, st.text(max_size=40)), st.booleans())
def test_no_accepted_component_can_lead_up_or_sideways(text: str, windows: bool) -> None:
    """Whatever the text, what is accepted has only components that name something below."""
    try:
        written = names.read(text, windows)
    except UserFacing:
        return
    for part in written.parts:
        folded = unicodedata.normalize("NFKC", part)
        assert part not in ("", ".", "..")
        assert set(folded.strip()) != {"."}
        assert set("/\\\0").isdisjoint(folded)
        assert part == part.rstrip(". ")
