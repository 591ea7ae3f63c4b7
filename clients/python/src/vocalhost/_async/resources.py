"""Voices, saved chains of effects, and webhooks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from .._records import camel, record
from .._source import FileInput
from ..types import (
    ImportedVoiceModel,
    Pipeline,
    VoiceModel,
    VoiceModelWithTerms,
    Webhook,
    WebhookDelivery,
    WebhookWithSecret,
)
from .pages import pages
from .transport import AsyncTransport
from .uploads import form_file

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..types import EffectList, VoiceChanges, VoiceImport, WebhookChanges

Order = Literal["asc", "desc"]

EventName = Literal["job.success", "job.error", "job.cancelled"]


class AsyncVoices:
    """The voices that you can use."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        my_models: bool = False,
        instruments: bool = False,
        q: str | None = None,
        tag: str | None = None,
        order: Order = "asc",
    ) -> AsyncIterator[VoiceModel]:
        """All of them; or yours alone, instruments alone, those with `q` in their title, those with a tag."""
        asked = {"myModels": my_models or None, "instruments": instruments or None, "q": q, "tag": tag, "order": order}
        return pages(self._transport, "/voice-models", VoiceModel, **asked)

    async def get(self, id: int) -> VoiceModelWithTerms:
        """A voice with the terms under which it may be used."""
        return record(await self._transport.json("GET", f"/voice-models/{id}"), VoiceModelWithTerms)

    async def import_file(self, model_file: FileInput, **options: Unpack[VoiceImport]) -> ImportedVoiceModel:
        """Brings a voice of your own in: a checkpoint of RVC or Applio, an ONNX graph, or a package."""
        form = await self._form({"model_file": model_file, **options})
        return record(await self._transport.json("POST", "/voice-models", form=form), ImportedVoiceModel)

    async def change(self, id: int, **changes: Unpack[VoiceChanges]) -> VoiceModel:
        """Gives a voice of yours another title, picture, demo or other tags, which have commas between them."""
        form = await self._form({**changes})
        return record(await self._transport.json("PATCH", f"/voice-models/{id}", form=form), VoiceModel)

    async def delete(self, id: int) -> None:
        """Forgets a voice of yours."""
        await self._transport.send("DELETE", f"/voice-models/{id}")

    async def _form(self, options: dict[str, object]) -> dict[str, object]:
        form: dict[str, object] = {}
        for name, value in options.items():
            is_file = "_file" in name and value is not None
            form[camel(name)] = await form_file(self._transport, value) if is_file else value  # type: ignore[arg-type]
        return form


class AsyncPipelines:
    """Chains of effects that have names."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self) -> AsyncIterator[Pipeline]:
        """Yours, and those that are shared."""
        return pages(self._transport, "/pipelines", Pipeline)

    async def get(self, name: str) -> Pipeline:
        """One of them."""
        return record(await self._transport.json("GET", self._at(name)), Pipeline)

    async def create(self, name: str, chain: EffectList, *, shared: bool = False) -> Pipeline:
        """Saves a chain; for everybody when it is `shared`, which takes a key with the scope `admin`."""
        body = {"name": name, "chain": chain, "shared": shared}
        return record(await self._transport.json("POST", "/pipelines", body=body), Pipeline)

    async def replace(self, name: str, chain: EffectList, *, shared: bool = False) -> Pipeline:
        """Puts another chain in the place of one that is yours."""
        body = {"chain": chain, "shared": shared}
        return record(await self._transport.json("PUT", self._at(name), body=body), Pipeline)

    async def delete(self, name: str) -> None:
        """Forgets one of yours."""
        await self._transport.send("DELETE", self._at(name))

    def _at(self, name: str) -> str:
        return f"/pipelines/{quote(name, safe='')}"


class AsyncWebhooks:
    """Addresses that are told when your jobs end."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self) -> AsyncIterator[Webhook]:
        """Yours."""
        return pages(self._transport, "/webhooks", Webhook)

    async def get(self, id: int) -> Webhook:
        """One of them."""
        return record(await self._transport.json("GET", f"/webhooks/{id}"), Webhook)

    async def create(self, url: str | None, *, events: Sequence[EventName] = (), description: str = "") -> WebhookWithSecret:
        """Makes one, for all events without `events`. Its `secret` is shown this once. Without an address it signs what goes to the
        `webhook_url` of jobs."""
        body = {"events": [*events], "description": description, **({"url": url} if url else {"forJobs": True})}
        return record(await self._transport.json("POST", "/webhooks", body=body), WebhookWithSecret)

    async def change(self, id: int, **changes: Unpack[WebhookChanges]) -> Webhook:
        """Changes what is given; `enabled=True` turns one on again that the server gave up."""
        return record(await self._transport.json("PATCH", f"/webhooks/{id}", body=changes), Webhook)

    async def delete(self, id: int) -> None:
        """Forgets it."""
        await self._transport.send("DELETE", f"/webhooks/{id}")

    async def rotate(self, id: int) -> WebhookWithSecret:
        """Gives it another secret; the former one signs beside it for a day."""
        return record(await self._transport.json("POST", f"/webhooks/{id}/rotate"), WebhookWithSecret)

    async def test(self, id: int) -> WebhookDelivery:
        """Has `webhook.test` sent to it."""
        return record(await self._transport.json("POST", f"/webhooks/{id}/test"), WebhookDelivery)

    def deliveries(self, id: int) -> AsyncIterator[WebhookDelivery]:
        """What was sent there, and what came of it."""
        return pages(self._transport, f"/webhooks/{id}/deliveries", WebhookDelivery)

    async def replay(self, id: int, delivery_id: int) -> WebhookDelivery:
        """Has something sent once more."""
        path = f"/webhooks/{id}/deliveries/{delivery_id}/replay"
        return record(await self._transport.json("POST", path), WebhookDelivery)
