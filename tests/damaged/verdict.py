"""What of a damaged file holds, held against the reference.

What the reference plays more than half of has to be taken, with a length that is within a frame or packet of the reference's. The
two do not treat everything alike, so that there are rules, each of which the report counts:

- `times`: the host's sound is as long as the reference's own times span: FFmpeg plays the frames of a stretch that is there twice twice,
  or leaves a hole out, and the host keeps every frame at its place.
- `silent`: FFmpeg leaves a hole out or has heard a part of it, the host puts silence of the same length there: without the silence the
  lengths are equal.
- `kept`: no byte was taken out or put in, and the host's sound is as long as it was before the damage, where FFmpeg's is shorter
  (it left a packet out and its times do not show it) or longer (it took a part of the damage for sound).
- `tag`: of MP3, one of the two has found the encoder's tag, which says how much silence the encoder has added, and the other has not:
  FFmpeg does not look for it behind rubbish. A damaged tag may say more than the encoder has added.
- `seams`: FFmpeg reads PCM in packets that end inside a frame, because the file says a wrong frame size, and drops what is left over of each.
- `more`: the host hears all that FFmpeg plays, and more: in WebM, FFmpeg goes on at the next cluster, the host at the next block;
  in WAV with ADPCM, FFmpeg leaves out what comes with a broken block. What the host hears, the silence left out, resembles the recording,
  or as much of it as of what FFmpeg plays, to one of the blocks that are looked for.
- `broken`: FFmpeg plays packets that are not whole any more, and the host, which has heard as many as are whole, ends before them: at
  the end of a stream that does not say how long it is, nothing tells how long silence would have to be.
- `rubbish`: FFmpeg plays bytes that are broken as noise, because it looks at no checksum, while the host knows them for broken, as
  the decoder of FLAC's own authors does. Less than half of what FFmpeg plays resembles the recording, or less than half of the frames
  of a FLAC stream are whole, and the host refuses it, or hears more of the recording.
- `outside`: the damage has made a file of another kind, rate or number of channels, which the host does not take whole either.
- `short`: what is left are a few packets that can be decoded, too few to tell a stream of MP3 from other bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from damage import Damaged
from players import Played

CONTAINERS = ("wav", "mp3", "flac", "matroska,webm")
CODECS = ("pcm_", "adpcm_ms", "adpcm_ima_wav", "mp3", "flac", "opus", "vorbis")
RATES = range(8_000, 192_001)
CHANNELS = range(1, 9)

FEW_PACKETS = 4

TAG_AT = (13, 21, 36)
"""Where a tag stands in its frame: behind the side information, of MPEG-2 in mono, of either in between, of MPEG-1 in stereo."""

GAPLESS_AT = 141
"""Where delay and padding stand in a tag that has all its fields."""

DECODER_DELAY = 529
"""Frames by which every decoder of MP3 comes late."""

BLOCK_FRAMES = 1_024
"""What is looked for in the recording at a time."""

MOST_BLOCKS = 24
"""How many blocks of a sound are looked for."""

WITH_SOUND = 0.9
"""The share of a block that must not be silence."""

LIKE = 0.8
"""The correlation from which a block is of the recording."""

MOSTLY = 0.75
"""The share of blocks that have to be of it: those on the seams are not."""


@dataclass
class Whole:
    """A recording before its damage."""

    played: Played
    """With its sound."""
    bytes: int

    @property
    def added_frames(self) -> int:
        """What the encoder has added and the reference takes away."""
        return max(0, len(self.played.packets) * self.played.packet_frames - self.played.frames)


@dataclass
class Case:
    """A damaged file and how the two play it."""

    file: Damaged
    whole: Whole
    played: Played
    heard: dict
    played_sound: Callable[[], np.ndarray]
    """Plays it once more for the samples."""
    heard_sound: Callable[[], np.ndarray]

    def is_outside(self) -> bool:
        """Whether this is nothing that the host takes."""
        played = self.played
        return (
            played.container not in CONTAINERS
            or not played.codec.startswith(CODECS)
            or played.rate not in RATES
            or played.channels not in CHANNELS
        )

    def held(self) -> float:
        """The share of the recording that the file still has, by bytes; in WAV, whatever fills the place of what was taken out is sound."""
        strange = 0 if self.played.container == "wav" else self.file.strange_bytes
        return min(1.0, max(0, len(self.file.data) - strange) / self.whole.bytes)

    def is_played(self) -> bool:
        """Whether the reference plays more than half of what the file still has."""
        return self.played.frames * 2 > self.whole.played.frames * self.held()

    def is_mostly_broken(self) -> bool:
        """Whether at most half of the recording is in whole packets, to a packet: the last one is shorter. What was taken out in front of
        a whole packet is lost, too: it is silence."""
        packets = self.whole.played.packets
        whole = [index for index, packet in enumerate(packets) if packet in self.file.data]
        reach = max([self.held() * len(packets), *(index + 1 for index in whole[-1:])])
        return (len(whole) - 1) * 2 <= reach

    def whole_packets(self) -> int:
        """How many of the recording's packets the damage has left as they were."""
        return sum(packet in self.file.data for packet in self.whole.played.packets)

    def tolerance(self) -> int:
        """A frame of PCM, a packet of everything else."""
        pcm = self.played.codec.startswith("pcm_")
        return 1 if pcm else max(self.whole.played.packet_frames, self.played.packet_frames)

    def added_frames(self) -> int:
        """What the encoder of an MP3 has added, or its tag says that it has: a delay and a padding of 12 bits each (LAME's tag)."""
        if not self.played.codec.startswith("mp3"):
            return 0
        data = bytes(self.file.data)
        for found in re.finditer(b"Info|Xing", data):
            at = found.start()
            if any(at >= side and data[at - side] == 0xFF and data[at - side + 1] >= 0xE0 for side in TAG_AT):
                pads = int.from_bytes(data[at + GAPLESS_AT : at + GAPLESS_AT + 3])
                stated = (pads >> 12) + max(DECODER_DELAY, pads & 0xFFF)
                return max(self.whole.added_frames, stated if pads else 0)
        return self.whole.added_frames

    def seam_frames(self) -> int:
        """Frames of PCM that the reference has dropped at the ends of packets."""
        bits = re.search(r"\d+", self.played.codec)
        frame_bytes = self.played.channels * (int(bits[0]) // 8 if bits else 1)
        return sum(map(len, self.played.packets)) // frame_bytes - self.played.frames

    def compare(self) -> str:
        """How the lengths of a file that both play agree; `length` when they do not."""
        heard, played, near = self.heard, self.played, self.tolerance()
        scale = played.rate / heard["rate"]
        frames, sound = heard["frames"] * scale, (heard["frames"] - heard["silent"]) * scale
        if abs(frames - played.frames) <= near:
            return "equal"
        if abs(frames - played.span_frames) <= near:
            return "times"
        whole = self.whole.played.frames
        most = 1.25 * max(whole, whole * len(self.file.data) / self.whole.bytes) + 2 * near
        # The reference may have heard a part of what is silent, and have left out whole packets of which the host has heard a part.
        heard_part = sound - near * (1 + played.errors) <= played.frames <= frames + near
        is_damaged = any(finding["kind"] == "damaged" for finding in heard["findings"])
        if is_damaged and frames <= most and heard_part:
            return "silent"
        if not self.file.moved and abs(frames - whole) <= near:
            return "kept"
        if played.codec.startswith("pcm_") and abs(frames - played.frames - self.seam_frames()) <= near:
            return "seams"
        added = self.added_frames()
        if added and sound - near - added <= played.frames <= frames + near + added:
            return "tag"
        if frames > most:
            return "length"
        packets = self.whole.played.packets
        whole_frames = whole * self.whole_packets() / len(packets)
        if not played.codec.startswith("pcm_") and whole_frames - near <= sound <= frames <= played.frames:
            return "broken"
        # Of both, blocks at the same places.
        step = max(BLOCK_FRAMES, int(max(frames, played.frames)) // MOST_BLOCKS)
        alike, _ = resemblance(self.whole, self.heard_sound(), step)
        theirs, blocks = resemblance(self.whole, self.played_sound(), step)
        # To a block: where the two begin to look decides one.
        hears_no_less = alike * sound >= (theirs - 1 / max(1, blocks)) * played.frames
        if sound >= played.frames - near and (alike > MOSTLY or hears_no_less):
            return "more"
        return "rubbish" if theirs < 0.5 and hears_no_less else "length"


def resemblance(whole: Whole, sound: np.ndarray, step: int | None = None) -> tuple[float, int]:
    """The share of a sound that is of the recording, at whatever place, and of how many blocks, one each `step` frames: those with silence
    are left out."""
    recording = np.concatenate(whole.played.sound)
    size = 1 << (len(recording) + BLOCK_FRAMES).bit_length()
    spectrum = np.fft.rfft(recording, size)
    energy = np.concatenate([[0.0], np.cumsum(recording**2)])
    norms = np.sqrt(np.maximum(energy[BLOCK_FRAMES:] - energy[:-BLOCK_FRAMES], 1e-9))
    like = blocks = 0
    step = step or max(BLOCK_FRAMES, len(sound) // MOST_BLOCKS)
    for at in range(0, len(sound) - BLOCK_FRAMES + 1, step):
        block = np.nan_to_num(sound[at : at + BLOCK_FRAMES].astype(np.float64), nan=1e30)
        norm = np.linalg.norm(block)
        if np.count_nonzero(block) < WITH_SOUND * BLOCK_FRAMES:
            continue
        blocks += 1
        found = np.fft.irfft(spectrum * np.conj(np.fft.rfft(block / norm, size)), size)[: len(norms)]
        like += bool(np.max(found / norms) > LIKE)
    return like / max(1, blocks), blocks


def judge(case: Case) -> str:
    """What came of a file, by name; `FAULTS` are those that must not be."""
    heard, played = case.heard, case.played
    if "crash" in heard:
        return "crash"
    if "error" not in heard and heard["told"] != heard["frames"]:
        return "told"
    if not played.frames or not case.is_played():
        return "unplayed"
    if "error" not in heard:
        return case.compare()
    if case.is_outside():
        return "outside"
    if len(played.packets) - (played.errors if played.codec.startswith("mp3") else 0) <= FEW_PACKETS:
        return "short"
    if played.container == "flac" and case.is_mostly_broken():
        return "rubbish"
    return "refused" if resemblance(case.whole, case.played_sound())[0] > 0.5 else "rubbish"


FAULTS = {
    "crash": "the process ended or did not answer",
    "told": "the first look told another length than there was",
    "refused": "refused, although the reference plays more than half of it",
    "length": "of another length than the reference's",
}

RULES = ["equal", "times", "silent", "kept", "tag", "seams", "more", "broken", "rubbish", "outside", "short", "unplayed"]
