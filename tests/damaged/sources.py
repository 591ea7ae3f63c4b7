"""Whole recordings in every format and coding that the host takes, made by FFmpeg's encoders (through PyAV) and libsndfile."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

import av
import numpy as np
import soundfile

SECONDS = 1.2
CLUSTERS = {"cluster_time_limit": "200"}
"""Clusters as short against the recording as those of browsers, which last seconds, are against theirs."""

LAYOUTS = {1: "mono", 2: "stereo", 6: "5.1"}


@dataclass(frozen=True)
class Recording:
    """A file that is whole."""

    name: str
    data: bytes


class Pipe(io.RawIOBase):
    """A target that cannot be gone back in, as when a recorder streams."""

    def __init__(self) -> None:
        super().__init__()
        self.held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:  # noqa: ANN001
        self.held += data
        return len(data)

    def getvalue(self) -> bytes:
        """What was written."""
        return bytes(self.held)


def voice(rate: int, channels: int, seconds: float = SECONDS) -> np.ndarray:
    """A gliding tone with harmonics over noise, which has no stretch of digital silence; a row for each channel."""
    t = np.arange(int(rate * seconds)) / rate
    phase = 2 * np.pi * np.cumsum(150 + 60 * np.sin(2 * np.pi * 0.7 * t)) / rate
    tone = sum(np.sin(k * phase) / k for k in range(1, 9))
    noise = np.random.default_rng(rate + channels).normal(0, 0.03, (channels, len(t)))
    return (0.2 * tone + noise).astype(np.float32)


def coded(codec: str, container: str, rate: int, channels: int, seconds: float = SECONDS, **settings) -> bytes:  # noqa: ANN003
    """Encoded and put into a container. `settings`: bits per second (`bits`), the format of samples (`samples`), whether the target
    streams (`streams`), options of the codec (`codec_options`) and of the container (`options`)."""
    target = Pipe() if settings.get("streams") else io.BytesIO()
    container_options = {"fflags": "+bitexact", **settings.get("options", {})}
    with av.open(target, "w", format=container, options=container_options) as file:
        for key, text in settings.get("tags", {}).items():
            file.metadata[key] = text
        stream = file.add_stream(codec, rate=rate, options=settings.get("codec_options", {}))
        stream.layout = LAYOUTS[channels]
        if "bits" in settings:
            stream.bit_rate = settings["bits"]
        if "samples" in settings:
            stream.format = settings["samples"]
        frame = av.AudioFrame.from_ndarray(voice(rate, channels, seconds), format="fltp", layout=LAYOUTS[channels])
        frame.rate = rate
        stream.codec_context.open()
        resampler = av.AudioResampler(stream.format.name, LAYOUTS[channels], rate, frame_size=stream.frame_size or 1_024)
        for piece in [*resampler.resample(frame), *resampler.resample(None)]:
            file.mux(stream.encode(piece))
        file.mux(stream.encode(None))
    return target.getvalue()


def in_webm(rate: int, channels: int) -> bytes:
    """Vorbis by libvorbis, which FFmpeg's package lacks, taken out of Ogg."""
    ogg = io.BytesIO()
    soundfile.write(ogg, voice(rate, channels).T, rate, format="OGG", subtype="VORBIS")
    ogg.seek(0)
    target = io.BytesIO()
    with av.open(ogg) as source, av.open(target, "w", format="webm", options={"fflags": "+bitexact", **CLUSTERS}) as file:
        stream = file.add_stream_from_template(source.streams.audio[0])
        for packet in source.demux(source.streams.audio[0]):
            if packet.size:
                packet.stream = stream
                file.mux(packet)
    return target.getvalue()


MAKERS: dict[str, Callable[[], bytes]] = {
    "wav-u8": lambda: coded("pcm_u8", "wav", 22_050, 1),
    "wav-16": lambda: coded("pcm_s16le", "wav", 44_100, 2),
    "wav-16-streamed": lambda: coded("pcm_s16le", "wav", 16_000, 1, streams=True),
    "wav-24-six-channels": lambda: coded("pcm_s24le", "wav", 8_000, 6),
    "wav-32": lambda: coded("pcm_s32le", "wav", 32_000, 1),
    "wav-float": lambda: coded("pcm_f32le", "wav", 48_000, 2, 0.8),
    "wav-double": lambda: coded("pcm_f64le", "wav", 11_025, 1),
    "wav-rf64": lambda: coded("pcm_s16le", "wav", 24_000, 2, options={"rf64": "always"}),
    "wav-a-law": lambda: coded("pcm_alaw", "wav", 8_000, 1),
    "wav-mu-law": lambda: coded("pcm_mulaw", "wav", 8_000, 2),
    "wav-ima": lambda: coded("adpcm_ima_wav", "wav", 22_050, 2),
    "wav-ms": lambda: coded("adpcm_ms", "wav", 16_000, 1),
    "mp3-128": lambda: coded("libmp3lame", "mp3", 44_100, 2, bits=128_000, tags={"title": "A song"}),
    "mp3-vbr": lambda: coded("libmp3lame", "mp3", 44_100, 2, bits=0, codec_options={"flags": "+qscale", "global_quality": "472"}),
    "mp3-320": lambda: coded("libmp3lame", "mp3", 48_000, 2, bits=320_000),
    "mp3-no-tag": lambda: coded("libmp3lame", "mp3", 32_000, 1, bits=64_000, options={"write_xing": "0", "id3v2_version": "0"}),
    "mp3-mpeg2": lambda: coded("libmp3lame", "mp3", 22_050, 1, bits=48_000),
    "mp3-mpeg2.5": lambda: coded("libmp3lame", "mp3", 8_000, 1, bits=16_000, options={"write_xing": "0"}),
    "flac-16": lambda: coded("flac", "flac", 44_100, 2, samples="s16"),
    "flac-24": lambda: coded("flac", "flac", 48_000, 2, samples="s32", codec_options={"bits_per_raw_sample": "24"}),
    "flac-16-small-blocks": lambda: coded("flac", "flac", 16_000, 1, samples="s16", codec_options={"frame_size": "576"}),
    "flac-streamed": lambda: coded("flac", "flac", 32_000, 1, samples="s16", streams=True),
    "webm-opus": lambda: coded("libopus", "webm", 48_000, 2, bits=96_000, options=CLUSTERS),
    "webm-opus-live": lambda: coded("libopus", "webm", 48_000, 1, bits=48_000, streams=True, options={"live": "1", **CLUSTERS}),
    "webm-opus-60ms": lambda: coded("libopus", "webm", 48_000, 1, bits=24_000, options=CLUSTERS, codec_options={"frame_duration": "60"}),
    "webm-opus-six-channels": lambda: coded("libopus", "webm", 48_000, 6, bits=256_000, options=CLUSTERS),
    "webm-opus-one-cluster": lambda: coded("libopus", "webm", 48_000, 2, bits=64_000),
    "matroska-opus": lambda: coded("libopus", "matroska", 48_000, 2, bits=64_000),
    "webm-vorbis": lambda: in_webm(44_100, 2),
    "webm-vorbis-mono": lambda: in_webm(22_050, 1),
}


def recordings() -> list[Recording]:
    """All of them."""
    return [Recording(name, make()) for name, make in MAKERS.items()]
