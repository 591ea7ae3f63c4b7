"""How far a training is: by the processor time of this process, or by the wall clock where a limit is set."""

from __future__ import annotations

import argparse
import time


def add_options(parser: argparse.ArgumentParser, seconds: float) -> None:
    """--seconds (processor time) and --wall-seconds."""
    parser.add_argument("--seconds", type=float, default=seconds, help="processor time to train for")
    parser.add_argument("--wall-seconds", type=float, default=float("inf"), help="end at the latest after this time")


class Clock:
    """Starts when made."""

    def __init__(self, options: argparse.Namespace):
        self.limits = options.seconds, options.wall_seconds
        self.started = time.process_time(), time.monotonic()
        self.shown = 0.0

    def spent(self) -> float:
        """Processor seconds."""
        return time.process_time() - self.started[0]

    def progress(self) -> float:
        """0 at the start, 1 at the end."""
        wall = time.monotonic() - self.started[1]
        return max(self.spent() / self.limits[0], wall / self.limits[1])

    def is_due(self, every_s: float = 60.0) -> bool:
        """True once per so many processor seconds."""
        if self.spent() - self.shown < every_s:
            return False
        self.shown = self.spent()
        return True
