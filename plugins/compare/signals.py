"""The sounds of the comparison: stereo, 2.5 s, the same at every run."""

import numpy as np

SECONDS = 2.5


def speech_like(rate_hz: int) -> np.ndarray:
    """Bursts of voiced and unvoiced sound with pauses of faint noise."""
    generator = np.random.default_rng(1)
    time = np.arange(int(SECONDS * rate_hz)) / rate_hz
    pitch = 120 + 30 * np.sin(2 * np.pi * 0.7 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate_hz
    harmonics = range(1, int(min(4_000, rate_hz / 2 - 200) / 150))
    voiced = sum(np.sin(k * phase) / k for k in harmonics)
    noise = generator.standard_normal(len(time))
    syllable = np.clip(np.sin(2 * np.pi * 2.2 * time), 0, 1) ** 0.5
    hiss = np.clip(np.sin(2 * np.pi * 2.2 * time + 2.5), 0, 1) ** 4
    left = 0.2 * syllable * voiced + 0.15 * hiss * noise + 0.002 * noise
    return np.stack([left, 0.6 * np.roll(left, 7)])


def sweep(rate_hz: int) -> np.ndarray:
    """A logarithmic sweep from 20 Hz to just under half the rate."""
    time = np.arange(int(SECONDS * rate_hz)) / rate_hz
    ratio = np.log(0.48 * rate_hz / 20)
    phase = 2 * np.pi * 20 * SECONDS / ratio * (np.exp(time / SECONDS * ratio) - 1)
    return np.stack([0.5 * np.sin(phase), 0.5 * np.cos(phase)])


def steps(rate_hz: int) -> np.ndarray:
    """A tone whose level jumps between 0 and -60 dB, and a plain step."""
    time = np.arange(int(SECONDS * rate_hz)) / rate_hz
    levels_db = np.array([-60, -20, -40, 0, -30, -6, -50, -10, -60, -3])
    level = 10 ** (levels_db[(time / SECONDS * len(levels_db)).astype(int)] / 20)
    plain = np.where((time > 0.5) & (time < 1.5), 0.5, 0.01)
    return np.stack([level * np.sin(2 * np.pi * 440 * time), plain])


def music_like(rate_hz: int) -> np.ndarray:
    """Chords of fading partials with a click on every beat."""
    generator = np.random.default_rng(2)
    time = np.arange(int(SECONDS * rate_hz)) / rate_hz
    since = time % 0.5
    left, right = np.zeros_like(time), np.zeros_like(time)
    for note_hz in (110.0, 220.0, 277.2, 329.6, 440.0):
        for partial in range(1, 9):
            frequency_hz = note_hz * partial
            if frequency_hz < rate_hz / 2:
                fade = np.exp(-since * (2 + partial))
                left += fade * np.sin(2 * np.pi * frequency_hz * time) / partial
                right += fade * np.sin(2 * np.pi * frequency_hz * 1.002 * time) / partial
    click = np.exp(-since * 80) * generator.standard_normal(len(time))
    return np.stack([0.1 * left + 0.3 * click, 0.1 * right + 0.3 * click])


SIGNALS = {
    "speech": speech_like,
    "sweep": sweep,
    "steps": steps,
    "music": music_like,
}
