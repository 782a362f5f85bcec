"""The OpenAPI 3.1 description, made from the wire forms and from what the routes say about themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from desktop import __version__
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
    # What we send is as it is described: a field that is not in the document is a mistake of ours.
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

REF = "#/components/schemas/{model}"

Model = type[BaseModel]


@dataclass(frozen=True)
class Described:
    """One route for people who write clients."""

    method: str
    path: str
    name: str
    summary: str
    takes: tuple[Model, ...] = ()
    gives: tuple[Model, ...] = ()
    other: str = ""  # the media type where the answer is not one of our forms
    token: bool = True
    errors: tuple[int, ...] = ()
    parameters: tuple[str, ...] = ()


ROUTES = (
    Described(
        "post",
        "/api/classify",
        "classify",
        "What a command line, or several, would do. Nothing is run and nothing is allowed by it.",
        takes=(ClassifyOne, ClassifyMany),
        gives=(Classified, ClassifiedMany),
        errors=(400, 401, 403, 408, 413, 415, 500, 503),
    ),
    Described(
        "post",
        "/hooks/{agent}",
        "hook",
        "The hook of a coding agent, in and out in the agent's own form. Held while the user is asked. An "
        "empty answer and every error status are no opinion.",
        other="application/json",
        errors=(400, 401, 403, 404, 408, 413, 415, 500, 503),
        parameters=("agent",),
    ),
    Described("get", "/health", "health", "Who answers here.", gives=(Health,), token=False, errors=(403,)),
    Described("get", "/metrics", "metrics", "Figures for Prometheus.", other="text/plain", errors=(401, 403)),
    Described(
        "get",
        "/openapi.json",
        "description",
        "This description.",
        other="application/json",
        token=False,
        errors=(403,),
    ),
)

MEANINGS = {
    200: "The answer.",
    400: "The request cannot be read.",
    401: "The token is missing or not valid.",
    403: "The token is for something else, or a web page is asking.",
    404: "No agent of this name is known.",
    408: "The request did not arrive in time.",
    413: "The request is larger than 1 MB.",
    415: "The request is compressed.",
    500: "A mistake of Steward's own.",
    503: "Too much is being asked at once, or Steward is ending.",
}


def description(url: str) -> dict[str, Any]:
    """The whole document. `url` is where this server answers."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method] = _operation(route)
    bearer = {"type": "http", "scheme": "bearer", "description": "The general token, or that of the agent."}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Steward",
            "version": __version__,
            "summary": "Says what shell commands would do, and answers the hooks of coding agents.",
        },
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"schemas": _schemas(ROUTES), "securitySchemes": {"token": bearer}},
    }


def _schemas(routes: Sequence[Described]) -> dict[str, Any]:
    modes: list[tuple[Model, JsonSchemaMode]] = [(Problem, "serialization")]
    for route in routes:
        modes += [(form, "validation") for form in route.takes]
        modes += [(form, "serialization") for form in route.gives]
    _, found = models_json_schema(modes, ref_template=REF)
    return dict(found["$defs"])


def _operation(route: Described) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "security": [{"token": []}] if route.token else [],
        "responses": {"200": {"description": MEANINGS[200], "content": _given(route)}},
    }
    for status in route.errors:
        operation["responses"][str(status)] = {
            "description": MEANINGS[status],
            "content": {"application/json": {"schema": _any_of((Problem,))}},
        }
    if route.method == "post":
        schema = _any_of(route.takes) if route.takes else {"type": "object"}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if route.parameters:
        operation["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in route.parameters
        ]
    return operation


def _given(route: Described) -> dict[str, Any]:
    if route.gives:
        return {"application/json": {"schema": _any_of(route.gives)}}
    kind = "object" if route.other == "application/json" else "string"
    return {route.other: {"schema": {"type": kind}}}


def _any_of(forms: Sequence[Model]) -> dict[str, Any]:
    refs = [{"$ref": REF.format(model=form.__name__)} for form in forms]
    return refs[0] if len(refs) == 1 else {"anyOf": refs}
