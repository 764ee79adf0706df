"""Names of files that stay: made from what a thing is called or from its digest, never from what else there is. Pure.

A name that is a plain one stands for itself; any other is cleaned and gets `--` and a part of its own digest, which no
plain name has. So no two things share a name, whatever they are called and however the corpus grows.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

_PLAIN = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_MOST = 60
_KEY = 16
"""Characters of a result's digest: 64 bits."""
_PART = 10


def slug(name: str) -> str:
    """For any file system and any address: `fitlet2`, `gowin-r86s--9d5c63f0a1`."""
    if len(name) <= _MOST and _PLAIN.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_PART]
    return f"{_cleaned(name)[:_MOST].strip('-._')}--{digest}"


def key(digest: str) -> str:
    """What a result is called in addresses."""
    return digest[:_KEY]


def stem(title: str) -> str:
    """A title as a part of the name of a file, which another part makes the only one."""
    return _cleaned(title, keep_case=True)[:_MOST].strip("-._") or "result"


def _cleaned(name: str, *, keep_case: bool = False) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = plain if keep_case else plain.lower()
    return re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9._-]+", "-", plain)).strip("-._")


DUTS_PAGE = "boxes.html"
"""This address and those of `dut_page` say box, so that links to published sites stay valid."""


def dut_page(dut: str) -> str:
    return f"boxes/{slug(dut)}.html"


def hardware_page(dut: str) -> str:
    return f"hardware/{slug(dut)}.html"


def archive(dut: str) -> str:
    return f"archives/{slug(dut)}.zip"


def test_page(load: str, directions: str) -> str:
    return f"tests/{slug(f'{load} {directions}'.replace('→', '-to-'))}.html"


def result_page(digest: str) -> str:
    return f"results/{key(digest)}.html"


def raw_file(digest: str, title: str) -> str:
    return f"raw/{key(digest)}-{stem(title)}.json"


def text_file(digest: str, number: int, command: str) -> str:
    """`command` is what printed the text."""
    return f"texts/{key(digest)}-{number:02d}-{stem(command)}.txt"
