"""Settings: each declared once, typed, with the title and help that the dialog and the manual show.

Kept as TOML that people can edit; comments and order survive a change made in the program. An environment
variable `STEWARD_<SECTION>__<NAME>` wins over the file for one run.
"""

from desktop.settings.declared import (
    Announcements,
    ApiSettings,
    Capture,
    ChatSettings,
    EnginesSettings,
    GateRule,
    GateSettings,
    HookSettings,
    Judge,
    Language,
    McpServer,
    McpSettings,
    MemorySettings,
    ModelServer,
    ModelSettings,
    NetworkSettings,
    Notifications,
    PermissionSettings,
    RuleEffect,
    Settings,
    Snapshots,
    Theme,
    WindowSettings,
)
from desktop.settings.file import SettingsChanged, SettingsFile, parse, refusal, variable_of
from desktop.settings.schema import Display, Editor, Section, Worded, display_of

__all__ = [
    "Announcements",
    "ApiSettings",
    "Capture",
    "ChatSettings",
    "Display",
    "Editor",
    "EnginesSettings",
    "GateRule",
    "GateSettings",
    "HookSettings",
    "Judge",
    "Language",
    "McpServer",
    "McpSettings",
    "MemorySettings",
    "ModelServer",
    "ModelSettings",
    "NetworkSettings",
    "Notifications",
    "PermissionSettings",
    "RuleEffect",
    "Section",
    "Settings",
    "SettingsChanged",
    "SettingsFile",
    "Snapshots",
    "Theme",
    "WindowSettings",
    "Worded",
    "display_of",
    "parse",
    "refusal",
    "variable_of",
]
