"""One run of a coding agent with the gate in it, and nothing of it left in the user's own settings.

Two files are written for the run alone: Steward's own, which says what guards it, and a pure one in the
vendor's form, because agents complain of what they do not know. How an agent takes such a file it says itself
(`LaunchableAgent.launch`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.agents.agent import LaunchableAgent, LaunchRequest
from desktop.agents.agent_list import AGENTS
from desktop.agents.hook_entries import Door
from desktop.agents.install import Installer
from desktop.agents.sealed import OWN_FILE, SESSION, Run, Runs, broken
from desktop.agents.tokens import Tokens
from desktop.errors import UserFacing
from desktop.settings import HookSettings, Judge, PermissionSettings

VERSION = 1
HERE = ("127.0.0.1", "localhost", "::1")
# What the judge is asked with: one token, the likeliest.
SAMPLING = {"temperature": 0.1, "max_tokens": 10, "top_k": 40, "top_p": 0.95, "repeat_penalty": 1.1}


@dataclass(frozen=True)
class ModelFacts:
    """The model that judges; all empty where none does."""

    name: str = ""
    path: str = ""
    size_bytes: int = 0
    quantization: str = ""
    loaded: bool = False


@dataclass(frozen=True)
class Prepared:
    """A run that can be started: the command and its environment. `end` of the launcher ends it."""

    run: Run
    command: tuple[str, ...]
    environment: Mapping[str, str]


class Launcher:
    """Prepares runs and cleans up behind them. Any thread; may block."""

    def __init__(
        self,
        runs: Runs,
        tokens: Tokens,
        installer: Installer,
        hooks: HookSettings,
        permissions: PermissionSettings,
    ) -> None:
        self._runs = runs
        self._tokens = tokens
        self._installer = installer
        self._hooks = hooks
        self._permissions = permissions

    def tidy(self) -> None:
        """Remove what runs left whose launcher and agent are gone, and their tokens."""
        for session in self._runs.tidy():
            self._tokens.end(session)

    def prepare(
        self, name: str, arguments: tuple[str, ...], environment: Mapping[str, str], model: ModelFacts
    ) -> Prepared:
        """Write and seal the files of a run of `name` (`claude`, `claude-code` …). Raises UserFacing.

        The port is the one in the settings; whoever starts the daemon makes sure that it answers there.
        """
        agent = launchable(name)
        program = self._installer.program(agent.name)
        try:
            run = self._runs.begin(agent.name)
        except OSError as error:
            raise _no_folder(self._runs.folder, error) from error
        try:
            door = self._door(agent, run)
            given = agent.launch(door, LaunchRequest(run.folder, program, arguments, environment))
            self._write(run, given.files, model)
        except BaseException:
            self.end(run)
            raise
        variables = {**environment, **direct(environment), **given.environment, **self._variables(run)}
        return Prepared(run, (program, *given.arguments), variables)

    def started(self, run: Run, pid: int) -> None:
        """The agent runs, as this process; should the launcher be killed, the run lives as long as it."""
        self._runs.started(run, pid)

    def end(self, run: Run) -> None:
        """Remove the run's files and end its token."""
        self._tokens.end(run.session)
        self._runs.end(run)

    def _door(self, agent: LaunchableAgent, run: Run) -> Door:
        token = self._tokens.lend(agent.name, run.session)
        file = self._runs.write(run, "hook.token", agent.token_file_text(token))
        return self._installer.door(agent.name, file)

    def _write(self, run: Run, files: Mapping[str, str], model: ModelFacts) -> None:
        for name, text in files.items():
            self._runs.write(run, name, text)
        own = self._own(run, tuple(files), model)
        self._runs.write(run, OWN_FILE, json.dumps(own, indent=2) + "\n")
        if why := broken(run):
            raise UserFacing(
                f"The settings of this run are not as they were sealed: {why}.",
                "The agent was not started.",
                "Try again; if it happens again, look which program writes there.",
                code="seal-broken",
            )

    def _own(self, run: Run, files: tuple[str, ...], model: ModelFacts) -> dict[str, Any]:
        url = self._url
        callback = f"{url}/hooks/{run.agent}"
        seals = {"agents": str(run.seal_of(files[0])), "rules": str(run.seal_of(OWN_FILE))}
        return {
            "version": VERSION,
            "orchestration": {"enabled": self._hooks.enabled, "api_url": url, "session": run.session},
            "agents": {
                "name": run.agent,
                "settings": str(run.file(files[0])),
                "sealed_file": seals["agents"],
            },
            "rules": {"sealed_file": seals["rules"]},
            "hooks": {
                "enabled": self._hooks.enabled,
                "sealed_file": seals["rules"],
                **_model(model, self._hooks.judge),
                "inference_timeout_ms": self._hooks.inference_timeout_ms,
                **SAMPLING,
                "active_hooks": ["pre_command", "post_command", "post_execution"],
                "callbacks": dict.fromkeys(("pre_command", "post_command", "post_execution"), callback),
            },
            "permissions": self._permissions.model_dump(),
            "temp_dir": str(run.folder),
            "sealed_files": ["hook.token", *files],
        }

    @property
    def _url(self) -> str:
        return f"http://127.0.0.1:{self._hooks.port}"

    def _variables(self, run: Run) -> dict[str, str]:
        return {
            "ORCHESTRATOR_API_URL": self._url,
            "ORCHESTRATOR_SETTINGS": str(run.file(OWN_FILE)),
            SESSION: run.session,
        }


def launchable(word: str) -> LaunchableAgent:
    """By its name or its program's. Raises UserFacing for an agent that takes no settings for one run."""
    agents = [each for each in AGENTS if isinstance(each, LaunchableAgent)]
    found = next((each for each in agents if word in (each.name, *each.programs)), None)
    if found is None:
        names = ", ".join(each.programs[0] for each in agents)
        raise UserFacing(
            f"{word} cannot be launched with settings for one run.",
            "Nothing was started.",
            f"These can: {names}. For others: steward agents install",
            code="no-agent",
        )
    return found


def direct(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables by which programs of the run reach this computer without a proxy; what they name stays."""
    named = [environment.get(name, "") for name in ("NO_PROXY", "no_proxy")]
    words = [word.strip() for each in named for word in each.split(",")]
    hosts = ",".join(dict.fromkeys(word for word in (*words, *HERE) if word))
    return {"NO_PROXY": hosts, "no_proxy": hosts}


def _model(model: ModelFacts, judge: Judge) -> dict[str, Any]:
    used = model if judge is not Judge.NONE else ModelFacts()
    return {
        "model_type": "embedded" if used.name else "none",
        "model_name": used.name,
        "model_path": used.path,
        "model_size": used.size_bytes,
        "quantization": used.quantization,
        "loaded": used.loaded,
    }


def _no_folder(folder: Path, error: OSError) -> UserFacing:
    return UserFacing(
        f"No folder for this run could be made in {folder} ({error.strerror}).",
        "The agent was not started, and its settings are untouched.",
        "Make room there or check its permissions.",
        code="no-run-folder",
    )
