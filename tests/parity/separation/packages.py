"""Separator packages with graphs of random weights, written as `docs/models.md` says."""

import hashlib
import json
from pathlib import Path

RATE = 8_000


def toml(value):
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    return json.dumps(value)


def section(name, fields):
    lines = [f"{key} = {toml(value)}" for key, value in fields.items()]
    return "\n".join([f"[{name}]", *lines, ""])


def write(folder: Path, *, id, family, task, stems, residual, facts=None, graphs=None, tensors=(), sections=()):
    """Writes a package into the new folder `folder`.

    `graphs` are the bytes of its ONNX files by name, `tensors` tuples of direction, name, role, shape and layout, and
    `sections` pairs of a name and its fields.
    """
    folder.mkdir(parents=True)
    head = {
        "schema": 1,
        "id": id,
        "name": "Parity",
        "version": "1.0.0",
        "kind": "separator",
        "family": family,
        "license": "MIT",
        "attribution": "nobody",
        "trained_on": "nothing: random weights",
        "consent": "not needed",
        "created": "2026-11-21",
    }
    text = [f"{key} = {toml(value)}" for key, value in head.items()] + [""]
    text.append(section("audio", {"sample_rate_hz": RATE, "channels": 2}))
    text.append(section("separator", {"task": task, **(facts or {})}))
    text.append(section("stems", {"names": stems, "residual": residual}))
    text += [section(name, fields) for name, fields in sections]
    for direction, name, role, shape, layout in tensors:
        fields = {"io": direction, "name": name, "role": role, "dtype": "f32", "shape": shape, "layout": layout}
        text.append(section("[tensor]", fields))
    for name, data in (graphs or {}).items():
        (folder / name).write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        text.append(section(f'files."{name}"', {"role": "graph", "sha256": digest, "bytes": len(data)}))
    (folder / "package.toml").write_text("\n".join(text))
