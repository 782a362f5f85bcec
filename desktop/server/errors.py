"""Errors on the wire: always JSON, always what is wrong and what to do."""

from __future__ import annotations

from aiohttp import web

from desktop.errors import UserFacing
from desktop.server.doors import Refusal
from desktop.server.forms import Problem

TOO_LARGE = Refusal(413, "The request is larger than 1 MB.", "Send less at once.")
TOO_SLOW = Refusal(408, "The request did not arrive in time.", "Send it in one go.")
PACKED = Refusal(415, "Compressed requests are not read.", "Send plain JSON.")
NOT_HTTP = Refusal(400, "This is not a request that can be read.", "Send HTTP/1.1.")
NO_ROUTE = Refusal(404, "There is nothing at this address.", "See /openapi.json for what there is.")
NO_METHOD = Refusal(405, "This address does not take that method.", "See /openapi.json for what there is.")
NO_AGENT = Refusal(404, "No agent of this name is known.", "`steward agents list` shows those that are.")
BUSY = Refusal(503, "Too much is being asked at once.", "Try again in a moment.")
CLOSING = Refusal(503, "Steward is ending.", "Start it again.")
BUG = Refusal(500, "Steward could not answer because of a mistake of its own.", "See its log file.")


class Refused(Exception):
    """Ends the answering of a request with a refusal."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.error)
        self.refusal = refusal


def problem(refusal: Refusal) -> web.Response:
    """The answer for a refusal."""
    body = Problem(error=refusal.error, action=refusal.action).model_dump_json().encode()
    answer = web.Response(status=refusal.status, body=body, content_type="application/json")
    if refusal.status == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def unreadable(error: UserFacing) -> web.Response:
    """For what was sent and cannot be read."""
    return problem(Refusal(400, error.cause, error.action))


def of_library(error: web.HTTPException) -> web.Response:
    """The server library's own refusals, in our form."""
    known = {404: NO_ROUTE, 405: NO_METHOD, 413: TOO_LARGE}
    answer = problem(known.get(error.status, Refusal(error.status, error.reason, NO_ROUTE.action)))
    if "Allow" in error.headers:
        answer.headers["Allow"] = error.headers["Allow"]
    return answer
