"""The only way out of this computer."""

from desktop.network.client import JSON_LIMIT_BYTES, Network, Response
from desktop.network.failures import KEPT, NetworkFailure
from desktop.network.line import Line
from desktop.network.log import LOG_LENGTH, RequestRecord, Traffic, TrafficChanged, because
from desktop.network.pages import Page, PageLimits
from desktop.network.reasons import NetworkReason

__all__ = [
    "JSON_LIMIT_BYTES",
    "KEPT",
    "LOG_LENGTH",
    "Line",
    "Network",
    "NetworkFailure",
    "NetworkReason",
    "Page",
    "PageLimits",
    "RequestRecord",
    "Response",
    "Traffic",
    "TrafficChanged",
    "because",
]
