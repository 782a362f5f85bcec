"""The only way out of this computer."""

from desktop.network.client import JSON_LIMIT_BYTES, LOG_LENGTH, Network, RequestRecord, Response
from desktop.network.failures import NOT_LOST, NetworkFailure
from desktop.network.pages import Limits, Page

__all__ = [
    "JSON_LIMIT_BYTES",
    "LOG_LENGTH",
    "NOT_LOST",
    "Limits",
    "Network",
    "NetworkFailure",
    "Page",
    "RequestRecord",
    "Response",
]
