"""A whole profile in one file, and back: on real files, real databases, killed and out of room."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.backup.manifest import ReadableVersions, sizes
from desktop.backup.restore import STAGING, finish, inspect, is_prepared, prepare
from desktop.backup.write import clear_left, write_backup
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import ChatStore, Role
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure
from tests.backup.conftest import KNOWN, fill, said, say
from tests.plug.fork_server import fork_server


@pytest.fixture
def backup(old: Paths, tmp_path: Path) -> Path:
    file = tmp_path / "kept" / "steward.zip"
    write_backup(old, file, "1.0")
    return file


def test_a_backup_restores_on_another_profile(backup: Path, new: Paths) -> None:
    """Conversations, settings and kept bytes are those of the backup; the old ones lie aside, whole."""
    prepare(backup, new, KNOWN)
    assert said(new) == ["new words"]  # nothing has changed yet
    restored = finish(new)
    assert restored is not None
    assert said(new) == ["old words"]
    assert 'system_prompt = "old words"' in new.settings.read_text("utf-8")
    assert (new.journal / ("a" * 64)).read_bytes() == b"before old words"
    assert "old words" in (new.skills / "our minutes" / "SKILL.md").read_text("utf-8")
    assert (new.skills / "our minutes" / "scripts" / "zähle.py").read_text("utf-8") == "old words"
    data, config = restored.aside
    assert "new words" in (data / "skills" / "our minutes" / "SKILL.md").read_text("utf-8")
    assert 'system_prompt = "new words"' in (config / "settings.toml").read_text("utf-8")
    assert (data / "journal" / ("a" * 64)).read_bytes() == b"before new words"
    aside = Paths.under(new.data.parent / "seen")
    aside.data.mkdir(parents=True)
    os.replace(data / "steward.sqlite3", aside.database)
    assert said(aside) == ["new words"]
    assert finish(new) is None
    assert not list(new.data.glob(f"**/{STAGING}"))


def test_a_backup_restores_where_there_was_nothing(backup: Path, tmp_path: Path) -> None:
    """A fresh computer needs no profile first."""
    fresh = Paths.under(tmp_path / "fresh")
    prepare(backup, fresh, KNOWN)
    restored = finish(fresh)
    assert restored is not None
    assert restored.aside == ()
    assert said(fresh) == ["old words"]


def test_a_backup_holds_no_secrets_and_no_models(backup: Path) -> None:
    """Neither tokens, nor a password in the address of the proxy, nor model files."""
    with zipfile.ZipFile(backup) as archive:
        names = set(archive.namelist())
        everything = b"".join(archive.read(name) for name in names)
    assert not any(name.endswith(".gguf") or "secret" in name or "token" in name for name in names)
    assert all(word not in everything for word in (b"hunter2", b"hf_very_secret", b"token-hash"))
    assert b"http://proxy:3128" in everything
    if os.name == "posix":
        assert backup.stat().st_mode & 0o077 == 0


def test_models_come_along_when_wanted(old: Paths, new: Paths, tmp_path: Path) -> None:
    """Their sizes are known before; a restored one takes the place of one of the same name."""
    assert sizes(old).models_bytes == {"tiny.gguf": 9004}
    file = tmp_path / "all.zip"
    manifest = write_backup(old, file, "1.0", with_models=True).manifest
    assert manifest.models == ("tiny.gguf",)
    prepare(file, new, KNOWN)
    finish(new)
    assert (new.models / "tiny.gguf").read_bytes().startswith(b"GGUFold words")


def test_what_of_the_skills_is_left_out_is_named(old: Paths, new: Paths, tmp_path: Path) -> None:
    """A name that some file system refuses, bytes that are no text, a link, a file beside the folders, one
    too deep; what is taken is not named, and restores."""
    skill = old.skills / "our minutes"
    (skill / "at 9:30.md").write_text("when", "utf-8")
    (old.skills / "README").write_text("about", "utf-8")
    (skill / "link.md").symlink_to("SKILL.md")
    (skill / "folder").symlink_to(tmp_path)
    deep = skill.joinpath(*"abcdefgh")
    deep.mkdir(parents=True)
    (deep / "deep.md").write_text("deep", "utf-8")
    names = ["README", "our minutes/at 9:30.md", "our minutes/folder", "our minutes/link.md"]
    names.append("our minutes/a/b/c/d/e/f/g/h/deep.md")
    if sys.platform == "linux":
        (skill / os.fsdecode(b"caf\xe9.md")).write_text("latin", "utf-8")
        names.append("our minutes/caf\\xe9.md")
    file = tmp_path / "kept.zip"
    assert sorted(write_backup(old, file, "1.0").left_out) == sorted(names)
    prepare(file, new, KNOWN)
    finish(new)
    restored = {path.name for path in new.skills.rglob("*") if path.is_file()}
    assert restored == {"SKILL.md", "zähle.py"}


def test_a_backup_is_made_while_conversations_go_on(old: Paths, tmp_path: Path) -> None:
    """What is committed when it begins is in it, and nothing half."""
    database = Database(old.database, MIGRATIONS)
    store, ended = ChatStore(database), threading.Event()
    number = store.create("busy").id

    def talk() -> None:
        while not ended.is_set():
            store.add(number, Role.USER, "on and on " * 50)

    talking = threading.Thread(target=talk)
    talking.start()
    file = tmp_path / "busy.zip"
    write_backup(old, file, "1.0")
    ended.set()
    talking.join()
    database.close()
    fresh = Paths.under(tmp_path / "fresh")
    prepare(file, fresh, KNOWN)
    finish(fresh)
    assert "old words" in said(fresh)


# -- what is refused ------------------------------------------------------------------------------


def refused(file: Path, paths: Paths, known: ReadableVersions = KNOWN) -> UserFacing:
    before = _everything(paths)
    with pytest.raises(UserFacing) as raised:
        prepare(file, paths, known)
    assert not is_prepared(paths)
    assert _everything(paths) == before
    return raised.value


def _everything(paths: Paths) -> dict[str, bytes]:
    root = paths.data.parent
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_a_backup_of_a_newer_steward_is_refused_in_clear_words(backup: Path, new: Paths) -> None:
    """It says so, names the version, and changes nothing."""
    older = ReadableVersions("0.9", {**KNOWN.schema_numbers, "chat": KNOWN.schema_numbers["chat"] - 1})
    error = refused(backup, new, older)
    assert error.code == "backup-newer"
    assert "newer Steward (1.0)" in error.cause


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_truncated_backup_is_refused(backup: Path, new: Paths, share: float) -> None:
    """Wherever it was cut."""
    whole = backup.read_bytes()
    backup.write_bytes(whole[: int(len(whole) * share)])
    assert refused(backup, new).code == "backup-damaged"


def _rewritten(backup: Path, change: dict[str, bytes]) -> None:
    with zipfile.ZipFile(backup) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(backup, "w") as archive:
        for name, content in {**files, **change}.items():
            archive.writestr(name, content)


def test_a_changed_file_in_a_backup_is_refused(backup: Path, new: Paths) -> None:
    """The hash of each file is checked."""
    _rewritten(backup, {"config/settings.toml": b"[permissions]\ndangerously_skip_permissions = true\n"})
    assert refused(backup, new).code == "backup-damaged"


@pytest.mark.parametrize(
    "name", ["../evil", "data/../../evil", "/etc/evil", "config/secrets.json", "data\\evil"]
)
def test_a_backup_that_leads_out_of_the_profile_is_refused(backup: Path, new: Paths, name: str) -> None:
    """Only names that a backup has are unpacked."""
    with zipfile.ZipFile(backup) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    manifest["files"].append({"name": name, "size_bytes": 1, "sha256": "0" * 64})
    _rewritten(backup, {"manifest.json": json.dumps(manifest).encode(), name: b"x"})
    assert refused(backup, new).code == "backup-damaged"


@pytest.mark.parametrize(
    "contents", [b"[" * 100_000, b'{"format": "steward-backup", "version": "x"}', b"[]", b"NaN", b"\xff"]
)
def test_a_list_of_contents_that_is_none_is_a_sentence(backup: Path, new: Paths, contents: bytes) -> None:
    """However it is written."""
    _rewritten(backup, {"manifest.json": contents})
    assert refused(backup, new).code == "backup-damaged"


def test_any_other_file_is_refused(new: Paths, tmp_path: Path) -> None:
    """A text, an empty file, a zip of something else, a folder."""
    for number, content in enumerate((b"", b"hello", b"PK\x05\x06" + bytes(18))):
        file = tmp_path / f"{number}.zip"
        file.write_bytes(content)
        assert refused(file, new).code == "backup-damaged"
    assert refused(tmp_path, new).code == "backup-unreadable"


@pytest.mark.skipif(os.name != "posix", reason="limits of a process are POSIX")
def test_a_disk_that_fills_up_leaves_everything_as_it_was(old: Paths, new: Paths, tmp_path: Path) -> None:
    """Neither a half backup nor a half restore is left, and the words say what to do."""
    (old.models / "large.gguf").write_bytes(os.urandom(3_000_000))
    file = tmp_path / "large.zip"
    write_backup(old, file, "1.0", with_models=True)
    kept = file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, hard))
    try:
        assert refused(file, new).code == "restore-refused"
        with pytest.raises(UserFacing) as raised:
            write_backup(old, file, "1.0", with_models=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert raised.value.code == "backup-refused"
    assert file.read_bytes() == kept
    assert list(file.parent.glob(".*.part")) == []


# -- kill -9 --------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX")
@pytest.mark.slow
@pytest.mark.timeout(1_200)  # thirty restores, each of which unpacks in a child of its own
def test_kill_9_at_any_step_leaves_the_old_profile_or_the_new_one(backup: Path, tmp_path: Path) -> None:
    """Acceptance check 15: the next start finds one of the two, whole, and never a mixture."""
    outcomes = set()
    # Each start of an interpreter with the program in it takes longer than the restore, under load minutes.
    with fork_server() as processes:
        for step in range(100):
            paths = Paths.under(tmp_path / f"at-{step}")
            fill(paths, "new words")
            with processes.start("killed restore", str(backup), str(paths.profile), str(step)) as child:
                code = child.wait()
                assert code in (0, -signal.SIGKILL), child.errors()
            finish(paths)  # what every start does first
            settings = paths.settings.read_text("utf-8")
            words = said(paths)
            assert words in (["old words"], ["new words"])
            assert f'"{words[0]}"' in settings
            assert (paths.journal / ("a" * 64)).read_bytes() == f"before {words[0]}".encode()
            assert not paths.restoring.exists()
            outcomes.add(words[0])
            if code == 0:
                break
    assert outcomes == {"old words", "new words"}
    assert step > 8


KILLED_BACKUP = """
import os, signal, sys
from pathlib import Path
from desktop.app import build_core
from desktop.backup import write
from desktop.paths import Paths

def die(*arguments, **more):
    os.kill(os.getpid(), signal.SIGKILL)

write._write_all = die
write.write_backup(Paths.under(Path(sys.argv[1])), Path(sys.argv[2]), "1.0")
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX")
@pytest.mark.parametrize("by", ["the next start", "the next backup"])
def test_a_killed_backup_leaves_nothing_behind(old: Paths, tmp_path: Path, by: str) -> None:
    """Neither its copy of the database nor half a file; one that is being made elsewhere stays."""
    target = tmp_path / "steward.backup"
    words = [sys.executable, "-c", KILLED_BACKUP, str(old.profile), str(target)]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".steward.backup.*.part"))) == 1
    assert len(list(old.cache.glob("backup-*"))) == 1
    another = ensure(old.cache / f"backup-{os.getpid()}-x")
    if by == "the next start":
        build_core(old)
    else:
        write_backup(old, tmp_path / "other.backup", "1.0")
    assert list(old.cache.glob("backup-*")) == [another]
    assert list(tmp_path.glob(".*.part")) == []


@pytest.mark.parametrize("number", ["²", "٣", "0" * 200 + "1", "9" * 200, "-1", ""])
def test_a_folder_of_an_odd_number_is_nobodys(old: Paths, number: str) -> None:
    """Who made it cannot be told from its name, and the others are looked at all the same."""
    ensure(old.cache / f"backup-{number}-x")
    another = ensure(old.cache / f"backup-{os.getpid()}-x")
    clear_left(old)
    assert list(old.cache.glob("backup-*")) == [another]


def test_what_was_prepared_waits_while_steward_runs(backup: Path, new: Paths) -> None:
    """Another verb of the command line does not move files under a running program."""
    from filelock import FileLock

    prepare(backup, new, KNOWN)
    new.instance_lock.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(new.instance_lock):
        assert finish(new) is None
    assert said(new) == ["new words"]
    assert finish(new) is not None
    assert said(new) == ["old words"]


def test_the_words_of_the_old_profile_in_the_log_file_do_not_reach_the_new_one(
    backup: Path, new: Paths
) -> None:
    """A write-ahead log that a kill left belongs to the database that is put aside."""
    script = (
        "import os, signal, sys; from pathlib import Path; from desktop.paths import Paths;"
        "from desktop.chat.migrations import MIGRATIONS; from desktop.chat.store import ChatStore, Role;"
        "from desktop.database import Database;"
        "s = ChatStore(Database(Paths.under(Path(sys.argv[1])).database, MIGRATIONS));"
        "s.add(s.create('late').id, Role.USER, 'late'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(new.profile)], capture_output=True)
    assert new.database.with_name("steward.sqlite3-wal").exists()
    prepare(backup, new, KNOWN)
    restored = finish(new)
    assert said(new) == ["old words"]
    assert restored is not None
    assert (restored.aside[0] / "steward.sqlite3-wal").exists()


def test_inspecting_says_what_is_inside(backup: Path) -> None:
    """When it was made, by what, and how much it will take."""
    manifest = inspect(backup, KNOWN)
    assert (manifest.program, manifest.format, manifest.version) == ("1.0", "steward-backup", 1)
    assert manifest.total_bytes > 4096
    assert manifest.models == ()


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_backup_goes_where_the_name_is_no_text(old: Paths, tmp_path: Path) -> None:
    """A name of bytes that are no UTF-8, as an older system may have left it."""
    file = tmp_path / "caf\udce9.steward-backup"
    write_backup(old, file, "1.0")
    assert inspect(file, KNOWN).files
    assert not list(old.cache.glob("backup-*"))


def test_a_second_backup_takes_the_place_of_the_first(old: Paths, backup: Path, tmp_path: Path) -> None:
    """The same name holds the newest."""
    say(old, "later words")
    write_backup(old, backup, "1.0")
    fresh = Paths.under(tmp_path / "fresh")
    prepare(backup, fresh, KNOWN)
    finish(fresh)
    assert set(said(fresh)) == {"old words", "later words"}


def test_a_link_beside_the_target_is_not_written_through(old: Paths, tmp_path: Path) -> None:
    """A backup may be put into a folder in which others work, a project's or a shared drive's."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    for name in (".steward.backup.part", "steward.backup"):
        (tmp_path / name).symlink_to(elsewhere)
    write_backup(old, tmp_path / "steward.backup", "1.0")
    assert elsewhere.read_text() == "mine"
    assert not (tmp_path / "steward.backup").is_symlink()
