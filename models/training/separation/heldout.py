"""The held-out material: mixes of songs by other engines with other singers, voices with harmonies and rooms, and, where
they are installed, recordings of a person over recorded music. All of it is measured on only.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import fft

from . import backing, effects, mixing, seeds
from .store import RATE, Sound, sounds

SECONDS = 20
# Recordings of people in Debian packages: alsa-utils, asterisk-core-sounds-*-g722 (16 kHz), ktuberling-data (a children's game in
# many languages). Files smaller than the number of bytes are left out.
_ASTERISK = "/usr/share/asterisk/sounds"
_KTUBERLING = "/usr/share/ktuberling/sounds"
PERSONS = (
    ("/usr/share/sounds/alsa", "[FRS]*.wav", 0),
    (f"{_ASTERISK}/en_US_f_Allison", "*.g722", 15000),
    (f"{_KTUBERLING}/da", "*.ogg", 0),
    (f"{_ASTERISK}/it_IT_m_Carlo", "*.g722", 15000),
    (f"{_KTUBERLING}/de", "*.ogg", 0),
    (f"{_KTUBERLING}/lt", "*.ogg", 0),
    (f"{_ASTERISK}/fr_CA_f_June", "*.g722", 15000),
    (f"{_KTUBERLING}/ru", "*.ogg", 0),
    (f"{_KTUBERLING}/sl", "*.ogg", 0),
    (f"{_KTUBERLING}/uk", "*.ogg", 0),
)
# Games with music: extremetuxracer-data, lincity-ng-data, neverball-data, singularity-music, warzone2100-music, asc-music.
MUSIC = (
    "/usr/share/games/etr/music/race1-jt.ogg",
    "/usr/share/games/etr/music/start1-jt.ogg",
    "/usr/share/games/etr/music/calmrace-ks.ogg",
    "/usr/share/games/etr/music/spunkyrace-ks.ogg",
    "/usr/share/games/etr/music/freezingpoint.ogg",
    "/usr/share/games/etr/music/options1-jt.ogg",
    "/usr/share/games/lincity-ng/music/default/01 - pronobozo - lincity.ogg",
    "/usr/share/games/lincity-ng/music/default/02 - Robert van Herk - City Blues.ogg",
    "/usr/share/games/lincity-ng/music/default/03 - Robert van Herk - Architectural Contemplations.ogg",
    "/usr/share/games/neverball/bgm/track2.ogg",
    "/usr/share/games/neverball/bgm/track4.ogg",
    "/usr/share/games/neverball/bgm/track5.ogg",
    "/usr/share/games/neverball/bgm/track6.ogg",
    "/usr/share/games/singularity/music/Nebula.ogg",
    "/usr/share/games/singularity/music/Coherence.ogg",
    "/usr/share/games/singularity/music/Media Threat.ogg",
    "/usr/share/games/singularity/music/Orbital Elevator.ogg",
    "/usr/share/games/warzone2100/music/albums/original_soundtrack/track1.opus",
    "/usr/share/games/warzone2100/music/albums/original_soundtrack/track3.opus",
    "/usr/share/games/warzone2100/music/albums/aftermath_soundtrack/track20.opus",
    "/usr/share/games/asc/music/frontiers.mp3",
    "/usr/share/games/asc/music/time_to_strike.mp3",
    "/usr/share/games/asc/music/machine_wars.mp3",
)


def _by_song(folder: Path) -> dict[str, dict[str, list[Sound]]]:
    songs: dict[str, dict[str, list[Sound]]] = {}
    for sound in sounds(folder, "test-"):
        songs.setdefault(sound.song, {}).setdefault(sound.kind, []).append(sound)
    return songs


def _wet(dry: np.ndarray, name: str, db: float) -> np.ndarray:
    """A room's answer, its loudness `db` against the dry sound."""
    rng, noise = seeds.rng("held-out room", name), seeds.array_rng("held-out room", name)
    response = fft.rfft(effects.room(rng, noise, rng.uniform(0.3, 1.4)).T, 2 * mixing.FFT_SIZE * 6, axis=1)
    source = fft.rfft(dry.mean(0, keepdims=True), 2 * mixing.FFT_SIZE * 6, axis=1)
    answer = fft.irfft(source * response, axis=1)[:, : dry.shape[1]].astype(np.float32)
    return answer * (effects.level(dry) / effects.level(answer) * 10 ** (db / 20))


def _sung(kinds: dict[str, list[Sound]], name: str, with_harmony: bool) -> tuple[np.ndarray, np.ndarray]:
    """Dry lead and dry harmonies, [2, samples] each."""
    rng = seeds.rng("held-out voices", name)
    start, count = 6 * RATE, SECONDS * RATE
    lead = mixing.place(kinds["lead"][0].read(start, count), np.pi / 4)
    lead *= 0.1 / mixing.loudness(lead)
    harmony = np.zeros_like(lead)
    if with_harmony:
        side = 1
        for voice in kinds["harmony"]:
            placed = mixing.place(voice.read(start, count), np.pi / 4 + side * rng.uniform(0.3, 0.7))
            if mixing.loudness(placed) > 1e-3:
                harmony += placed * (0.1 / mixing.loudness(placed) * 10 ** (rng.uniform(-9, -3) / 20))
            side = -side
    return lead, harmony


def known_engines(name: str) -> bool:
    """Whether a song of the test was played by engines of training."""
    return int(name.split("-")[1]) >= backing.KNOWN_ENGINES_FROM


def mixes(folder: Path) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """(name, stems [2, samples]): every fourth song spoken over, the others sung, half of these with harmonies."""
    songs = _by_song(folder)
    talks = [kinds["speech"][0] for kinds in songs.values() if "speech" in kinds]
    complete = [(name, kinds) for name, kinds in songs.items() if "other" in kinds and "lead" in kinds]
    for number, (name, kinds) in enumerate(sorted(complete, key=lambda one: int(one[0].split("-")[1]))):
        rng = seeds.rng("held-out mix", name)
        if number % 4 == 3:
            voice = mixing.place(talks[number // 4 % len(talks)].read(0, SECONDS * RATE), np.pi / 4)
            vocals = voice * (0.1 / mixing.loudness(voice))
        else:
            lead, harmony = _sung(kinds, name, number % 2 == 0)
            vocals = lead + harmony
        if rng.random() < 0.8:
            vocals = vocals + _wet(vocals, name, rng.uniform(-18, -8))
        stems = {"vocals": vocals}
        level = effects.level(vocals)
        for stem, low, high in (("drums", -6, 5), ("bass", -7, 3), ("other", -6, 4)):
            db = rng.uniform(low, high)
            if stem in kinds:
                sound = kinds[stem][0].read(6 * RATE, SECONDS * RATE)
                if effects.level(sound) > 1e-3:
                    stems[stem] = sound * (level / effects.level(sound) * 10 ** (db / 20))
        peak = np.abs(sum(stems.values())).max()
        yield name, {stem: sound * np.float32(0.9 / peak) for stem, sound in stems.items()}


def vocal_files(folder: Path) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """(name, {lead, harmony, reverb}): two of three with harmonies, three of four wet."""
    songs = {name: kinds for name, kinds in _by_song(folder).items() if "lead" in kinds}
    for number, (name, kinds) in enumerate(sorted(songs.items(), key=lambda one: int(one[0].split("-")[1]))):
        rng = seeds.rng("held-out vocals", name)
        lead, harmony = _sung(kinds, name, number % 3 != 2)
        reverb = np.zeros_like(lead)
        if number % 4 != 3:
            reverb = _wet(lead + harmony, name + "vocals", rng.uniform(-16, -3))
        peak = np.abs(lead + harmony + reverb).max()
        yield name, {"lead": lead * 0.8 / peak, "harmony": harmony * 0.8 / peak, "reverb": reverb * 0.8 / peak}


def recordings() -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """(name, {vocals, music}): a person's clips one after another, 6 to 0 dB below the music, every other time in a room.
    Persons take turns over the pieces of music."""
    persons = _persons()
    pieces_of_music = [Path(name) for name in MUSIC if Path(name).exists()]
    for number, piece in enumerate(pieces_of_music if persons else []):
        person = persons[number % len(persons)]
        voice = _said(person, number, 12)
        if number % 2:
            voice = voice + _wet(voice, piece.name, -12)
        music = _decode(piece, 8, 12)[:, : voice.shape[1]]
        voice = voice[:, : music.shape[1]]
        db = (-6, -4, -2, 0)[number % 4]
        voice = voice * (mixing.loudness(music) / mixing.loudness(voice) * 10 ** (db / 20))
        peak = np.abs(voice + music).max()
        name = f"{Path(person[0]).name} over {piece.stem}"
        yield name, {"vocals": voice * np.float32(0.9 / peak), "music": music * np.float32(0.9 / peak)}


def persons_in_rooms() -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """(name, {lead, reverb}): each person's clips one after another in a room that is loud, and in one that is not."""
    for number, person in enumerate(_persons()):
        voice = _said(person, number, SECONDS)
        for db in (-4, -12):
            name = f"{Path(person[0]).name}, room {db} dB"
            yield name, {"lead": voice, "reverb": _wet(voice, name, db)}


def _persons() -> list[tuple[str, str, int]]:
    return [person for person in PERSONS if Path(person[0]).is_dir()]


def _said(person: tuple[str, str, int], turn: int, seconds: int) -> np.ndarray:
    """[2, samples], alike on both sides: some of a person's clips, each said twice, others every turn."""
    folder, pattern, smallest = person
    clips = [clip for clip in sorted(Path(folder).glob(pattern)) if clip.stat().st_size >= smallest]
    clips = clips[turn % 3 :: max(1, len(clips) // 14)]
    pieces = []
    while sum(map(len, pieces)) < seconds * RATE:
        clip = _decode(clips[len(pieces) // 2 % len(clips)])[0]
        pieces += [clip * (0.1 / max(1e-3, effects.level(clip))), np.zeros(RATE // 4)]
    mono = np.concatenate(pieces)[: seconds * RATE].astype(np.float32)
    return np.stack([mono, mono])


def _decode(file: Path, start: float = 0, seconds: float = 60) -> np.ndarray:
    """[2, samples] at 44.1 kHz."""
    command = ["ffmpeg", "-v", "error", "-ss", str(start), "-t", str(seconds), "-i", str(file), "-f", "f32le", "-ac", "2",
               "-ar", str(RATE), "-"]  # fmt: skip
    raw = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(raw, "<f4").reshape(-1, 2).T.copy()
