"""The designed voices: whose phones, and how WORLD changes the body. No voice is a speaker as recorded."""

from __future__ import annotations

from dataclasses import dataclass

from .world import Design


@dataclass(frozen=True)
class Voice:
    """One voice of the pack. The place in `VOICES` is its slot in the base decoder."""

    id: str
    name: str
    source: str
    """The flite voice it is designed from."""
    design: Design
    register: str
    character: str
    demo_speaker: str


VOICES = (
    Voice("vocalhost.amber-5", "Amber", "slt", Design(0.94, 0.94, -1.0, 0.0, 3.0), "alto", "warm", "rms"),
    Voice("vocalhost.linnet-4", "Linnet", "slt", Design(1.13, 1.25, 2.0, -0.03, 2.5), "soprano", "bright", "awb"),
    Voice("vocalhost.oak-5", "Oak", "rms", Design(0.97, 1.02, -1.0, 0.0, 3.0), "baritone", "full", "slt"),
    Voice("vocalhost.slate-5", "Slate", "awb", Design(1.05, 1.06, 1.0, 0.0, 2.5), "tenor", "light", "slt"),
    Voice("vocalhost.flint-5", "Flint", "rms", Design(0.92, 0.85, -3.5, 0.0, 3.5), "bass", "dry", "awb"),
    Voice("vocalhost.mistral-5", "Mistral", "rms", Design(1.13, 1.4, 0.0, 0.12, 2.5), "countertenor", "soft", "awb"),
    Voice("vocalhost.wren-4", "Wren", "awb", Design(1.22, 1.75, -1.0, 0.05, 2.5), "mezzo-soprano", "clear", "slt"),
)
SLOTS = len(VOICES)
MEDIAN_HZ = {"slt": 175.0, "rms": 100.0, "awb": 127.0, "kal16": 95.0}
"""Of the flite voices, roughly; the packages' own figures are measured."""
