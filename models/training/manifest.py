"""Writes package.toml: a head from manifests/ and the table of files with their sizes and SHA-256."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

HEADS = Path(__file__).parent / "manifests"
ROLES = {
    ".onnx": "graph",
    ".f16": "index",
    ".png": "picture",
    ".mp3": "demo",
    "card.md": "card",
    "NOTICE": "notice",
    "metrics.json": "metrics",
}


def role_of(file: Path) -> str:
    """The role of a package file by its name."""
    return ROLES.get(file.name) or ROLES[file.suffix]


def files_table(folder: Path) -> str:
    """The [files] tables of every file in the folder but package.toml, in the order of their names."""
    entries = []
    for file in sorted(folder.iterdir()):
        if file.name == "package.toml":
            continue
        content = file.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        entries.append(
            f'[files."{file.name}"]\nrole = "{role_of(file)}"\nsha256 = "{digest}"\nbytes = {len(content)}\n'
        )
    return "\n".join(entries)


def seal(folder: Path, head: str, values: dict | None = None) -> None:
    """Writes `folder`/package.toml from manifests/`head`.toml, with `values` filled in where it has placeholders."""
    text = (HEADS / f"{head}.toml").read_text()
    if values is not None:
        text = text.format_map({**values, "tags": json.dumps(values["tags"])})
    (folder / "package.toml").write_text(f"{text}\n{files_table(folder)}")
