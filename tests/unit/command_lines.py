"""Random lines for the router's command line, generated from its own syntaxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from wirespeed.router.commands import GRAMMAR

SYNTAXES = sorted({syntax for syntax, _ in GRAMMAR.commands()})
KINDS = sorted(set(re.findall(r"<([a-z0-9_]+)", " ".join(SYNTAXES))))

# Values that match some type, that nearly match, and that match none.
_WORDS = (
    "e0 e1 e7 loop0 e0.100 local0 ip4-lookup dpdk-input nowhere 0 1 7 16 100 256 4095 65536 4294967295 4294967296 "
    "99999999999999999999 -1 0x10 "
    "10.0.0.1 10.0.0.1/24 10.0.0.0/8 0.0.0.0/0 255.255.255.255/32 10.0.0.1/33 10.0.0.1/ 2001:db8::1 2001:db8::1/64 "
    "::/0 fe80::1%e0 ::1/129 02:fe:00:00:00:01 02:fe 01:00:5e:00:00:01 0,1-2 3-1 1, - / . ? # * % { } add del on off "
    "up via \u00e4 \u0663 \u00b2 /dev/null /nowhere/x.conf ../x name any default 1500 9000 68 "
    "20us 1.5ms 3s 1e-6 0.1% 2.5 "
)
WORDS = _WORDS.split()


def typed(chance: Random, syntaxes: list[str] = SYNTAXES) -> str:
    """A line that one of the syntaxes allows, except for its values; often changed afterwards."""
    tokens = re.findall(r"<[^>]+>|\.\.\.|[\[\]()|]|[^\s\[\]()|<>]+", chance.choice(syntaxes))
    words = list(_sample(chance, iter(tokens)))
    for _ in range(chance.randint(0, 2)):
        at = chance.randint(0, len(words))
        match chance.choice(["keep", "cut", "drop", "twice", "other", "text", "end"]):
            case "cut" if at < len(words):
                words[at] = words[at][: chance.randint(1, 3)]
            case "drop":
                del words[at : at + 1]
            case "twice":
                words[at:at] = words[at : at + 1]
            case "other":
                words[at:at] = [chance.choice(WORDS)]
            case "text":
                words[at:at] = [
                    "".join(chr(chance.choice((chance.randint(32, 126), 0x663, 0x1F600))) for _ in range(6))
                ]
            case "end":
                words = words[:at]
    return " ".join(words)


def _sample(chance: Random, tokens: Iterator[str]) -> Iterator[str]:
    """Words for the alternatives that begin here, up to the bracket that ends them."""
    choices: list[list[str]] = [[]]
    for token in tokens:
        if token in ")]":
            break
        if token == "|":
            choices.append([])
        elif token in "([":
            inner = list(_sample(chance, tokens))
            choices[-1] += inner if token == "(" or chance.random() < 0.5 else []
        elif token.startswith("<"):
            choices[-1].append(chance.choice(WORDS))
        elif token != "...":
            choices[-1].append(token)
    yield from chance.choice(choices)
