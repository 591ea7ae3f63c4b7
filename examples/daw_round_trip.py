"""A song through your workstation: stems out, one of them converted, all of them mixed again.

    python daw_round_trip.py out song.wav project/             # vocals.wav, drums.wav, bass.wav, other.wav
    python daw_round_trip.py convert project/vocals.wav 1      # the stem in another voice, in its place
    python daw_round_trip.py mix project/ mix.wav              # the sum of all of them

The stems have the song's length and rate, so that they lie under each other in any workstation. Between the steps do with them what
you like, as long as they are saved as WAV with 24 bits.
"""

import operator
import sys
import wave
from array import array
from pathlib import Path

from vocalhost import Client

STEPS = 1 << 31


def out(song: str, project: str) -> None:
    """Takes a song apart."""
    Path(project).mkdir(parents=True, exist_ok=True)
    with Client() as client:
        job = client.splits.create(song, stems=["vocals", "drums", "bass", "other"], output_format="wav24")
        for stem in client.splits.wait(job).stem_file_urls:
            print(client.download(stem.url, Path(project) / f"{stem.instrument}.wav"))


def convert(stem: str, voice: str) -> None:
    """Puts a stem in another voice in its own place; the original stays beside it under another name."""
    path = Path(stem)
    with Client() as client:
        job = client.conversions.create(path, int(voice), output_format="wav24")
        job = client.conversions.wait(job)
        assert job.output_file_url
        # Only when there is something to put in its place.
        converted = client.download(job.output_file_url, path.with_suffix(".converted"))
    path.rename(path.with_suffix(".original"))
    converted.rename(path)
    print(path)


def mix(project: str, result: str) -> None:
    """Adds up all stems; the sum is made softer when it would clip."""
    stems = [read(path) for path in sorted(Path(project).glob("*.wav"))]
    rates = {rate for rate, _, _ in stems}
    if len(rates) != 1:
        sys.exit(f"{project}: the stems must have one rate, not {sorted(rates)}")
    channels = max(count for _, count, _ in stems)
    sounds = [spread(samples, count, channels) for _, count, samples in stems]
    total = [0] * max(map(len, sounds))
    for samples in sounds:
        total[: len(samples)] = map(operator.add, total, samples)
    peak = max(map(abs, total), default=0)
    if peak >= STEPS:
        total = [sample * (STEPS - 256) // peak for sample in total]
    write(Path(result), rates.pop(), channels, array("i", total))
    print(result)


def read(path: Path) -> tuple[int, int, "array[int]"]:
    """Rate, channels, and samples as whole numbers of 32 bits."""
    with wave.open(str(path)) as file:
        if file.getsampwidth() != 3:
            sys.exit(f"{path}: has {8 * file.getsampwidth()} bits, not 24")
        data = file.readframes(file.getnframes())
        wide = bytearray(len(data) // 3 * 4)
        for place in range(3):
            wide[place + 1 :: 4] = data[place::3]
        return file.getframerate(), file.getnchannels(), native(array("i", bytes(wide)))


def write(path: Path, rate: int, channels: int, samples: "array[int]") -> None:
    """The opposite."""
    wide = native(samples).tobytes()
    data = bytearray(len(wide) // 4 * 3)
    for place in range(3):
        data[place::3] = wide[place + 1 :: 4]
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 3, rate, 0, "NONE", ""))
        file.writeframes(data)


def native(samples: "array[int]") -> "array[int]":
    """WAV files have the lowest byte first."""
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def spread(samples: "array[int]", count: int, channels: int) -> "array[int]":
    """A sound of one channel in all of them."""
    if count == channels:
        return samples
    if count != 1:
        sys.exit(f"a stem has {count} channels, another one {channels}")
    wide = array("i", bytes(len(samples) * channels * 4))
    for channel in range(channels):
        wide[channel::channels] = samples
    return wide


if len(sys.argv) != 4 or sys.argv[1] not in ("out", "convert", "mix"):
    sys.exit(__doc__)
{"out": out, "convert": convert, "mix": mix}[sys.argv[1]](*sys.argv[2:])
