"""The OpenAPI 3.1 description, made from the wire forms and from what the routes say about themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from desktop import __version__
from desktop.server.forms import Classified, ClassifiedMany, ClassifyMany, ClassifyOne, Health, Problem

REF = "#/components/schemas/{model}"

Form = type[BaseModel]


@dataclass(frozen=True)
class Described:
    """One route for people who write clients."""

    method: str
    path: str
    name: str
    summary: str
    takes: tuple[Form, ...] = ()
    gives: tuple[Form, ...] = ()
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
    Described(
        "get",
        "/metrics",
        "metrics",
        "Figures for Prometheus.",
        other="text/plain",
        errors=(401, 403),
    ),
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
    modes: list[tuple[Form, JsonSchemaMode]] = [(Problem, "serialization")]
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


def _any_of(forms: Sequence[Form]) -> dict[str, Any]:
    refs = [{"$ref": REF.format(model=form.__name__)} for form in forms]
    return refs[0] if len(refs) == 1 else {"anyOf": refs}
