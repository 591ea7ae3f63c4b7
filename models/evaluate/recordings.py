"""Which persons are measured, where their recordings lie, and what they say.

Every text was written down from the package's own list of texts where it has one. Prompts with numbers are left out: a recogniser
writes them in too many ways.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Found = list[tuple[Path, str]]


@dataclass(frozen=True)
class Person:
    """One speaker."""

    name: str
    package: str
    recordings: Callable[[Path], Found]
    """The files below the unpacked package, each with its words, in the order in which they are joined."""


PROMPTS = {
    "agent-pass": "please enter your password followed by the pound key",
    "agent-newlocation": "please enter a new extension followed by pound",
    "auth-incorrect": "password incorrect please enter your password followed by the pound key",
    "cannot-complete-as-dialed": "your call cannot be completed as dialed",
    "check-number-dial-again": "please check the number and dial again",
    "conf-onlyone": "there is currently one other participant in the conference",
    "conf-placeintoconf": "you will now be placed into the conference",
    "conf-waitforleader": "the conference will begin when the leader arrives",
    "demo-echotest": "you are about to enter an echo test in this mode everything you say will be repeated back to you just as "
    "soon as it is received the purpose of this test is to give you an audible sense of the latency between you and the machine "
    "that is running the echo test application you may end the test by hanging up or by pressing the pound key",
    "demo-abouttotry": "i am about to attempt an inter asterisk exchange connection to a demonstration server located at digium in "
    "order for this to work you must already be connected to the internet please wait a moment while i attempt to make the "
    "connection",
    "tt-allbusy": "all representatives of the household are currently assisting other telemarketers please hold and your call "
    "will be answered in the order it was received",
    "tt-monkeysintro": "they have been carried away by monkeys",
    "tt-weasels": "weasels have eaten our phone system",
    "vm-invalid-password": "that password does not meet the minimum requirements for this mailbox please try again",
    "vm-mismatch": "the passwords you entered and re entered did not match please try again",
    "vm-nobodyavail": "nobody is available to take your call at the moment",
    "queue-youarenext": "your call is now first in line and will be answered by the next available representative",
    "privacy-unident": "the party you are trying to reach does not accept unidentified calls",
    "ss-noservice": "the number you have dialed is not in service please check the number and try again",
}


def prompts(root: Path) -> Found:
    """Asterisk's prompts, 8 kHz."""
    return [(next(root.glob(f"usr/share/asterisk/sounds/*/{name}.wav")), text) for name, text in PROMPTS.items()]


def _sphinx(root: Path, test: str) -> Path:
    return root / "usr/share/pocketsphinx/test/data" / test


def reading(root: Path) -> Found:
    """A chapter of Sense and Sensibility, read for LibriVox, 16 kHz."""
    return _transcribed(_sphinx(root, "librivox"), "transcription")


def cards(root: Path) -> Found:
    """Cards called out, 16 kHz."""
    return _transcribed(_sphinx(root, "cards"), "cards.transcription")


def command(root: Path) -> Found:
    """A command to a robot, 16 kHz."""
    return [(_sphinx(root, "goforward.raw"), "go forward ten meters")]


def _transcribed(folder: Path, name: str) -> Found:
    found = []
    for line in (folder / name).read_text().splitlines():
        text, file = line.removesuffix(")").rsplit("(", 1)
        found.append((folder / f"{file}.wav", text.replace("<s>", "").replace("</s>", "").strip()))
    return found


def channels(root: Path) -> Found:
    """The loudspeakers' names, 48 kHz."""
    files = sorted((root / "usr/share/sounds/alsa").glob("*_*.wav"))
    return [(file, file.stem.replace("_", " ").lower()) for file in files]


SPELLED = {
    "fallingstar": "falling star", "palmtree": "palm tree", "broccolli": "broccoli", "sphynx": "sphinx",
    "mountaingoat": "mountain goat", "wildboar": "wild boar", "tucan": "toucan",
}  # fmt: skip
"""What is said in files whose names are not spelled so."""
UNREAD = ("ufo", "nandou", "quetzal", "xanthia", "zebu", "wapiti")
"""Names that a recogniser writes in too many ways, or does not know."""


def _named(files: list[Path], name_of: Callable[[Path], str]) -> Found:
    said = [(file, name_of(file)) for file in sorted(files)]
    return [(file, SPELLED.get(name, name)) for file, name in said if name not in UNREAD]


def stamps(root: Path) -> Found:
    """The animals on Tux Paint's stamps, 44.1 and 48 kHz; the files are called what they say."""
    files = list((root / "usr/share/tuxpaint/stamps").rglob("*_desc.ogg"))
    return _named(files, lambda file: file.name.removesuffix("_desc.ogg"))


def toys(root: Path) -> Found:
    """Things to stick onto KTuberling's pictures, by another speaker; the files are called what they say."""
    files = list((root / "usr/share/ktuberling/sounds/en").glob("*.ogg"))
    return _named(files, lambda file: file.stem.rsplit("_", 1)[-1])


PERSONS = (
    Person("prompts", "asterisk-core-sounds-en-wav", prompts),
    Person("reading", "pocketsphinx-testdata", reading),
    Person("cards", "pocketsphinx-testdata", cards),
    Person("command", "pocketsphinx-testdata", command),
    Person("channels", "alsa-utils", channels),
    Person("stamps", "tuxpaint-stamps-default", stamps),
    Person("toys", "ktuberling-data", toys),
)
