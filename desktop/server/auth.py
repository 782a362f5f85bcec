"""Who may come in: programs of this user, on this computer, and no web page.

A page in a browser can send requests to 127.0.0.1, also under a name of its own that it lets point here (DNS
rebinding). Three things give it away: the name in Host, Origin, and the browser's fetch metadata.
"""

from __future__ import annotations

import hmac
import socket
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from aiohttp import web

from desktop.errors import UserFacing
from desktop.server.openapi import Problem

if TYPE_CHECKING:
    from multidict import CIMultiDictProxy

    from desktop.agents.tokens import Tokens

LOCAL_NAMES = frozenset({"127.0.0.1", "[::1]", "localhost"})


# Node's own fetch sends Sec-Fetch-Mode and none of these; browsers send all (Fetch metadata, W3C).
OF_BROWSERS = ("Sec-Fetch-Site", "Sec-Fetch-Dest", "Sec-Fetch-User")
BEARER = "Bearer "


@dataclass(frozen=True)
class Refusal:
    """Why not, and what to do; the wire form of every error."""

    status: int
    error: str
    action: str


WRONG_HOST = Refusal(403, "This address is not one of this computer.", "Use 127.0.0.1 and the port.")
BROWSER = Refusal(403, "Web pages are not answered.", "Call from a program on this computer.")

NO_TOKEN = Refusal(
    401, "The token is missing or not valid.", "Send Authorization: Bearer with a token of this profile."
)

OTHER_TOKEN = Refusal(
    403, "This token is for something else.", "Install the hook of this agent again to get its own token."
)


def refused_origin(headers: CIMultiDictProxy[str], port: int) -> Refusal | None:
    """Why a request with these headers is refused, whatever it wants; None when it may go on."""
    hosts = headers.getall("Host", ())
    # Two Host lines are read differently by different programs; neither is believed.
    if len(hosts) != 1 or not is_here(hosts[0], port):
        return WRONG_HOST
    if "Origin" in headers or any(name in headers for name in OF_BROWSERS):
        return BROWSER
    return None


def is_here(host: str, port: int) -> bool:
    """Whether Host names this server. A browser always adds the port; small clients may leave it out."""
    name, colon, given = host.lower().rpartition(":")
    if not colon or given.endswith("]"):
        name, given = host.lower(), str(port)
    return name in LOCAL_NAMES and given == str(port)


class Speaker(Enum):
    """Whom a token speaks for, beside the agents."""

    USER = "user"  # of this computer, who can read the runtime folder


class Authenticator:
    """Tells tokens apart. Any thread."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def for_user(self, headers: Mapping[str, str]) -> Refusal | None:
        """The general token and no other."""
        speaker = self.speaker(headers)
        if speaker is Speaker.USER:
            return None
        return NO_TOKEN if speaker is None else OTHER_TOKEN

    def speaker(self, headers: Mapping[str, str]) -> Speaker | str | None:
        """Whom the bearer token speaks for: the user, an agent by name, or nobody."""
        text = headers.get("Authorization", "")
        if text[: len(BEARER)].lower() != BEARER.lower():
            return None
        token = text[len(BEARER) :].strip()
        general = self._tokens.general().encode()
        # In constant time; `surrogateescape` because a header may hold any byte.
        if hmac.compare_digest(token.encode("utf-8", "surrogateescape"), general):
            return Speaker.USER
        return self._tokens.agent_of(token)


def peer_uid(connection: socket.socket) -> int | None:
    """The user at the other end of a Unix socket; None where the system does not tell it this way."""
    if sys.platform != "linux":
        return None
    size = struct.calcsize("3i")
    # The kernel's word, taken when the connection was made: nothing that a program could send.
    _pid, uid, _gid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return int(uid)


TOO_LARGE = Refusal(413, "The request is larger than 1 MB.", "Send less at once.")
TOO_SLOW = Refusal(408, "The request did not arrive in time.", "Send it in one go.")
PACKED = Refusal(415, "Compressed requests are not read.", "Send plain JSON.")
NOT_HTTP = Refusal(400, "This is not a request that can be read.", "Send HTTP/1.1.")

HEAD_TOO_LONG = Refusal(
    400,
    "A line of this request's head is too long.",
    "The address may have 4,096 bytes, each header 8,190; what is longer belongs into the body.",
)

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
    """The refusal of what was sent and cannot be read."""
    return problem(Refusal(400, error.cause, error.action))


def of_library(error: web.HTTPException) -> web.Response:
    """The server library's own refusals, in our form."""
    known = {404: NO_ROUTE, 405: NO_METHOD, 413: TOO_LARGE}
    answer = problem(known.get(error.status, Refusal(error.status, error.reason, NO_ROUTE.action)))
    if "Allow" in error.headers:
        answer.headers["Allow"] = error.headers["Allow"]
    return answer
