"""Installing, accepting, changing and removing: files are pinned, and nothing is left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.extensions.registry import ExtensionsChanged, ExtensionStatus, Registry
from desktop.paths import Paths
from tests.extensions.world import World, package, world
from tests.fakes.scripted_model import ScriptedBackend

CODE = "def on_plain_text(text, context):\n    context.state.put('a', 1)\n    return text + '!'\n"
SETTINGS = "".join(
    f'[[settings]]\nname = "{name}"\ndefault = {default}\n'
    for name, default in (("sign", '"~"'), ("often", "1"), ("share", "0.5"), ("on", "true"))
)


@pytest.fixture
def registry(paths: Paths, bus: Bus) -> Registry:
    return Registry(paths.extensions, bus)


@pytest.fixture
def installed(registry: Registry, tmp_path: Path) -> str:
    registry.install(package(tmp_path / "demo", CODE))
    return registry.accept("demo", on=True).id


def test_what_is_installed_waits_to_be_accepted(registry: Registry, tmp_path: Path, bus: Bus) -> None:
    """Nothing runs before; accepting is announced."""
    heard: list[ExtensionsChanged] = []
    bus.subscribe(ExtensionsChanged, heard.append)
    found = registry.install(package(tmp_path / "demo", CODE))
    assert found.status is ExtensionStatus.WAITS
    assert registry.enabled() == ()
    with pytest.raises(UserFacing) as refused:
        registry.set_on("demo", True)
    assert refused.value.code == "extension-waits"
    assert registry.accept("demo", on=True).is_on
    assert [each.id for each in registry.enabled()] == ["demo"]
    assert len(heard) == 2


class Killed(BaseException):
    """What no code catches."""


@pytest.mark.parametrize("error", [Killed(), OSError(28, "No space left on device")])
def test_an_update_that_ends_in_between_leaves_the_old_one(
    registry: Registry,
    installed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bus: Bus,
    error: BaseException,
) -> None:
    """Between the two moves neither lies in its place; the next program puts the old one back, still on."""
    newer, move = package(tmp_path / "newer" / "demo", CODE.replace("!", "?")), Path.rename

    def moved(self: Path, target: Path) -> Path:
        if self.name == "in":
            raise error
        return move(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", moved)
        with pytest.raises((Killed, UserFacing)):
            registry.install(newer)
    again = Registry(registry.file.parent, bus)
    assert [each.id for each in again.enabled()] == [installed]
    assert (again.get(installed).folder / "extension.py").read_text(encoding="utf-8") == CODE
    assert again.install(newer).status is ExtensionStatus.WAITS
    assert [each.name for each in registry.file.parent.iterdir() if each.name[0] == "."] == []


@pytest.mark.parametrize("change", ["edit", "add", "remove", "link"])
def test_a_file_that_is_another_one_switches_it_off(
    registry: Registry, installed: str, change: str, tmp_path: Path
) -> None:
    """Looked at before every use; accepted again it runs."""
    folder = registry.get(installed).folder
    if change == "edit":
        (folder / "extension.py").write_text(CODE.replace("!", "?"), encoding="utf-8")
    elif change == "add":
        (folder / "json.py").write_text("ESCAPED = True\n", encoding="utf-8")
    elif change == "link":
        (folder / "extension.py").rename(tmp_path / "elsewhere.py")
        (folder / "extension.py").symlink_to(tmp_path / "elsewhere.py")
    else:
        (folder / "extension.py").unlink()
    assert registry.enabled() == ()
    found = registry.get(installed)
    assert found.status is ExtensionStatus.WAITS
    assert "has changed since you agreed" in str(found.why_off)
    with pytest.raises(UserFacing):
        registry.set_on(installed, True)
    if change == "edit":
        assert registry.accept(installed, on=True).is_on


def test_an_update_is_off_until_what_is_new_was_seen(
    registry: Registry, installed: str, tmp_path: Path
) -> None:
    """The difference names only what it could not do before; the accepted manifest counts until then."""
    hooks = ("on_plain_text", "on_input_messages")
    update = package(
        tmp_path / "update" / "demo", CODE, hooks, version="2.0", permissions='hosts = ["a.example.org"]'
    )
    found = registry.install(update)
    assert (found.status, found.manifest.version) == (ExtensionStatus.WAITS, "1.0")
    assert registry.enabled() == ()
    assert found.offered is not None
    assert found.offered.version == "2.0"
    told = " ".join(map(str, found.more))
    assert "a.example.org" in told
    assert "Reads what you ask" in told
    assert "Reads answers" not in told
    assert registry.accept(installed, on=True).manifest.version == "2.0"


def test_the_same_again_changes_nothing(registry: Registry, installed: str, tmp_path: Path) -> None:
    """Installed once more from the same files it stays on."""
    assert registry.install(tmp_path / "demo").is_on


def test_another_process_is_seen(registry: Registry, installed: str, paths: Paths) -> None:
    """The command line switches one off while the app runs."""
    assert registry.enabled()
    Registry(paths.extensions, Bus()).set_on(installed, False)
    assert registry.enabled() == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sign", 1),
        ("sign", "\x1b[2J"),
        ("sign", "a" * 10_001),
        ("often", True),
        ("often", 1.0),
        ("often", 10**10),
        ("share", float("nan")),
        ("share", float("inf")),
        ("on", 1),
        ("other", "x"),
    ],
)
def test_a_setting_takes_its_own_kind_and_nothing_else(
    registry: Registry, tmp_path: Path, name: str, value: object
) -> None:
    """What is refused changes nothing."""
    registry.install(package(tmp_path / "demo", CODE, more=SETTINGS))
    with pytest.raises(UserFacing, match="no setting"):
        registry.set_setting("demo", name, value)
    assert registry.get("demo").settings == {"sign": "~", "often": 1, "share": 0.5, "on": True}


def test_a_setting_that_is_another_kind_after_an_update_has_its_new_default(
    registry: Registry, tmp_path: Path
) -> None:
    """The value is there again with the older version, and a reset lets it go."""
    old = package(tmp_path / "old" / "demo", CODE, more=SETTINGS)
    registry.install(old)
    registry.accept("demo", on=True)
    registry.set_setting("demo", "sign", "*")
    new = package(tmp_path / "new" / "demo", CODE, more=SETTINGS.replace('"~"', "5"))
    registry.install(new)
    assert registry.accept("demo", on=True).settings["sign"] == 5
    registry.install(old)
    assert registry.accept("demo", on=True).settings["sign"] == "*"
    registry.reset_setting("demo", "sign")
    assert registry.get("demo").settings["sign"] == "~"


def test_order_and_settings_are_kept(
    registry: Registry, installed: str, tmp_path: Path, paths: Paths
) -> None:
    """Those named first, the others below; a setting of another kind is refused."""
    more = '[[settings]]\nname = "sign"\ndefault = "~"\n'
    registry.install(package(tmp_path / "other", CODE, more=more))
    registry.accept("other", on=False)
    registry.set_order(["other"])
    registry.set_setting("other", "sign", "*")
    with pytest.raises(UserFacing):
        registry.set_setting("other", "sign", 3)
    again = Registry(paths.extensions, Bus()).installed()
    assert [each.id for each in again] == ["other", "demo"]
    assert again[0].settings == {"sign": "*"}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"extensions": []}',
        '{"extensions": {"a": {"x": 1}}}',
        '{"extensions": {"a": {"accepted": "x"}}}',
    ],
)
def test_a_damaged_list_is_put_aside(registry: Registry, content: str) -> None:
    """Nothing is on then, and nothing breaks."""
    registry.file.parent.mkdir(parents=True)
    registry.file.write_text(content, encoding="utf-8")
    assert registry.enabled() == ()
    assert registry.installed() == ()


def test_names_that_nobody_has_are_told(registry: Registry) -> None:
    """With the verb that lists what there is."""
    with pytest.raises(UserFacing) as refused:
        registry.get("nobody")
    assert refused.value.code == "extension-unknown"


@pytest.fixture
def made(paths: Paths, tmp_path: Path) -> Iterator[World]:
    with world(paths, tmp_path, ScriptedBackend("One.")) as made:
        yield made


def test_removing_leaves_nothing(made: World, paths: Paths) -> None:
    """No file, no row, no process, and messages that read as before."""
    made.add("gone-soon", CODE, "on_plain_text")
    made.add("stays", CODE, "on_plain_text")
    answer = made.ask("Say one thing, please.")
    assert answer.shown == "One.!!"
    process = made.services.extensions._processes["gone-soon"][1]
    assert process.pid is not None
    made.services.remove_extension("gone-soon")
    assert process.pid is None
    assert made.services.store.message(answer.id).shown == "One."
    assert made.services.extensions.store.kept("gone-soon").entries == 0
    assert made.services.extensions.store.log("gone-soon") == ()
    assert not (paths.extensions / "gone-soon").exists()
    assert list(json.loads(paths.extension_list.read_text("utf-8"))["extensions"]) == ["stays"]
    left = [file for file in paths.data.rglob("*") if file.is_file() and b"gone-soon" in file.read_bytes()]
    assert left == []


@pytest.mark.slow
def test_a_backup_has_them_with_what_they_keep(paths: Paths, tmp_path: Path) -> None:
    """Restored elsewhere they are on and fit their hashes; one that was tampered with in between is off."""
    from desktop.app import build_core
    from desktop.backup.restore import finish, prepare
    from desktop.backup.write import write_backup

    core = build_core(paths)
    core.extensions.registry.install(package(tmp_path / "demo", CODE))
    core.extensions.registry.accept("demo", on=True)
    core.extensions.store.put("demo", "a", '"kept"')
    core.close()
    write_backup(paths, tmp_path / "backup.zip", "1.0")
    new = Paths.under(tmp_path / "new")
    other = build_core(new)
    prepare(tmp_path / "backup.zip", new, other.known)
    other.close()
    assert finish(new) is not None
    restored = build_core(new)
    assert [each.id for each in restored.extensions.registry.enabled()] == ["demo"]
    assert restored.extensions.store.get("demo", "a") == '"kept"'
    (new.extensions / "demo" / "extension.py").write_text("other = 1\n", encoding="utf-8")
    assert restored.extensions_on() is None
    restored.close()


def test_a_yes_to_one_that_is_held_is_none_to_one_that_is_not(paths: Paths, bus: Bus, tmp_path: Path) -> None:
    """On another kernel it is off, and says why; switched on there by somebody who was told, it runs."""
    holds = [True]
    registry = Registry(paths.extensions, bus, confines=lambda: holds[0])
    registry.install(package(tmp_path / "demo", CODE))
    registry.accept("demo", on=True)
    assert registry.enabled()
    holds[0] = False
    assert registry.enabled() == ()
    assert "it can do what you can do" in str(registry.get("demo").why_off)
    registry.set_on("demo", True)
    assert registry.enabled()
    assert Registry(paths.extensions, bus, confines=lambda: False).enabled()
