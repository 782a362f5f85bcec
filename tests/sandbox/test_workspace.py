"""A path stays inside the workspace or a granted folder."""

from __future__ import annotations

import os
import socket
import stat
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.errors import UserFacing
from desktop.sandbox.folder import EntryKind
from desktop.sandbox.refusals import OutsideWorkspace
from desktop.sandbox.workspace import HeldPath, Workspace, read_path
from tests.sandbox.conftest import SECRET, House

Use = Callable[[HeldPath], object]

USES: dict[str, Use] = {
    "read": lambda place: place.read(),
    "write": lambda place: place.write(b"new"),
    "list": lambda place: place.entries(),
    "remove": lambda place: place.remove(),
    "move": lambda place: place.move(HeldPath(place.folder, ("moved",))),
}


def _refusal(use: Callable[[], object]) -> str:
    with pytest.raises(UserFacing) as refusal:
        use()
    return refusal.value.code


def test_what_is_written_is_read_again(house: House) -> None:
    """Relative and absolute names of the same file lead to the same bytes."""
    house.workspace.place("a/b").make_folder()
    house.workspace.place("a/b/c.txt").write(b"\x00\xff text")
    assert house.workspace.place(str(house.inside / "a/b/c.txt")).read() == b"\x00\xff text"
    assert house.workspace.place("a/b/c.txt").read(offset=2, limit_bytes=3) == b" te"
    assert [entry.name for entry in house.workspace.place("a/b").entries()] == ["c.txt"]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "through", ["link to file", "link to folder", "link to link", "absolute", "dangling"]
)
def test_links_are_never_followed(house: House, use: str, through: str) -> None:
    """No use of a link reads, changes or lists what it points to, and the refusal says that it is a link."""
    links = {
        "link to file": ("out", house.outside / "secret.txt", "out"),
        "link to folder": ("out", house.outside, "out/secret.txt"),
        "link to link": ("out", house.inside / "second", "out/secret.txt"),
        "absolute": ("out", Path("/"), "out/etc/hostname"),
        "dangling": ("out", house.outside / "nothing", "out"),
    }
    name, target, text = links[through]
    (house.inside / "second").symlink_to(house.outside)
    (house.inside / name).symlink_to(target)
    assert _refusal(lambda: USES[use](house.workspace.place(text))) in ("path-link", "path-not-folder")
    assert house.untouched()
    assert (house.inside / name).is_symlink()


def test_the_refusal_of_a_link_says_so(house: House) -> None:
    """The words do not depend on how the link was noticed."""
    (house.inside / "out").symlink_to(house.outside)
    assert _refusal(lambda: house.workspace.place("out/secret.txt").read()) == "path-link"
    assert _refusal(lambda: house.workspace.place("out").entries()) == "path-link"


def test_links_inside_to_inside_are_refused_too(house: House) -> None:
    """A link is refused wherever it points, because it may point elsewhere a moment later."""
    house.workspace.place("a.txt").write(b"a")
    (house.inside / "b.txt").symlink_to("a.txt")
    assert _refusal(lambda: house.workspace.place("b.txt").read()) == "path-link"
    assert _refusal(lambda: house.workspace.place("b.txt").write(b"b")) == "path-link"


@pytest.mark.parametrize("use", ["read", "write"])
@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_pipes_sockets_and_devices_are_refused_at_once(house: House, kind: str, use: str) -> None:
    """Nothing waits for the other end of a pipe, and no device is opened as a file."""
    path = house.inside / "odd"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            here = os.open(house.inside, os.O_RDONLY)
            server.bind(f"/proc/self/fd/{here}/odd")
            os.close(here)
    elif os.geteuid() == 0:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    else:
        pytest.skip("only the administrator makes devices")
    assert _refusal(lambda: USES[use](house.workspace.place("odd"))) == "path-not-plain"


@pytest.mark.parametrize("text", ["/dev/sda", "/proc/self/environ", "/sys/kernel", "/dev/stdin"])
def test_system_paths_are_refused_without_a_question(house: House, text: str) -> None:
    """What belongs to the kernel is not offered for a one-time read."""
    assert _refusal(lambda: house.workspace.place(text)) == "path-device"


def test_an_absolute_path_outside_names_what_it_resolves_to(house: House) -> None:
    """The user is asked about the file itself, not about a link to it."""
    (house.inside / "out").symlink_to(house.outside)
    for text in (str(house.outside / "secret.txt"), str(house.outside / ".." / "outside")):
        if ".." in text:
            assert _refusal(lambda text=text: house.workspace.place(text)) == "path-up"
            continue
        with pytest.raises(OutsideWorkspace) as refusal:
            house.workspace.place(text)
        assert refusal.value.path == house.outside / "secret.txt"
        assert house.workspace.read_outside(refusal.value.path, 1000) == SECRET


def test_a_link_put_in_place_after_the_question_is_refused(house: House) -> None:
    """The one-time read is for the path that was shown."""
    asked = house.outside / "secret.txt"
    asked.rename(house.outside / "other.txt")
    asked.symlink_to(house.outside / "other.txt")
    assert _refusal(lambda: house.workspace.read_outside(asked, 1000)) == "path-link"


def test_a_name_that_only_begins_like_the_workspace_is_outside(house: House) -> None:
    """Paths are compared by whole components."""
    sibling = house.inside.with_name("inside-not")
    sibling.mkdir()
    assert _refusal(lambda: house.workspace.place(str(sibling / "x"))) == "path-outside"
    assert _refusal(lambda: house.workspace.place(str(house.inside).upper() + "/x")) == "path-outside"


def test_a_granted_folder_is_inside_until_it_is_revoked(house: House) -> None:
    """Granting opens a folder by its own name and by a link to it; revoking closes it."""
    spelled = house.inside.with_name("spelled")
    spelled.symlink_to(house.outside)
    house.workspace.grant(spelled)
    place = house.workspace.place(str(spelled / "secret.txt"))
    assert place.read() == SECRET
    assert house.workspace.place(str(house.outside / "secret.txt")).read() == SECRET
    house.workspace.revoke(spelled)
    assert _refusal(lambda: house.workspace.place(str(spelled / "secret.txt"))) == "path-outside"
    assert _refusal(place.read) == "path-closed"


def test_own_data_stays_closed_inside_a_granted_folder(tmp_path: Path) -> None:
    """Granting a home folder does not open Steward's own files, nor lets them be moved away."""
    own = tmp_path / "home" / ".local" / "steward"
    own.mkdir(parents=True)
    (own / "grants").write_bytes(SECRET)
    workspace = Workspace(tmp_path / "home", forbidden=[own])
    for use in ("read", "write", "list", "remove", "move"):
        assert (
            _refusal(lambda use=use: USES[use](workspace.place(".local/steward/grants"))) == "path-own-files"
        )
    assert _refusal(lambda: workspace.place(".local").move(workspace.place("elsewhere"))) == "path-own-files"
    assert _refusal(lambda: workspace.place(str(own)).entries()) == "path-own-files"
    workspace.place("free.txt").write(b"fine")
    assert (own / "grants").read_bytes() == SECRET
    workspace.close()


def test_the_workspace_stays_the_same_folder_when_its_name_is_taken_over(house: House) -> None:
    """A folder put in the workspace's place is not the workspace."""
    moved = house.inside.with_name("moved")
    house.inside.rename(moved)
    house.inside.symlink_to(house.outside)
    place = house.workspace.place("new.txt")
    if house.is_held:
        place.write(b"new")
        assert (moved / "new.txt").read_bytes() == b"new"
    else:
        assert _refusal(lambda: place.write(b"new")) == "path-link"
    assert house.untouched()


def test_writing_keeps_the_permission_bits_and_nothing_half(house: House) -> None:
    """A script stays a script, a failing writer leaves the old bytes and no other file."""
    script = house.inside / "run.sh"
    script.write_bytes(b"old")
    script.chmod(0o750)
    place = house.workspace.place("run.sh")
    place.write(b"new")
    assert stat.S_IMODE(script.stat().st_mode) == 0o750

    def fails():  # type: ignore[no-untyped-def]
        yield b"half"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        place.write(fails())
    assert script.read_bytes() == b"new"
    assert [path.name for path in house.inside.iterdir()] == ["run.sh"]


def test_writing_breaks_hard_links_instead_of_changing_what_is_outside(house: House) -> None:
    """A second name of an outside file is replaced, and the file itself stays as it was."""
    os.link(house.outside / "secret.txt", house.inside / "same.txt")
    house.workspace.place("same.txt").write(b"new")
    assert house.untouched()


def test_a_read_only_file_is_not_replaced(house: House) -> None:
    """Renaming over it would work, but its owner said no."""
    (house.inside / "kept.txt").write_bytes(b"kept")
    (house.inside / "kept.txt").chmod(0o444)
    assert _refusal(lambda: house.workspace.place("kept.txt").write(b"new")) == "path-denied"


def test_nothing_is_replaced_unless_asked(house: House) -> None:
    """A new file and a moved file refuse a name that is taken."""
    one, two = house.workspace.place("one"), house.workspace.place("two")
    one.write(b"1")
    two.write(b"2")
    assert _refusal(lambda: one.move(two)) == "path-exists"
    assert _refusal(lambda: two.write(b"3", replace=False)) == "path-exists"
    assert (one.read(), two.read()) == (b"1", b"2")
    assert len(list(house.inside.iterdir())) == 2


def test_facts_tell_kinds_without_following(house: House) -> None:
    """A link is a link, with its own facts."""
    (house.inside / "out").symlink_to(house.outside)
    house.workspace.place("folder").make_folder()
    house.workspace.place("file").write(b"12345")
    kinds = {entry.name: entry.facts.kind for entry in house.workspace.place(".").entries()}
    assert kinds == {"out": EntryKind.LINK, "folder": EntryKind.FOLDER, "file": EntryKind.FILE}
    assert house.workspace.place("file").facts().size_bytes == 5


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (lambda w: w.place("missing").read(), "path-missing"),
        (lambda w: w.place("folder").read(), "path-is-folder"),
        (lambda w: w.place("file/below").read(), "path-not-folder"),
        (lambda w: w.place("full").remove(), "path-not-empty"),
        (lambda w: w.place("file").make_folder(), "path-exists"),
        (lambda w: w.place("x" * 300).read(), "path-name"),
        (lambda w: w.place(".").remove(), "path-root"),
        (lambda w: w.place("missing/new.txt").write(b""), "path-missing"),
    ],
)
def test_what_the_disk_refuses_is_told(house: House, act: Callable[[Workspace], object], code: str) -> None:
    """Every refusal of the system has a code and words of ours."""
    house.workspace.place("folder").make_folder()
    house.workspace.place("full/below").make_folder()
    house.workspace.place("file").write(b"")
    assert _refusal(lambda: act(house.workspace)) == code


TEXT = st.text(alphabet=st.sampled_from("ab./\\:~ \u2215\uff0e\u2025"), min_size=1, max_size=30)

PATHS = st.one_of(TEXT, st.lists(st.sampled_from(["a", "..", ".", "out", "b.txt", "", "..."])).map("/".join))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PATHS, st.sampled_from(sorted(USES)))
def test_no_text_leads_out(house: House, text: str, use: str) -> None:
    """Whatever a path says, nothing outside is read or changed; the workspace has a link that leads there."""
    if not (house.inside / "out").is_symlink():
        (house.inside / "out").symlink_to(house.outside)
    try:
        result = USES[use](house.workspace.place(text))
    except UserFacing:
        result = None
    assert result != SECRET
    assert house.untouched()


def test_many_threads_share_a_workspace(house: House) -> None:
    """Reads, writes and a revoke at the same time neither mix files nor crash."""
    house.workspace.grant(house.outside)
    wrong: list[object] = []

    def work(name: str) -> None:
        place = house.workspace.place(f"{name}.txt")
        for round_number in range(30):
            place.write(f"{name}{round_number}".encode())
            if place.read() != f"{name}{round_number}".encode():
                wrong.append(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    house.workspace.revoke(house.outside)
    for thread in threads:
        thread.join()
    assert wrong == []


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
        read_path(text, windows)
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
    assert read_path(text).parts == parts
    assert read_path(text).anchor == ""


def test_a_time_of_day_in_a_name_is_no_stream_outside_windows() -> None:
    """Pictures are often named after the minute; only on Windows is their colon a stream."""
    assert read_path("at 12:30:05.png", windows=False).parts == ("at 12:30:05.png",)
    with pytest.raises(UserFacing):
        read_path("at 12:30:05.png", windows=True)


def test_windows_drives_are_anchors_there_and_nowhere_else() -> None:
    """`C:\\notes` is absolute on Windows and refused on other systems."""
    assert read_path("C:\\Users\\me\\a.txt", windows=True).parts == ("Users", "me", "a.txt")
    with pytest.raises(UserFacing):
        read_path("C:\\Users\\me\\a.txt", windows=False)


TRICKY = st.text(alphabet=st.sampled_from("ab./\\:~ \0\u2215\uff0e\u2025\u202e\u200bCONul$?"), max_size=24)


@given(st.one_of(TRICKY, st.text(max_size=40)), st.booleans())
def test_no_accepted_component_can_lead_up_or_sideways(text: str, windows: bool) -> None:
    """Whatever the text, what is accepted has only components that name something below."""
    try:
        written = read_path(text, windows)
    except UserFacing:
        return
    for part in written.parts:
        folded = unicodedata.normalize("NFKC", part)
        assert part not in ("", ".", "..")
        assert set(folded.strip()) != {"."}
        assert set("/\\\0").isdisjoint(folded)
        assert part == part.rstrip(". ")
