"""scapy's layers are imported through one module, which prevents scapy from reading the machine's links and routes."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_nothing_else_imports_scapys_layers() -> None:
    imports = re.compile(r"^\s*(from scapy\b|import scapy\b(?!\.(all|arch)\b))", re.MULTILINE)
    found = [file.name for file in (ROOT / "wirespeed").rglob("*.py") if imports.search(file.read_text())]
    assert found == ["scapy_layers.py"]


def test_all_of_scapy_comes_after_that_module() -> None:
    for file in (ROOT / "wirespeed").rglob("*.py"):
        text = file.read_text()
        if "import scapy" in text:
            assert 0 <= text.find("from wirespeed.scapy_layers import") < text.find("import scapy"), file
