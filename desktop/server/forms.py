"""The wire forms of the server; the OpenAPI description is made from them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from desktop.gate.verdict import Effect, Flag, Gate

LONGEST_TIMEOUT_MS = 2000
MOST_COMMANDS = 1000

Shell = Literal["bash", "powershell", "cmd"]
Classification = Literal["READ", "CREATE", "UPDATE", "DELETE"]
ClassName = Literal["READ", "CREATE", "UPDATE", "UNKNOWN", "DELETE"]

JudgeTimeout = Annotated[
    int | None,
    Field(
        default=None,
        ge=1,
        description="Milliseconds for the model's opinion on a program that no table knows. The setting "
        f"where left out; more than {LONGEST_TIMEOUT_MS} is not waited for.",
    ),
]


class Form(BaseModel):
    """What is sent may hold further fields; newer clients talk to older servers."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Answered(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CommandLine(Form):
    """One command line, as it would be run."""

    command: str
    cwd: str | None = Field(default=None, description="The folder it would run in.")
    shell: Shell | None = Field(default=None, description="Read off the text where left out.")


class ClassifyOne(CommandLine):
    """A single command line."""

    inference_timeout_ms: JudgeTimeout


class ClassifyMany(Form):
    """Several command lines; the answers come in the same order."""

    commands: list[CommandLine | str] = Field(min_length=1, max_length=MOST_COMMANDS)
    inference_timeout_ms: JudgeTimeout


class JudgeOpinion(Answered):
    """What the model thinks of an unknown program; it never makes a verdict milder by itself."""

    class_name: ClassName = Field(serialization_alias="class")
    probability: float = Field(ge=0, le=1)
    model: str
    ms: float = Field(ge=0)


class Classified(Answered):
    """The verdict on one command line."""

    command: str
    classification: Classification = Field(
        description="The class in four words; what the text does not show is CREATE and never allowed."
    )
    class_name: ClassName = Field(serialization_alias="class")
    flags: list[Flag]
    gate: Gate
    reason: str
    span: tuple[int, int] = Field(
        description="The part of the command that decided, in characters, end exclusive."
    )
    tier: int = Field(ge=0, le=4)
    ms: float = Field(ge=0)
    judge: JudgeOpinion | None = None


class ClassifiedMany(Answered):
    """The verdicts of a batch."""

    results: list[Classified]
    ms: float = Field(ge=0)


class Health(Answered):
    """Who answers here."""

    program: Literal["steward"] = "steward"
    version: str
    pid: int


class Problem(Answered):
    """Every error: what is wrong, and what to do about it."""

    error: str
    action: str


CLASS_NAMES: dict[Effect, ClassName] = {
    Effect.READ: "READ",
    Effect.CREATE: "CREATE",
    Effect.UPDATE: "UPDATE",
    Effect.UNKNOWN: "UNKNOWN",
    Effect.DELETE: "DELETE",
}

# UNKNOWN is given as CREATE: something new that nobody has seen yet.
FOUR_WORDS: dict[Effect, Classification] = {
    Effect.READ: "READ",
    Effect.CREATE: "CREATE",
    Effect.UPDATE: "UPDATE",
    Effect.UNKNOWN: "CREATE",
    Effect.DELETE: "DELETE",
}
