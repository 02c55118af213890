"""Damaged content: valid bytes that are cut, flipped, nested, filled with what readers stumble over, or just noise."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

SCRAPS = (
    *(
        b"\xff",
        b"\xed\xa0\x80",
        b"\xc3",
        b"\xf4\x90\x80\x80",
        b"\x00",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xc2\x85",
    ),
    *(b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"\\u0000", b"\\", b'"', b"'", b'""'),
    *(
        b"\n",
        b"\r",
        b"\r\n",
        b"\t",
        b" ",
        b"|",
        b"||",
        b",",
        b";",
        b"=",
        b"@",
        b"%",
        b":",
        b"{",
        b"}",
        b"[",
        b"]",
        b"(",
        b")",
    ),
    *(
        b"null",
        b"true",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"inf",
        b"[]",
        b"{}",
        b"-",
        b".",
        b"1e999",
        b"-0",
        b"00",
        b"1e5",
    ),
    *(b"9223372036854775807", b"-9223372036854775808", b"9223372036854775808", b"18446744073709551616", b"9" * 400),
    *(b"9" * 5000, b"2026-01-01T00:00:00Z", b"9999-12-31T23:59:59.999999999Z", b"0000-00-00", b"retract", b"insert"),
    *(
        b'{"a":' * 200,
        b"[" * 300,
        b"f(" * 300,
        b"x" * 3000,
        "é".encode() * 40,
        "\u2028".encode(),
        "\U0001f600".encode(),
    ),
)


def damaged(random: Random, seeds: Sequence[bytes]) -> bytes:
    """Now and then noise, else one of the seeds after a few blows."""
    if random.random() < 0.2:
        return random.randbytes(random.choice((0, 1, 3, 20, 200)))
    content = bytearray(random.choice(seeds))
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        at = random.randrange(len(content) + 1)
        blow = random.randrange(6)
        if blow == 0:
            del content[at : at + random.choice((1, 5, 50))]
        elif blow == 1 and at < len(content):
            content[at] ^= 1 << random.randrange(8)
        elif blow == 2:
            del content[at:]
        elif blow == 3:
            content[at:at] = content[:at] if random.random() < 0.3 else random.randbytes(3)
        else:
            content[at:at] = random.choice(SCRAPS)
    return bytes(content)
