"""The only way out of this computer."""

from desktop.network.client import JSON_LIMIT_BYTES, Network, Response
from desktop.network.failures import NOT_LOST, NetworkFailure
from desktop.network.log import LOG_LENGTH, RequestRecord, Traffic, TrafficChanged, because
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
    "Traffic",
    "TrafficChanged",
    "because",
]
