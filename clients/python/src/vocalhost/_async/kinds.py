"""The four kinds of job, and what each is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._source import FileInput
from ..types import Separation, VoiceBlend, VoiceConversion
from .jobs import AsyncJobs
from .transport import AsyncTransport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..types import BlendOptions, ConversionOptions, SeparationOptions, SplitOptions


class AsyncConversions(AsyncJobs[VoiceConversion]):
    """Recordings in other voices."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__(transport, "/voice-conversions", VoiceConversion)

    async def create(
        self,
        sound_file: FileInput,
        voice_model_id: int,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[ConversionOptions],
    ) -> VoiceConversion:
        """Has a recording converted. The job is in the queue when this returns: `wait` for it."""
        own = {"sound_file": sound_file, "voice_model_id": voice_model_id}
        return await self._create({**own, **options}, idempotency_key)


class AsyncSeparations(AsyncJobs[Separation]):
    """What is sung, apart from the music."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__(transport, "/vocal-separations", Separation)

    async def create(
        self, input_file: FileInput, *, idempotency_key: str | None = None, **options: Unpack[SeparationOptions]
    ) -> Separation:
        """Has vocals and music separated."""
        return await self._create({"input_file": input_file, **options}, idempotency_key)


class AsyncSplits(AsyncJobs[Separation]):
    """Songs in stems: vocals, drums, bass and the rest."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__(transport, "/stem-splits", Separation)

    async def create(self, input_file: FileInput, *, idempotency_key: str | None = None, **options: Unpack[SplitOptions]) -> Separation:
        """Has a song split."""
        return await self._create({"input_file": input_file, **options}, idempotency_key)


class AsyncBlends(AsyncJobs[VoiceBlend]):
    """Voices out of others."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__(transport, "/voice-blender", VoiceBlend)

    async def create(
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
        return await self._create({**own, **options}, idempotency_key, is_form=False)
