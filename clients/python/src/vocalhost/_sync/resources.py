# Made of `_async` by the generator. Changes belong there.
"""Voices, saved chains of effects, and webhooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from .transport import Transport
from .uploads import form_file

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..types import EffectList, VoiceChanges, VoiceImport, WebhookChanges

Order = Literal["asc", "desc"]

EventName = Literal["job.success", "job.error", "job.cancelled"]


class Voices:
    """The voices that you can use."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        my_models: bool = False,
        instruments: bool = False,
        q: str | None = None,
        tag: str | None = None,
        order: Order = "asc",
    ) -> Iterator[VoiceModel]:
        """All of them; or yours alone, instruments alone, those with `q` in their title, those with a tag."""
        asked = {"myModels": my_models or None, "instruments": instruments or None, "q": q, "tag": tag, "order": order}
        return pages(self._transport, "/voice-models", VoiceModel, **asked)

    def get(self, id: int) -> VoiceModelWithTerms:
        """A voice with the terms under which it may be used."""
        return record(self._transport.json("GET", f"/voice-models/{id}"), VoiceModelWithTerms)

    def import_file(self, model_file: FileInput, **options: Unpack[VoiceImport]) -> ImportedVoiceModel:
        """Brings a voice of your own in: a checkpoint of RVC or Applio, an ONNX graph, or a package."""
        form = self._form({"model_file": model_file, **options})
        return record(self._transport.json("POST", "/voice-models", form=form), ImportedVoiceModel)

    def change(self, id: int, **changes: Unpack[VoiceChanges]) -> VoiceModel:
        """Gives a voice of yours another title, picture, demo or other tags, which have commas between them."""
        form = self._form({**changes})
        return record(self._transport.json("PATCH", f"/voice-models/{id}", form=form), VoiceModel)

    def delete(self, id: int) -> None:
        """Forgets a voice of yours."""
        self._transport.send("DELETE", f"/voice-models/{id}")

    def _form(self, options: dict[str, object]) -> dict[str, object]:
        form: dict[str, object] = {}
        for name, value in options.items():
            is_file = "_file" in name and value is not None
            form[camel(name)] = form_file(self._transport, value) if is_file else value  # type: ignore[arg-type]
        return form


class Pipelines:
    """Chains of effects that have names."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Iterator[Pipeline]:
        """Yours, and those that are shared."""
        return pages(self._transport, "/pipelines", Pipeline)

    def get(self, name: str) -> Pipeline:
        """One of them."""
        return record(self._transport.json("GET", self._at(name)), Pipeline)

    def create(self, name: str, chain: EffectList, *, shared: bool = False) -> Pipeline:
        """Saves a chain; for everybody when it is `shared`, which takes a key with the scope `admin`."""
        body = {"name": name, "chain": chain, "shared": shared}
        return record(self._transport.json("POST", "/pipelines", body=body), Pipeline)

    def replace(self, name: str, chain: EffectList, *, shared: bool = False) -> Pipeline:
        """Puts another chain in the place of one that is yours."""
        body = {"chain": chain, "shared": shared}
        return record(self._transport.json("PUT", self._at(name), body=body), Pipeline)

    def delete(self, name: str) -> None:
        """Forgets one of yours."""
        self._transport.send("DELETE", self._at(name))

    def _at(self, name: str) -> str:
        return f"/pipelines/{quote(name, safe='')}"


class Webhooks:
    """Addresses that are told when your jobs end."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Iterator[Webhook]:
        """Yours."""
        return pages(self._transport, "/webhooks", Webhook)

    def get(self, id: int) -> Webhook:
        """One of them."""
        return record(self._transport.json("GET", f"/webhooks/{id}"), Webhook)

    def create(self, url: str | None, *, events: Sequence[EventName] = (), description: str = "") -> WebhookWithSecret:
        """Makes one, for all events without `events`. Its `secret` is shown this once. Without an address it signs what goes to the
        `webhook_url` of jobs."""
        body = {"events": [*events], "description": description, **({"url": url} if url else {"forJobs": True})}
        return record(self._transport.json("POST", "/webhooks", body=body), WebhookWithSecret)

    def change(self, id: int, **changes: Unpack[WebhookChanges]) -> Webhook:
        """Changes what is given; `enabled=True` turns one on again that the server gave up."""
        return record(self._transport.json("PATCH", f"/webhooks/{id}", body=changes), Webhook)

    def delete(self, id: int) -> None:
        """Forgets it."""
        self._transport.send("DELETE", f"/webhooks/{id}")

    def rotate(self, id: int) -> WebhookWithSecret:
        """Gives it another secret; the former one signs beside it for a day."""
        return record(self._transport.json("POST", f"/webhooks/{id}/rotate"), WebhookWithSecret)

    def test(self, id: int) -> WebhookDelivery:
        """Has `webhook.test` sent to it."""
        return record(self._transport.json("POST", f"/webhooks/{id}/test"), WebhookDelivery)

    def deliveries(self, id: int) -> Iterator[WebhookDelivery]:
        """What was sent there, and what came of it."""
        return pages(self._transport, f"/webhooks/{id}/deliveries", WebhookDelivery)

    def replay(self, id: int, delivery_id: int) -> WebhookDelivery:
        """Has something sent once more."""
        path = f"/webhooks/{id}/deliveries/{delivery_id}/replay"
        return record(self._transport.json("POST", path), WebhookDelivery)
