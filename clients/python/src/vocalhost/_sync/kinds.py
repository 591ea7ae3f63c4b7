# Made of `_async` by the generator. Changes belong there.
"""The five kinds of job, and what each is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .._records import record
from .._source import FileInput, several
from ..types import ConsentStatement, Separation, VoiceBlend, VoiceConversion, VoiceTraining
from .jobs import Jobs
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..types import BlendOptions, ConversionOptions, SeparationOptions, SplitOptions, TrainingOptions


class Conversions(Jobs[VoiceConversion]):
    """Recordings in other voices."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "/voice-conversions", VoiceConversion)

    def create(
        self,
        sound_file: FileInput,
        voice_model_id: int,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[ConversionOptions],
    ) -> VoiceConversion:
        """Has a recording converted. The job is in the queue when this returns: `wait` for it."""
        own = {"sound_file": sound_file, "voice_model_id": voice_model_id}
        return self._create({**own, **options}, idempotency_key)


class Separations(Jobs[Separation]):
    """What is sung, apart from the music."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "/vocal-separations", Separation)

    def create(
        self, input_file: FileInput, *, idempotency_key: str | None = None, **options: Unpack[SeparationOptions]
    ) -> Separation:
        """Has vocals and music separated."""
        return self._create({"input_file": input_file, **options}, idempotency_key)


class Splits(Jobs[Separation]):
    """Songs in stems: vocals, drums, bass and the rest."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "/stem-splits", Separation)

    def create(self, input_file: FileInput, *, idempotency_key: str | None = None, **options: Unpack[SplitOptions]) -> Separation:
        """Has a song split."""
        return self._create({"input_file": input_file, **options}, idempotency_key)


class Blends(Jobs[VoiceBlend]):
    """Voices out of others."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "/voice-blender", VoiceBlend)

    def create(
        self,
        model_id1: int,
        model_id2: int,
        alpha: float,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[BlendOptions],
    ) -> VoiceBlend:
        """Has a voice made of others. `alpha` is the share of the first one; the last one gets what is left."""
        own = {"model_id1": model_id1, "model_id2": model_id2, "alpha": alpha}
        return self._create({**own, **options}, idempotency_key, is_form=False)


class Trainings(Jobs[VoiceTraining]):
    """Voices out of recordings of them."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "/voice-trainings", VoiceTraining)

    def statement(self) -> ConsentStatement:
        """What has to be declared before a voice is trained, and whether you may train one. Show it to whoever declares it."""
        return record(self._transport.json("GET", "/voice-trainings/consent"), ConsentStatement)

    def create(
        self,
        sound_files: FileInput | Sequence[FileInput],
        title: str,
        statement: str,
        by: Literal["self", "owner-agreed", "licence"],
        *,
        name: str | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[TrainingOptions],
    ) -> VoiceTraining:
        """Has a voice trained. `statement` is that of `statement()`, as declared; `name` says whose voice it is."""
        consent = {"statement": statement, "by": by, "name": name}
        own = {"sound_file": several(sound_files), "title": title, "consent": consent}
        more: dict[str, object] = dict(options)
        if "tags" in options:
            more["tags"] = ",".join(options["tags"])
        return self._create({**own, **more}, idempotency_key)
