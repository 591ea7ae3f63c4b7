"""Renders the parts of a song with soundfonts, GUS patches or our own synthesiser, and keeps engines apart: those of
the test are never trained on.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile

from . import synth
from .compose import Part, Song
from .midi import Track
from .store import RATE

# Debian packages: fluid-soundfont-gm, fluid-soundfont-gs, timgm6mb-soundfont, musescore-general-soundfont,
# opl3-soundfont, avldrums.lv2-soundfont; of the test: csound-soundfont, timidity with freepats.
SF2 = Path("/usr/share/sounds/sf2")
SF3 = Path("/usr/share/sounds/sf3")
SOUNDFONTS = {
    "fluid": SF2 / "FluidR3_GM.sf2",
    "timgm": SF2 / "TimGM6mb.sf2",
    "musescore": SF3 / "MuseScore_General.sf3",
    "opl3": SF2 / "OPL-3_FM_128M.sf2",
    "pearl": SF2 / "Black_Pearl_4_LV2.sf2",
    "zeppelin": SF2 / "Red_Zeppelin_4_LV2.sf2",
    "csound": SF2 / "sf_GMbank.sf2",
}
TRAIN = ("fluid", "fluid", "fluid", "fluid", "musescore", "musescore", "timgm", "timgm", "own", "own", "opl3")
TRAIN_DRUMS = (*TRAIN, "pearl", "zeppelin", "own")
TEST = ("csound", "timidity")


def choose(stem: str, style: str, split: str, rng: random.Random) -> str:
    """An engine for a stem."""
    if split == "test":
        return rng.choice(TEST)
    if style == "chip":
        return rng.choice(("opl3", "own"))
    if style == "electro" and rng.random() < 0.5:
        return "own"
    return rng.choice(TRAIN_DRUMS if stem == "drums" and style != "latin" else TRAIN)


def render(engine: str, parts: list[Part], song: Song, rng: random.Random, noise: np.random.Generator) -> np.ndarray:
    """[frames, 2] f32."""
    if not any(part.notes for part in parts):
        return np.zeros((int(song.seconds * RATE), 2), np.float32)
    if engine == "own":
        return synth.render(parts, song, rng, noise)
    track = _track(parts, kit_is_only_one=engine in ("pearl", "zeppelin"))
    with tempfile.TemporaryDirectory() as folder:
        notes, wave = Path(folder, "notes.mid"), Path(folder, "notes.wav")
        notes.write_bytes(track.file(song.bpm))
        if engine == "timidity":
            command = ["timidity", "-Ow", "-s", str(RATE), "-o", wave, notes]
        else:
            wet = str(int(rng.random() < 0.4))
            command = ["fluidsynth", "-ni", "-q", "-r", str(RATE), "-g", "0.5", "-R", wet, "-C", wet]
            command += ["-o", "synth.dynamic-sample-loading=1", "-F", wave, SOUNDFONTS[engine], notes]
        subprocess.run(command, check=True, capture_output=True)
        sound, _ = soundfile.read(wave, dtype="float32", always_2d=True)
    out = np.zeros((int(song.seconds * RATE), 2), np.float32)
    out[: len(sound)] = sound[: len(out)]
    return out


def _track(parts: list[Part], kit_is_only_one: bool) -> Track:
    track = Track()
    free = [channel for channel in range(16) if channel != 9]
    for part in parts:
        if part.stem == "drums":
            channel = 9
            track.program(9, 0 if kit_is_only_one else part.program, part.volume, 64)
        else:
            channel = free.pop(0)
            track.program(channel, part.program, part.volume, part.pan)
        for note in part.notes:
            track.note(channel, *note)
        for control in part.controls:
            track.control(channel, *control)
        for bend in part.bends:
            track.bend(channel, *bend)
    return track
