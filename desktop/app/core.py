"""Everything below Qt. Nothing but this room constructs another.

`Core` builds each room once, when it is first needed, and hands it what it works with; `close` ends them in
the opposite order. It is built up in steps, each knowing those below: `Ground`, `Guard`, `Memories`, `Hooks`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from desktop.app.hooks import Hooks
from desktop.paths import resources

if TYPE_CHECKING:
    from desktop.chat.acting import Acting
    from desktop.chat.proposing import Proposing
    from desktop.chat.store import ChatStore
    from desktop.chat.turn import Turns
    from desktop.tools.reminders import Reminders
    from desktop.tools.tool import Toolbox


class Core(Hooks):
    """Everything below Qt, for one profile."""

    @cached_property
    def reminders(self) -> Reminders:
        from desktop.tools.reminders import Reminders

        return Reminders(self.database, self.bus, marker=self.paths.reminders_marker)

    @cached_property
    def toolbox(self) -> Toolbox:
        from desktop.app.toolbox import toolbox

        return toolbox(self)

    @cached_property
    def acting(self) -> Acting:
        from desktop.chat.acting import Acting
        from desktop.tools.executor import Executor

        executor = Executor(
            self.bus,
            self.asker,
            self.gatekeeper,
            self.workspace.root,
            self.audit,
            lambda: float(self.settings.current.chat.tool_timeout_s),
        )
        return Acting(self.toolbox, executor, self.cancel_questions, native_only=True, lessons=self.lessons)

    @cached_property
    def proposing(self) -> Proposing:
        """Proposes notes while nobody does anything; where somebody is there to say yes."""
        from desktop.chat.proposing import Proposing
        from desktop.engine.events import EngineState
        from desktop.engine.host import on_battery

        prompt = (resources() / "memory" / "propose.txt").read_text(encoding="utf-8")
        return Proposing(
            self.engine,
            self.memory.store,
            prompt,
            self.bus,
            lambda: self.settings.current.memory,
            lambda: self.engine.status.state is EngineState.READY and not on_battery(),
        )

    def turns_for(self, store: ChatStore, remembers: bool = True) -> Turns:
        """Turns in `store`, which may be another than the user's history; `remembers`: memory is used."""
        from desktop.chat.capabilities import Capabilities
        from desktop.chat.rules import Rules
        from desktop.chat.turn import Turns
        from desktop.tools.calculator import Calculator
        from desktop.tools.units import read_units

        rules = Rules(Calculator(read_units(resources() / "units.toml")))
        uses_tools = self.settings.current.chat.tools
        own = store.database is self.database
        memory = self.remembering if own else self.remembering_for(store)
        return Turns(
            store,
            self.engine,
            self.bus,
            lambda: self.settings.current,
            self.acting if uses_tools else None,
            rules.ruled,
            Capabilities(self.paths.capabilities, self.toolbox) if uses_tools else None,
            memory if remembers else None,
        )

    @cached_property
    def turns(self) -> Turns:
        return self.turns_for(self.store)

    def stop(self) -> None:
        """Before the program ends: stop the answers under way; what was said is kept. Whatever still asks the
        model is told that it was cancelled: nothing on the pool waits for an answer that nobody will read."""
        if "turns" in self.__dict__:
            self.turns.stop_all()
        if "engine" in self.__dict__:
            self.engine.close()
        if "speed_test" in self.__dict__:
            self.speed_test.cancel()

    def close(self) -> None:
        """End what was started. The engine's thread is ended by whoever started it."""
        self._end("server", "handler", "recorder", "index_proxy")
        if "audit" in self.__dict__:
            self.audit.seal()
        self._end(
            "proposing", "engine", "workspace", "vector_writer", "team", "memory", "projects", "database"
        )

    def _end(self, *names: str) -> None:
        for name in names:
            if name in self.__dict__:
                getattr(self, name).close()
