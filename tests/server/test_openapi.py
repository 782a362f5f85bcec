"""The OpenAPI description is one, and says what the server does."""

from __future__ import annotations

from typing import Any, Literal

import httpx
import pytest
from pydantic import BaseModel, ConfigDict, Field

from desktop.server.openapi import description
from tests.server.conftest import Running

Status = Literal["200", "400", "401", "403", "404", "408", "413", "415", "500", "503"]


class Strict(BaseModel):
    """Of OpenAPI 3.1.0 the objects that are used here, with every field that the standard demands."""

    model_config = ConfigDict(extra="forbid")


class Info(Strict):
    title: str
    version: str
    summary: str


class Media(Strict):
    schema_: dict[str, Any] = Field(alias="schema")


class RequestBody(Strict):
    required: bool
    content: dict[str, Media] = Field(min_length=1)


class Response(Strict):
    description: str
    content: dict[str, Media]


class Parameter(Strict):
    name: str
    place: Literal["path"] = Field(alias="in")
    required: Literal[True]
    schema_: dict[str, Any] = Field(alias="schema")


class Operation(Strict):
    operation_id: str = Field(alias="operationId")
    summary: str
    security: list[dict[str, list[str]]]
    responses: dict[Status, Response] = Field(min_length=1)
    request_body: RequestBody | None = Field(None, alias="requestBody")
    parameters: list[Parameter] = []


class Scheme(Strict):
    type: Literal["http"]
    scheme: Literal["bearer"]
    description: str


class Components(Strict):
    schemas: dict[str, dict[str, Any]]
    security_schemes: dict[str, Scheme] = Field(alias="securitySchemes")


class Document(Strict):
    openapi: Literal["3.1.0"]
    info: Info
    servers: list[dict[Literal["url"], str]]
    paths: dict[str, dict[Literal["get", "post"], Operation]]
    components: Components


def document() -> Document:
    return Document.model_validate(description("http://127.0.0.1:47615"))


def test_the_description_is_openapi() -> None:
    """Every object has what the standard demands and nothing that it does not know."""
    found = document()
    operations = [operation for path in found.paths.values() for operation in path.values()]
    assert len({operation.operation_id for operation in operations}) == len(operations)
    for path, methods in found.paths.items():
        for operation in methods.values():
            named = {each.name for each in operation.parameters}
            assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}
            assert all(set(each) <= set(found.components.security_schemes) for each in operation.security)


def test_every_reference_leads_somewhere() -> None:
    """No schema names another that is not there."""
    found = description("http://127.0.0.1:47615")
    schemas = found["components"]["schemas"]
    references = list(refs(found))
    assert references
    for reference in references:
        assert reference.removeprefix("#/components/schemas/") in schemas


def test_the_wire_names_are_described() -> None:
    """`class` is what clients read, in the description too; and the four words are all there are."""
    schemas = document().components.schemas
    assert "class" in schemas["Classified"]["properties"]
    assert schemas["Classified"]["properties"]["classification"]["enum"] == [
        "READ",
        "CREATE",
        "UPDATE",
        "DELETE",
    ]
    assert schemas["Problem"]["required"] == ["error", "action"]


@pytest.mark.parametrize("path", ["/health", "/openapi.json"])
def test_health_and_description_need_no_token(running: Running, client: httpx.Client, path: str) -> None:
    """A client finds out who answers before it has anything to say."""
    answer = client.get(path)
    assert answer.status_code == 200
    if path == "/health":
        assert answer.json()["program"] == "steward"


def test_real_answers_are_as_described(running: Running, client: httpx.Client) -> None:
    """Statuses and fields of real answers stand in the served description."""
    found = Document.model_validate(client.get("/openapi.json").json())
    operation = found.paths["/api/classify"]["post"]
    good = client.post("/api/classify", json={"command": "ls"}, headers=running.general)
    bad = client.post("/api/classify", json={}, headers=running.general)
    schemas = found.components.schemas
    assert set(good.json()) <= set(schemas["Classified"]["properties"])
    assert set(good.json()) >= set(schemas["Classified"]["required"])
    assert set(bad.json()) == set(schemas["Problem"]["properties"])
    assert str(bad.status_code) in operation.responses
    assert found.servers == [{"url": f"http://127.0.0.1:{running.port}"}]


def refs(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [each for inner in value.values() for each in refs(inner)]
    if isinstance(value, list):
        return [each for inner in value for each in refs(inner)]
    return []
