# Made of `_async` by the generator. Changes belong there.
"""Conversions while somebody speaks, as far as they are records. Their sound goes through a WebSocket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from .._records import camel, record
from ..types import LiveConversion, VoiceConversion
from .pages import pages
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..types import LiveOptions, RenderOptions

_PATH = "/live-conversions"


class LiveConversions:
    """Conversions while somebody speaks."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, voice_model_id: int, **options: Unpack[LiveOptions]) -> LiveConversion:
        """Makes one. `stream_url` and `ticket` of the record open its stream, once and within 30 seconds: it is asked for once, too."""
        body = {"voiceModelId": voice_model_id, **_named(options)}
        return record((self._transport.send_once("POST", _PATH, body=body)).json(), LiveConversion)

    def get(self, id: int) -> LiveConversion:
        """How one goes, or went, with links to what was recorded."""
        return record(self._transport.json("GET", f"{_PATH}/{id}"), LiveConversion)

    def list(self, *, order: Literal["asc", "desc"] = "desc") -> Iterator[LiveConversion]:
        """Yours, the newest first."""
        return pages(self._transport, _PATH, LiveConversion, order=order)

    def render(
        self, live: LiveConversion | int, *, idempotency_key: str | None = None, **options: Unpack[RenderOptions]
    ) -> VoiceConversion:
        """Has what was said converted as a recording, in the same way unless `options` say otherwise: `conversions.wait` for it."""
        path = f"{_at(live)}/render"
        answer = self._transport.json("POST", path, body=_named(options), idempotency_key=idempotency_key)
        return record(answer, VoiceConversion)

    def delete(self, live: LiveConversion | int) -> None:
        """Forgets one and what was recorded of it; one that goes on is ended."""
        self._transport.send("DELETE", _at(live))


def _at(live: LiveConversion | int) -> str:
    return f"{_PATH}/{live if isinstance(live, int) else live.id}"


def _named(options: LiveOptions | RenderOptions) -> dict[str, object]:
    return {camel(name): value for name, value in options.items()}
