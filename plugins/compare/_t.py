"""Measures how fast chains run on one core, ours in their sandbox against the reference.

    python3 plugins/compare/throughput.py

Both run over the same stereo sound in blocks of the same length, in turns, on
the same core, and are timed by the processor time they use; per chain it prints
the throughput of both and the median and range of the ratio. The exit status is
1 when a whole chain of the contract is slower than the reference.
"""

import json
import os
import statistics
import struct
import subprocess
import sys
import time

from reference import REPOSITORY, ensure_packages, reference_effect

ensure_packages()

import numpy as np  # noqa: E402
import pedalboard  # noqa: E402

from signals import SIGNALS  # noqa: E402

RATE_HZ = 44_100
BLOCK_FRAMES = 4096
ROUNDS = 15

# Every round runs over the signal this many times: 10 s of sound.
REPEATS = 4

EFFECTS = {
    "noise-gate": {"threshold_db": -30, "ratio": 10, "attack_ms": 1, "release_ms": 100},
    "high-pass": {"cutoff_frequency_hz": 80},
    "low-pass": {"cutoff_frequency_hz": 12_000},
    "compressor": {"threshold_db": -20, "ratio": 4, "attack_ms": 1, "release_ms": 100},
    "chorus": {"rate_hz": 1, "depth": 0.25, "centre_delay_ms": 7, "feedback": 0, "mix": 0.5},
    "delay": {"delay_seconds": 0.3, "feedback": 0.4, "mix": 0.5},
    "reverb": {"room_size": 0.5, "damping": 0.5, "wet_level": 0.33, "dry_level": 0.4, "width": 1},
}

WHOLE_CHAINS = {
    "all seven": list(EFFECTS),
    "before the voice": ["noise-gate", "high-pass", "low-pass", "compressor"],
    "after the voice": ["compressor", "chorus", "delay", "reverb"],
    "high-pass, compressor": ["high-pass", "compressor"],
}
CHAINS = WHOLE_CHAINS | {effect: [effect] for effect in EFFECTS}


def program() -> str:
    """Builds our half and says where it is."""
    command = ["cargo", "bench", "--quiet", "--package", "vocalhost", "--bench", "throughput", "--no-run"]
    done = subprocess.run(
        [*command, "--message-format=json"], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True
    )
    messages = (json.loads(line) for line in done.stdout.splitlines())
    paths = [
        message["executable"]
        for message in messages
        if message["reason"] == "compiler-artifact" and message["target"]["name"] == "throughput"
    ]
    return paths[-1]


class Ours:
    """Our components, in a process of their own."""

    def __init__(self, program: str, chain: list[str], samples: np.ndarray):
        links = [
            f"vocalhost.{effect}:" + ",".join(f"{name}={value}" for name, value in EFFECTS[effect].items())
            for effect in chain
        ]
        self.process = subprocess.Popen(
            [program, str(RATE_HZ), *links], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.process.stdin.write(struct.pack("<Q", samples.shape[1]) + samples.astype("<f4").tobytes())

    def seconds(self) -> float:
        self.process.stdin.write(b"run\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


class Theirs:
    """The reference, in this process."""

    def __init__(self, chain: list[str], samples: np.ndarray):
        self.samples = samples
        self.board = pedalboard.Pedalboard([reference_effect(effect, EFFECTS[effect]) for effect in chain])

    def seconds(self) -> float:
        start = time.process_time()
        self.board(self.samples, RATE_HZ, buffer_size=BLOCK_FRAMES, reset=False)
        return time.process_time() - start


def measure(program: str, chain: list[str], samples: np.ndarray) -> tuple[list[float], list[float]]:
    """Seconds of every round of ours and of the reference's, in turns."""
    ours, theirs = Ours(program, chain, samples), Theirs(chain, samples)
    rounds = [(ours.seconds(), theirs.seconds()) for _ in range(ROUNDS + 1)]
    ours.close()
    # The first round warms up.
    mine, reference = zip(*rounds[1:])
    return list(mine), list(reference)


def main() -> int:
    path = sys.argv[1]
    # One core for both: a process inherits it.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    speech = SIGNALS["speech"](RATE_HZ)
    samples = np.ascontiguousarray(np.tile(speech, REPEATS), dtype=np.float32)
    audio_s = samples.shape[1] / RATE_HZ
    print(f"pedalboard {pedalboard.__version__}, {audio_s:g} s of stereo sound at {RATE_HZ} Hz, {ROUNDS} rounds")
    print("| chain | ours, × real time | pedalboard, × real time | ours / pedalboard |")
    print("|---|--:|--:|--:|")
    slower = False
    for name, chain in CHAINS.items():
        mine, reference = measure(path, chain, samples)
        ratios = [theirs / ours for ours, theirs in zip(mine, reference)]
        middle = statistics.median(ratios)
        slower |= name in WHOLE_CHAINS and middle < 1
        print(
            f"| {name} | {audio_s / statistics.median(mine):.0f} | {audio_s / statistics.median(reference):.0f}"
            f" | {middle:.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |",
            flush=True,
        )
    return int(slower)


if __name__ == "__main__":
    sys.exit(main())
