"""Makes a voice's demo recording: a sentence said by another speaker, converted by the reference implementation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import reference
import soundfile
import speech

TEXT = (
    "Every morning the lighthouse keeper watches the small boats leave, "
    "and every evening they come home with silver fish."
)
PEAK = 0.8
STRENGTH = 0.5
VOLUME_MIX = 1.0


def make(models: Path, voice: dict, figures: dict, speaker_f0_hz: dict[str, float], path: Path) -> None:
    """Writes `path` (mp3, 16 kHz, mono): the speaker's pitch is moved to the voice's by whole semitones."""
    speaker = voice["demo_speaker"]
    shift = round(12.0 * np.log2(figures[voice["id"]]["mean_f0_hz"] / speaker_f0_hz[speaker]))
    parameters = reference.Parameters(STRENGTH, VOLUME_MIX, float(shift))
    said = np.pad(speech.flite(TEXT, speaker), 1600)
    wave = reference.VoiceConverter(models, voice["id"]).convert(said, parameters)
    wave *= PEAK / np.abs(wave).max()
    soundfile.write(path, wave, reference.SAMPLE_RATE_HZ, format="MP3", bitrate_mode="CONSTANT", compression_level=0.6)
    print(
        f"{voice['id']}: demo of {len(wave) / reference.SAMPLE_RATE_HZ:.1f} s, {speaker} moved by {shift:+d} semitones",
        flush=True,
    )


def speakers_f0_hz(voices: list[dict], figures: dict) -> dict[str, float]:
    """The mean pitch of each flite voice that has a package of its own."""
    return {voice["sources"][0]: figures[voice["id"]]["mean_f0_hz"] for voice in voices if len(voice["sources"]) == 1}
