"""The table that a run ends with, and the page that it belongs to."""

from __future__ import annotations

import argparse
import collections
import datetime
import os
import platform
from pathlib import Path

import av
from damage import KINDS
from verdict import FAULTS, RULES

MARKS = ("<!-- table: begin -->", "<!-- table: end -->")


def machine() -> str:
    """The processor, as Linux names it, and how many there are."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"


def page(counts: dict[str, collections.Counter], cases: int, asked: argparse.Namespace, spent: tuple[float, float, int]) -> str:
    """All figures as Markdown. `spent`: seconds, the longest answer in seconds, and the most memory in bytes."""
    names = [*RULES, *FAULTS]
    names_of_kinds = dict.fromkeys(kind.__name__ for kind in asked.kinds)
    kinds = "" if asked.kinds == KINDS else f" --kinds={','.join(names_of_kinds)}"
    lines = [
        f"{datetime.date.today():%Y-%m-%d}, {machine()}, FFmpeg's libraries {av.ffmpeg_version_info} (PyAV {av.__version__});"
        f" `cargo xtask fuzz-audio {cases} --seed={asked.seed}{kinds}`: {cases} files in {spent[0]:.0f} s. The longest answer took"
        f" {spent[1]:.1f} s, the process held {spent[2] / 2**20:.0f} MiB at most.",
        "",
        "| recording | cases | " + " | ".join(names) + " |",
        "|---|" + "--:|" * (len(names) + 1),
    ]
    total = sum(counts.values(), collections.Counter())
    for name, count in [*counts.items(), ("all", total)]:
        cells = [str(count[key]) for key in names]
        lines.append(f"| {name} | {sum(count.values())} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def write(path: Path, table: str) -> None:
    """Replaces what stands between the marks of a page."""
    before, rest = path.read_text().split(MARKS[0], 1)
    behind = rest.split(MARKS[1], 1)[1]
    path.write_text(f"{before}{MARKS[0]}\n\n{table}\n{MARKS[1]}{behind}")
