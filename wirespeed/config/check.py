"""A configuration file checked: its text, its schema, then all rules; every finding of one stage in one run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from wirespeed.config.lookup import Lookup
from wirespeed.config.rules import RULES
from wirespeed.config.schema import Config
from wirespeed.config.schema_findings import RULE, schema_findings
from wirespeed.documents import Document, parse
from wirespeed.errors import FileFault
from wirespeed.files import read_text_file
from wirespeed.findings import FileFinding

MOST_BYTES = 10 << 20
MOST_TOLD = 1000


@dataclass(frozen=True)
class Checked:
    """`config` is None if the file does not fit the schema; rules are only checked for a file that fits."""

    config: Config | None
    findings: tuple[FileFinding, ...]


def read_config(path: Path) -> Config:
    """The valid configuration at `path`; FileFault with all findings, one per line, if it is invalid."""
    checked = check_file(path)
    if checked.findings or checked.config is None:
        raise FileFault(said(checked.findings, str(path)))
    return checked.config


def said(findings: tuple[FileFinding, ...], name: str) -> str:
    """One line a finding, the first `MOST_TOLD` of them, and how many there are."""
    lines = [finding.text(name) for finding in findings[:MOST_TOLD]]
    many = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
    more = f", the first {MOST_TOLD} shown" if len(findings) > MOST_TOLD else ""
    return "\n".join([*lines, f"{name} has {many}{more}"])


def check_file(path: Path) -> Checked:
    """FileFault if there is no YAML to check."""
    return check_text(read_text_file(path, "configuration", MOST_BYTES), str(path))


def check_text(text: bytes, name: str) -> Checked:
    document = parse(text, name)
    raw = {} if document.root.value is None else document.root.value
    if not isinstance(raw, dict):
        message = "this is not a mapping of sections such as interfaces and loopbacks"
        return Checked(
            None, (FileFinding((), message, "begin with a section's name and a colon", RULE, document.root.line),)
        )
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        found = [*document.findings, *schema_findings(error, document)]
        return Checked(None, tuple(sorted(found, key=lambda finding: finding.line)))
    found = [*document.findings, *_placed(rule_findings(config), document)]
    return Checked(config, tuple(sorted(found, key=lambda finding: finding.line)))


def rule_findings(config: Config) -> list[FileFinding]:
    """Findings of the rules about a configuration, without lines."""
    lookup = Lookup(config)
    return [replace(finding, rule=rule.__name__.replace("_", "-")) for rule in RULES for finding in rule(lookup)]


def _placed(findings: list[FileFinding], document: Document) -> list[FileFinding]:
    return [replace(finding, line=document.line(finding.path)) for finding in findings]
