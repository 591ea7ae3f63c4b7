"""The records of jobs by the name of their kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ._records import record
from .types import Separation, VoiceBlend, VoiceConversion, VoiceTraining

AnyJob = VoiceConversion | Separation | VoiceBlend | VoiceTraining
"""The record of a job of any kind. `raw["kind"]` says which, where kinds are mixed."""

Kind = Literal["voice-conversion", "vocal-separation", "stem-split", "voice-blend", "voice-training"]

_RECORDS: dict[str, type[AnyJob]] = {
    "voice-conversion": VoiceConversion,
    "vocal-separation": Separation,
    "stem-split": Separation,
    "voice-blend": VoiceBlend,
    "voice-training": VoiceTraining,
}


def any_job(data: Mapping[str, Any]) -> AnyJob | None:
    """The record of a job that says its kind; `None` of other things, and of what is left of a job that was deleted."""
    kind = _RECORDS.get(str(data.get("kind")))
    return record(data, kind) if kind and "createdAt" in data else None
