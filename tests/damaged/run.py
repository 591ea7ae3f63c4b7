"""Damaged recordings, held against another decoder: run.py DRIVER [--cases N] [--seed S] [--kinds K,K] [--write] [--keep
FOLDER] [--only CASE].

DRIVER is the example `lengths` of the crate `vocalhost-audio`. Each case takes one of the recordings, which are in every format and
coding, damages it by the rules of damage.py, and has it played by PyAV and by the host. Needs what requirements.txt lists.
"""

from __future__ import annotations

import argparse
import collections
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import report
from damage import KINDS, damaged
from players import Host, reference
from sources import recordings
from verdict import FAULTS, Case, Whole, judge

PAGE = Path(__file__).resolve().parents[2] / "docs/measurements/damaged.md"

TOLD_S = 30.0
"""How often the progress is told."""


def kinds(names: str) -> list:
    """The kinds of damage of these names, each as often as among all."""
    wanted = set(names.split(","))
    if strange := wanted - {kind.__name__ for kind in KINDS}:
        raise argparse.ArgumentTypeError(f"there is no damage called {', '.join(sorted(strange))}")
    return [kind for kind in KINDS if kind.__name__ in wanted]


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("driver")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kinds", type=kinds, default=KINDS, help="only these kinds of damage, with commas between: cut,flip")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--write", action="store_true", help="put the table into docs/measurements/damaged.md")
    parser.add_argument("--keep", type=Path, help="a folder for the files of cases that do not hold")
    parser.add_argument("--only", type=int, help="one case, whose answers are told")
    return parser.parse_args()


class Run:
    """The recordings, and what came of their damages."""

    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        self.asked, self.path, self.sound = asked, folder / "damaged", folder / "sound"
        self.host = Host(asked.driver)
        self.recordings = recordings()
        self.wholes = []
        self.counts: dict[str, collections.Counter] = {}
        self.faults = 0
        for recording in self.recordings:
            self.path.write_bytes(recording.data)
            whole, heard = reference(self.path, keep_sound=True), self.host.heard(self.path)
            if abs(heard.get("frames", -1) - whole.frames) > whole.packet_frames or heard.get("findings"):
                sys.exit(f"{recording.name}, which is whole: {heard}, and {whole.frames} frames by the reference")
            self.wholes.append(Whole(whole, len(recording.data)))

    def case(self, index: int) -> None:
        """One damaged file."""
        recording, whole = self.recordings[index % len(self.recordings)], self.wholes[index % len(self.recordings)]
        file = damaged(recording.data, f"{self.asked.seed}/{index}", self.asked.kinds)
        self.path.write_bytes(file.data)
        heard, played = self.host.heard(self.path), reference(self.path)
        came = judge(Case(file, whole, played, heard, self.played_sound, self.heard_sound))
        self.counts.setdefault(recording.name, collections.Counter())[came] += 1
        if came in FAULTS or self.asked.only is not None:
            self.faults += came in FAULTS
            print(f"case {index}, {recording.name}, {' '.join(file.kinds)}: {came}\n  host: {heard}\n  reference: {played}", flush=True)
            if self.asked.keep:
                self.asked.keep.mkdir(parents=True, exist_ok=True)
                (self.asked.keep / f"{index}-{came}-{recording.name}").write_bytes(file.data)

    def played_sound(self) -> np.ndarray:
        """The first channel of the case, by the reference."""
        sound = reference(self.path, keep_sound=True).sound
        return np.concatenate(sound) if sound else np.zeros(0)

    def heard_sound(self) -> np.ndarray:
        """The same by the host."""
        self.host.heard(self.path, self.sound)
        return np.fromfile(self.sound, "<f4")

    def all(self) -> int:
        """As many cases as there are to be or as there is time for."""
        began = told = time.monotonic()
        for index in range(self.asked.cases):
            self.case(index)
            now = time.monotonic()
            if now - told > TOLD_S:
                told = now
                print(f"{index + 1} cases, {self.faults} faults, {now - began:.0f} s", flush=True)
            if now - began > 60 * self.asked.minutes:
                return index + 1
        return self.asked.cases


def main() -> int:
    """Runs, reports, and says whether everything held."""
    asked = arguments()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        run = Run(asked, Path(folder))
        if asked.only is not None:
            run.case(asked.only)
            return 0
        began, spent = time.monotonic(), time.process_time()
        cases = run.all()
        spent = (time.monotonic() - began, time.process_time() - spent)
        held = run.host.close()
    page = report.page(run.counts, cases, asked, (spent[0], run.host.slowest_s, held))
    print(page)
    if asked.write:
        report.write(PAGE, page)
    return 1 if run.faults else 0


if __name__ == "__main__":
    sys.exit(main())
