"""Addresses of brokers, receivers and stores: shown without their secrets, which the environment or a file may give."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import SplitResult, urlsplit

from holdsfor.errors import HoldsforError

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/*")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
HOST = re.compile(r"[^\x00-\x20\x7f]+")
LONGEST_SECRET = 1 << 16  # bytes of a file that should have a password in it


def is_uri(text: str) -> bool:
    return SCHEME.match(text) is not None


def show_address(address: str) -> str:
    """Return scheme, host and port for messages: paths of many receivers are as good as a password."""
    location = show_location(address)
    scheme = SCHEME.match(location)
    return location if scheme is None else scheme[0] + _authority(location[scheme.end() :])


def show_location(address: str) -> str:
    """Return a path as it is, or a URI without user, password and options."""
    scheme = SCHEME.match(address)
    if scheme is None or scheme[0].startswith("file:"):
        return address
    rest = address[scheme.end() :]
    if rest.count("@") > _authority(rest).count("@"):
        return f"{scheme[0]}..."  # an @ in the path, or a password with a slash: nobody can tell
    return scheme[0] + rest.rpartition("@")[2].partition("?")[0]


def has_password(address: str) -> bool:
    return ":" in _userinfo(address)


def hide_passwords(text: str, addresses: Iterable[str]) -> str:
    """Remove users and passwords of the addresses from a message that others have written."""
    for userinfo in filter(None, map(_userinfo, addresses)):
        text = text.replace(f"{userinfo}@", "")
    return text


def split_address(address: str, schemes: Iterable[str]) -> SplitResult | None:
    """Return its parts (`#` belongs to the path), or None if nobody can connect to it, or it has a line break in it.

    Callers say what is wrong: the errors of the standard library show the password.
    """
    if CONTROL.search(address):  # the standard library would leave some out in silence
        return None
    try:
        parts = urlsplit(address, allow_fragments=False)
        host = (parts.hostname or "").encode("idna").decode()
        is_sound = parts.scheme in schemes and bool(HOST.fullmatch(host)) and parts.port != 0
    except ValueError:
        return None
    return parts if is_sound else None


def read_secret(what: str, options: Mapping[str, str]) -> str | None:
    """Return the variable that `{what}_env` names, or the text of the file that `{what}_file` names."""
    variable, path = options.get(f"{what}_env"), options.get(f"{what}_file")
    if variable is not None and path is not None:
        raise HoldsforError(f"give {what}_env or {what}_file in an address, not both.")
    if variable is not None:
        return _from_environment(what, variable)
    return None if path is None else _from_file(what, path)


def _from_environment(what: str, variable: str) -> str:
    secret = os.environ.get(variable)
    if not secret:
        raise HoldsforError(f"{what}_env={variable}: the environment has no such variable, or it is empty. Set it.")
    return secret


def _from_file(what: str, path: str) -> str:
    try:
        with open(os.path.expanduser(path), "rb") as file:
            secret = file.read(LONGEST_SECRET).decode().rstrip("\r\n")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
    else:
        if secret:
            return secret
        reason = "it is empty"
    raise HoldsforError(f"{what}_file={path} cannot be read: {reason}. Write the {what} into it, and nothing else.")


def _authority(rest: str) -> str:
    return re.split(r"[/?#]", rest, maxsplit=1)[0]


def _userinfo(address: str) -> str:
    scheme = SCHEME.match(address)
    return "" if scheme is None else _authority(address[scheme.end() :]).rpartition("@")[0]
