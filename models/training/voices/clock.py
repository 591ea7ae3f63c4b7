"""How every training begins, and how far it is: by the processor time of this process, or by the wall clock where a limit
is set."""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import numpy as np
import torch


def parser(description: str | None, seconds: float) -> argparse.ArgumentParser:
    """WORK, --seconds (processor time) and --wall-seconds."""
    result = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("work", type=Path)
    result.add_argument("--seconds", type=float, default=seconds, help="processor time to train for")
    result.add_argument("--wall-seconds", type=float, default=float("inf"), help="end at the latest after this time")
    return result


def seed(number: int) -> None:
    """One thread, and every generator of random numbers from its start: a run can be repeated."""
    torch.set_num_threads(1)
    torch.manual_seed(number)
    random.seed(number)
    np.random.seed(number)


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
