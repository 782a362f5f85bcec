"""OpenAI's error object: what every refusal of the API looks like, and the sentences that several share.

Clients show `message` to people and branch on `type`, `param` and `code`, so the last three are the words of
the real service wherever it has one for the case.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from desktop.engine.requests import ContextOverflow
from desktop.errors import UserFacing
from desktop.server.auth import Refusal

INVALID, DENIED, BUSY, FAILED = (
    "invalid_request_error",
    "permission_error",
    "rate_limit_error",
    "server_error",
)


@dataclass(eq=False)
class ApiError(Exception):
    """Ends a request with this status and error object. `param` names the field at fault, as a path."""

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    type: str = INVALID
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message

    def body(self) -> dict[str, Any]:
        """The object that is sent."""
        error = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        return {"error": error}


def wrong_token() -> ApiError:
    return ApiError(
        "The API key is missing or is not one of Steward's tokens for programs. Make one with "
        "`steward api token NAME` and send it as Authorization: Bearer. Tokens of agents do not count.",
        code="invalid_api_key",
        status=401,
        headers={"WWW-Authenticate": "Bearer"},
    )


def switched_off() -> ApiError:
    return ApiError(
        "Steward's API for programs is switched off. On the Programs page, switch it on.",
        code="api_off",
        status=403,
        type=DENIED,
    )


# Tokens: what an answer mostly takes, and the steps in which a context is told.
ANSWER_ROOM, CONTEXT_STEP = 1024, 4096
TOO_LONG = "context_length_exceeded"


def foreign_page() -> ApiError:
    return ApiError(
        "Web pages are not answered, except those whose exact origin stands in api.origins.",
        code="origin_not_allowed",
        status=403,
        type=DENIED,
    )


def queue_full(waiting: int, retry_after_s: int) -> ApiError:
    return _too_many(f"{waiting} requests wait already and Steward answers one at a time.", retry_after_s)


def share_full(waiting: int, retry_after_s: int) -> ApiError:
    """One program has as many waiting as it may; others still find a place."""
    return _too_many(
        f"{waiting} requests with this API key wait already, and no more may: Steward answers one at a time, "
        "and other programs wait too.",
        retry_after_s,
    )


def _too_many(says: str, retry_after_s: int) -> ApiError:
    return ApiError(
        f"{says} Try again in {retry_after_s} s.",
        code="rate_limit_exceeded",
        status=429,
        type=BUSY,
        headers={"Retry-After": str(retry_after_s)},
    )


def too_long(overflow: ContextOverflow, param: str, trained_tokens: int = 0) -> ApiError:
    """Names both numbers, and the one thing to do: a context in which this request and an answer fit, or,
    where the model was trained for less (`trained_tokens`; 0: not known), another model.

    It begins as the real service's does: many clients know by these words, and not by the code, that they
    have to leave something out.
    """
    wanted = -(-(overflow.prompt_tokens + ANSWER_ROOM) // CONTEXT_STEP) * CONTEXT_STEP
    if trained_tokens and wanted > trained_tokens:
        action = (
            f"It reads {trained_tokens} at most: choose a model with a longer context in Steward's window."
        )
    else:
        action = f"Set model.context_tokens to {wanted} in Steward's settings."
    return ApiError(
        f"This model's maximum context length is {overflow.context_tokens} tokens. The request has "
        f"{overflow.prompt_tokens}, and room for an answer is needed besides. {action}",
        param,
        TOO_LONG,
    )


def of_engine(error: UserFacing) -> ApiError:
    """The model cannot answer: none is installed, or it could not be loaded."""
    return ApiError(str(error), code=error.code.replace("-", "_"), status=503, type=FAILED)


def in_words(refusal: Refusal) -> ApiError:
    """One of the server's own refusals, in this form."""
    return ApiError(
        f"{refusal.error} {refusal.action}",
        status=refusal.status,
        type=FAILED if refusal.status == 500 else INVALID,
    )


def problem_of(error: ApiError) -> web.Response:
    # An address may hold any bytes, and the error repeats it.
    body = json.dumps(error.body(), ensure_ascii=False).encode("utf-8", "replace")
    answer = web.Response(status=error.status, body=body, content_type="application/json")
    answer.headers.update(error.headers)
    return answer


def refused_unread(refusal: Refusal) -> web.Response:
    """The refusal of what the parser could not read, before anybody knew what it was."""
    return problem_of(in_words(refusal))


def own_mistake() -> ApiError:
    return ApiError(
        "Steward could not answer because of a mistake of its own. See its log file.",
        code="internal_error",
        status=500,
        type=FAILED,
    )


def stopped() -> ApiError:
    """The answer was ended from this side: the program closes, or another model was chosen."""
    return ApiError(
        "The answer was stopped in Steward before it was done.", code="stopped", status=503, type=FAILED
    )
