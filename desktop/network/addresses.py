"""Which numeric addresses belong to the open network.

IPv6 has many ways of carrying an address of IPv4, for hosts and gateways that translate or tunnel. What such
an address reaches is the IPv4 host in it, so that one is judged. Beside those only what is given out for the
open network counts (2000::/3), without the parts of it that are set aside.

A network may translate with a prefix of its own (RFC 6052); such an address looks like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_ALL = 0xFFFF_FFFF
GLOBAL_UNICAST = IPv6Network("2000::/3")

# Set aside, and not known as such to every Python that Steward runs on.
SET_ASIDE_4 = tuple(
    IPv4Network(each)
    for each in (
        "0.0.0.0/8",  # this network
        "100.64.0.0/10",  # shared among the customers of a provider
        "192.0.0.0/24",  # protocol assignments
        "192.88.99.0/24",  # relays of 6to4, given up
        "198.18.0.0/15",  # measurements
        "224.0.0.0/4",  # groups
        "240.0.0.0/4",  # for later, and everybody
    )
)
SET_ASIDE_6 = tuple(
    IPv6Network(each)
    for each in (
        "2001::/23",  # protocol assignments
        "2001:db8::/32",  # for books
        "3fff::/20",  # for books
    )
)


@dataclass(frozen=True)
class Carrier:
    """A kind of IPv6 address that carries one of IPv4, and where in it."""

    name: str
    carries: Callable[[IPv6Address], bool]
    shift_bits: int = 0
    inverted: bool = False

    def carried(self, address: IPv6Address) -> IPv4Address:
        # Teredo writes the client's address with all bits turned, so that routers leave it alone.
        value = int(address) >> self.shift_bits & _ALL
        return IPv4Address(value ^ _ALL if self.inverted else value)


def _within(network: str) -> Callable[[IPv6Address], bool]:
    return IPv6Network(network).__contains__


def _is_isatap(address: IPv6Address) -> bool:
    """RFC 5214: a known pattern in the second half, below any prefix; the universal bit may be set."""
    return int(address) >> 32 & 0xFDFF_FFFF == 0x0000_5EFE


CARRIERS = (
    Carrier("mapped", _within("::ffff:0:0/96")),  # RFC 4291
    Carrier("translated", _within("::ffff:0:0:0/96")),  # RFC 2765
    Carrier("compatible", _within("::/96")),  # RFC 4291; :: and ::1 carry 0.0.0.0 and 0.0.0.1
    Carrier("NAT64", _within("64:ff9b::/96")),  # RFC 6052
    Carrier("6to4", _within("2002::/16"), shift_bits=80),  # RFC 3056
    Carrier("Teredo (server)", _within("2001::/32"), shift_bits=64),  # RFC 4380
    Carrier("Teredo (client)", _within("2001::/32"), inverted=True),
    Carrier("ISATAP", _is_isatap),
)


def is_public(address: str) -> bool:
    """Whether a numeric address is of the open network, also where IPv6 carries one of IPv4."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _is_public_4(found) if isinstance(found, IPv4Address) else _is_public_6(found)


def _is_public_4(address: IPv4Address) -> bool:
    return address.is_global and not any(address in each for each in SET_ASIDE_4)


def _is_public_6(address: IPv6Address) -> bool:
    carried = [carrier.carried(address) for carrier in CARRIERS if carrier.carries(address)]
    # An address may be read in two ways; every host that it may reach has to be public.
    if not all(map(_is_public_4, carried)):
        return False
    if address in GLOBAL_UNICAST:
        return bool(carried) or (address.is_global and not any(address in each for each in SET_ASIDE_6))
    return bool(carried)
