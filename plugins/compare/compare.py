"""Measures the built-in effects against the reference, case by case.

    python3 plugins/compare/compare.py [--write docs/effects.md]

prints the tables, or writes them between the markers of the given page. The
exit status is 1 when a case is further from the reference than it may be.
"""

import argparse
import datetime
import platform
import subprocess
import sys
from pathlib import Path

from reference import REPOSITORY, ensure_packages, reference_effect

ensure_packages()

import numpy as np  # noqa: E402
import pedalboard  # noqa: E402

from signals import SIGNALS  # noqa: E402

RATES_HZ = (16_000, 44_100, 48_000, 96_000)

# A residual above this, relative to the reference's output, fails the run.
LIMIT_DB = -40.0

# Bands whose decay is measured, by their middle.
BANDS_HZ = (250, 1_000, 4_000)

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

CASES = {
    "noise-gate": [
        {},
        {"threshold_db": -40, "ratio": 4, "attack_ms": 1, "release_ms": 100},
        {"threshold_db": -20, "ratio": 1.5, "attack_ms": 0, "release_ms": 0},
        {"threshold_db": -30, "ratio": 100, "attack_ms": 50, "release_ms": 5},
        {"threshold_db": 0, "ratio": 2, "attack_ms": 5000, "release_ms": 5000},
    ],
    "high-pass": [{"cutoff_frequency_hz": hz} for hz in (0, 20, 50, 300, 3000, 7500)],
    "low-pass": [{"cutoff_frequency_hz": hz} for hz in (20, 50, 300, 3000, 7500)],
    "compressor": [
        {},
        {"threshold_db": -20, "ratio": 4, "attack_ms": 1, "release_ms": 100},
        {"threshold_db": -40, "ratio": 100, "attack_ms": 0, "release_ms": 0},
        {"threshold_db": -30, "ratio": 2, "attack_ms": 50, "release_ms": 500},
        {"threshold_db": -100, "ratio": 10, "attack_ms": 5000, "release_ms": 5000},
    ],
    "chorus": [
        {},
        {"rate_hz": 0.3, "depth": 0.2, "centre_delay_ms": 3, "feedback": 0.6, "mix": 0.5},
        {"rate_hz": 5, "depth": 1, "centre_delay_ms": 1, "feedback": 0, "mix": 1},
        {"rate_hz": 99, "depth": 0.1, "centre_delay_ms": 100, "feedback": 0.9, "mix": 0.3},
        {"rate_hz": 0, "depth": 1, "centre_delay_ms": 0, "feedback": 0, "mix": 0.5},
        {"mix": 0},
    ],
    "reverb": [
        {},
        {"room_size": 1, "damping": 0, "wet_level": 1, "dry_level": 0, "width": 1},
        {"room_size": 0, "damping": 1, "wet_level": 0.5, "dry_level": 0.2, "width": 0},
        {"room_size": 0.8, "damping": 0.2, "wet_level": 0.3, "dry_level": 0.4, "width": 0.4},
        {"freeze_mode": 1},
    ],
    "delay": [
        {},
        {"delay_seconds": 0.022, "feedback": 0.5, "mix": 0.3},
        {"delay_seconds": 0.35, "feedback": 0.9, "mix": 1},
        {"delay_seconds": 0.1, "feedback": 1, "mix": 0.5},
        {"delay_seconds": 0, "feedback": 0.5, "mix": 0.5},
        {"delay_seconds": 10, "feedback": 0.5, "mix": 0.5},
    ],
}

# Room for the tails of these is measured with a click, at 48 kHz.
DECAY_CASES = [case for case in CASES["reverb"] if "freeze_mode" not in case]


def ours(effect: str, settings: dict, samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """What the built-in effect makes of planar samples."""
    arguments = [f"{name}={value}" for name, value in settings.items()]
    program = REPOSITORY / "target" / "debug" / "vocalhost-compare"
    done = subprocess.run(
        [program, effect, str(rate_hz), str(len(samples)), *arguments],
        input=samples.astype("<f4").tobytes(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return np.frombuffer(done.stdout, "<f4").reshape(samples.shape)


def theirs(effect: str, settings: dict, samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """What the reference makes of planar samples."""
    return reference_effect(effect, settings)(samples.astype(np.float32), rate_hz)


def level(samples: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


def residual_db(mine: np.ndarray, reference: np.ndarray) -> float:
    """Level of the difference, relative to the reference; -200 for none."""
    difference = mine.astype(np.float64) - reference
    return 20 * np.log10(level(difference) / max(level(reference), 1e-9) + 1e-10)


def spectrum_db(samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """Level per third of an octave over the whole sound."""
    power = np.abs(np.fft.rfft(samples, axis=-1)) ** 2
    hertz = np.fft.rfftfreq(samples.shape[-1], 1 / rate_hz)
    middles = 1000 * 2 ** (np.arange(-12, 13) / 3)
    bands = [
        power[:, (hertz >= m * 2 ** (-1 / 6)) & (hertz < m * 2 ** (1 / 6))].sum()
        for m in middles
        if m * 2 ** (1 / 6) < rate_hz / 2
    ]
    return 10 * np.log10(np.array(bands) + 1e-12)


def image(samples: np.ndarray) -> tuple[float, float]:
    """Balance of the channels in decibels, and their correlation."""
    left, right = samples.astype(np.float64) + 1e-12
    balance = 20 * np.log10(level(left) / level(right))
    return balance, float(np.dot(left, right) / (len(left) * level(left) * level(right)))


def decay_s(samples: np.ndarray, rate_hz: int, middle_hz: float) -> float:
    """Reverberation time of one octave, by Schroeder's backward integration
    of a click's answer, from -5 to -35 dB."""
    spectrum = np.fft.rfft(samples[0], 2 * samples.shape[-1])
    octaves = np.log2(np.fft.rfftfreq(2 * samples.shape[-1], 1 / rate_hz)[1:] / middle_hz)
    spectrum[1:] *= np.exp(-((octaves / 0.5) ** 4))
    spectrum[0] = 0
    band = np.fft.irfft(spectrum)[: samples.shape[-1]]
    left_db = 10 * np.log10(np.cumsum(band[::-1] ** 2)[::-1] / np.sum(band**2) + 1e-12)
    start, end = np.argmax(left_db < -5), np.argmax(left_db < -35)
    return 60 / 30 * (end - start) / rate_hz


def describe(settings: dict) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items()) or "defaults"


def residual_table() -> tuple[list[str], float]:
    """One row per effect and settings: the worst signal at every rate."""
    rates = " | ".join(f"{rate_hz / 1000:g} kHz" for rate_hz in RATES_HZ)
    lines = [f"| effect | settings | {rates} | worst signal |", "|---|---|" + "--:|" * len(RATES_HZ) + "---|"]
    worst_of_all = -200.0
    for effect, cases in CASES.items():
        for settings in cases:
            cells, worst = [], (-201.0, "")
            for rate_hz in RATES_HZ:
                found = []
                for name, make in SIGNALS.items():
                    samples = make(rate_hz)
                    reference = theirs(effect, settings, samples, rate_hz)
                    mine = ours(effect, settings, samples, rate_hz)
                    found.append((residual_db(mine, reference), name))
                cells.append(f"{max(found)[0]:.1f}")
                worst = max(worst, *found)
            worst_of_all = max(worst_of_all, worst[0])
            lines.append(f"| {effect} | {describe(settings)} | {' | '.join(cells)} | {worst[1]} |")
            print(lines[-1], file=sys.stderr)
    return lines, worst_of_all


def image_table() -> list[str]:
    """Spectrum and stereo image of chorus and reverb on the music at 48 kHz."""
    lines = [
        "| effect | settings | largest difference of a third-octave band (dB) | balance, ours / reference (dB) | correlation, ours / reference |",
        "|---|---|--:|--:|--:|",
    ]
    rate_hz = 48_000
    samples = SIGNALS["music"](rate_hz)
    for effect in ("chorus", "reverb"):
        for settings in CASES[effect]:
            mine, reference = ours(effect, settings, samples, rate_hz), theirs(effect, settings, samples, rate_hz)
            spectrum = np.max(np.abs(spectrum_db(mine, rate_hz) - spectrum_db(reference, rate_hz)))
            (balance, correlation), (balance_there, correlation_there) = image(mine), image(reference)
            lines.append(
                f"| {effect} | {describe(settings)} | {spectrum:.4f} | {balance:.3f} / {balance_there:.3f}"
                f" | {correlation:.4f} / {correlation_there:.4f} |"
            )
    return lines


def decay_table() -> list[str]:
    """Reverberation times of the reverb at 48 kHz."""
    bands = " | ".join(f"{hz} Hz" for hz in BANDS_HZ)
    lines = [f"| settings of the reverb | {bands} |", "|---|" + "--:|" * len(BANDS_HZ)]
    rate_hz = 48_000
    click = np.zeros((2, 12 * rate_hz))
    click[:, 0] = 1
    for settings in DECAY_CASES:
        wet = {**settings, "dry_level": 0}
        mine, reference = ours("reverb", wet, click, rate_hz), theirs("reverb", wet, click, rate_hz)
        cells = [f"{decay_s(mine, rate_hz, hz):.3f} / {decay_s(reference, rate_hz, hz):.3f}" for hz in BANDS_HZ]
        lines.append(f"| {describe(wet)} | {' | '.join(cells)} |")
    return lines


def report() -> tuple[str, float]:
    residuals, worst = residual_table()
    today = datetime.date.today().isoformat()
    parts = [
        f"Measured on {today} with pedalboard {pedalboard.__version__}, numpy {np.__version__},"
        f" Python {platform.python_version()}, our effects natively on {platform.machine()}."
        f" Worst residual of all: {worst:.1f} dB.",
        "Residual in decibels relative to the reference's output, the worst of four stereo signals"
        " (speech-like, sweep, steps, music-like; 2.5 s each); -200 is no difference at all:",
        "\n".join(residuals),
        "Spectrum and stereo image, music-like signal at 48 kHz:",
        "\n".join(image_table()),
        "Reverberation time in seconds, ours / reference:",
        "\n".join(decay_table()),
    ]
    return "\n\n".join(parts) + "\n", worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", type=Path, metavar="PAGE")
    page = parser.parse_args().write
    subprocess.run(["cargo", "build", "--quiet", "-p", "vocalhost-compare"], cwd=REPOSITORY, check=True)
    text, worst = report()
    if page:
        before, rest = page.read_text().split(BEGIN)
        page.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}")
    else:
        print(text)
    return int(worst > LIMIT_DB)


if __name__ == "__main__":
    sys.exit(main())
