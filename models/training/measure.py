"""Measures what the manifests and the evaluation need to know of each voice, from its source program's own speech."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import reference
import speech
import words

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "evaluate"))
import metrics  # noqa: E402
import tracking  # noqa: E402

SENTENCES = 40
SEED = 77
"""Other sentences than those behind the indexes."""


def source_figures(voice: str) -> tuple[float, np.ndarray]:
    """The geometric mean fundamental in Hz and the long-term spectrum in dB of a flite voice."""
    said = [speech.flite(text, voice) for text in words.sentences(SEED, SENTENCES)]
    f0_hz = np.concatenate([tracking.f0_of(samples, speech.FLITE_RATE_HZ) for samples in said])
    spectrum = metrics.long_term_spectrum_db(np.concatenate(said), speech.FLITE_RATE_HZ)
    return float(np.exp(np.log(f0_hz[f0_hz > 0]).mean())), spectrum


def speaking_level(models: Path, voice: dict) -> float:
    """RMS over the sounding parts of what the decoder makes of its own voice's speech, nothing rescaled."""
    converter = reference.VoiceConverter(models, voice["id"])
    level = []
    for text in words.sentences(SEED, SENTENCES)[:10]:
        for source in voice["sources"]:
            wave = converter.render(speech.flite(text, source), reference.Parameters(conversion_strength=0.0))
            level.append(reference.sounding_rms(wave))
    return float(np.sqrt(np.mean(np.square(level))))
