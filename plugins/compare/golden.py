"""Measures the golden vectors of the built-in effects' unit tests.

    python3 plugins/compare/golden.py

writes `plugins/EFFECT/golden.txt`: what the reference makes of a signal that the
tests can make again (`vocalhost_effect::testing::golden_signal`), at every 75th
frame.
"""

from reference import REPOSITORY, REQUIREMENTS, ensure_packages, reference_effect

ensure_packages()

import numpy as np  # noqa: E402

FRAMES = 4_800
STRIDE = 75

CASES = {
    "noise-gate": [
        (48_000, 1, {"threshold_db": -20, "ratio": 4, "attack_ms": 2, "release_ms": 10}),
        (16_000, 1, {"threshold_db": -12, "ratio": 2, "attack_ms": 0, "release_ms": 60}),
    ],
    "high-pass": [(44_100, 1, {"cutoff_frequency_hz": 1000}), (16_000, 1, {"cutoff_frequency_hz": 80})],
    "low-pass": [(44_100, 1, {"cutoff_frequency_hz": 1000}), (16_000, 1, {"cutoff_frequency_hz": 80})],
    "compressor": [
        (48_000, 1, {"threshold_db": -30, "ratio": 4, "attack_ms": 5, "release_ms": 20}),
        (16_000, 1, {"threshold_db": -20, "ratio": 100, "attack_ms": 0, "release_ms": 100}),
    ],
    "chorus": [
        (48_000, 2, {"rate_hz": 7, "depth": 0.5, "centre_delay_ms": 4, "feedback": 0.5, "mix": 0.7}),
        (16_000, 1, {"rate_hz": 1, "depth": 1, "centre_delay_ms": 7, "feedback": 0, "mix": 1}),
    ],
    "reverb": [
        (44_100, 2, {"room_size": 0.9, "damping": 0.2, "wet_level": 1, "dry_level": 0, "width": 0.7}),
        (16_000, 1, {"room_size": 0.3, "damping": 0.8, "wet_level": 1, "dry_level": 0.1, "width": 1}),
    ],
    "delay": [
        (48_000, 1, {"delay_seconds": 0.022, "feedback": 0.5, "mix": 0.4}),
        (44_100, 2, {"delay_seconds": 0.01, "feedback": 1, "mix": 1}),
    ],
}


def golden_signal(channel: int) -> np.ndarray:
    """Noise whose middle third is 36 dB softer."""
    state, samples = channel + 1, np.empty(FRAMES, np.float32)
    for frame in range(FRAMES):
        state = (state * 1_664_525 + 1_013_904_223) % 2**32
        samples[frame] = (state >> 8) / 2**24 - 0.5
    samples[FRAMES // 3 : FRAMES * 2 // 3] /= 64
    return samples


def main() -> None:
    pin = next(line for line in REQUIREMENTS.read_text().split() if line.startswith("pedalboard"))
    for effect, cases in CASES.items():
        lines = [
            f"# Measured from {pin} by plugins/compare/golden.py: every {STRIDE}th frame of its",
            "# answer to vocalhost_effect::testing::golden_signal, channel after channel.",
        ]
        for rate_hz, channels, settings in cases:
            words = " ".join(f"{name}={value}" for name, value in settings.items())
            lines.append(f"case {rate_hz} {channels} {words}")
            samples = np.stack([golden_signal(channel) for channel in range(channels)])
            for answer in reference_effect(effect, settings)(samples, rate_hz):
                kept = [f"{sample:.9g}" for sample in answer[STRIDE - 1 :: STRIDE]]
                lines += [" ".join(kept[at : at + 8]) for at in range(0, len(kept), 8)]
        path = REPOSITORY / "plugins" / effect / "golden.txt"
        path.write_text("\n".join(lines) + "\n")
        print(path)


if __name__ == "__main__":
    main()
