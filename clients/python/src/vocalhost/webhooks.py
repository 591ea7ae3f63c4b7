"""Tells webhooks of the server from forged ones (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ._kinds import AnyJob, any_job
from .errors import WebhookRefused

EventType = Literal["job.success", "job.error", "job.cancelled", "webhook.test"]


@dataclass(frozen=True)
class WebhookEvent:
    """News of the server, which is known to come from it."""

    id: str
    """The same for every try to deliver it: what was seen before need not be done again."""
    type: EventType
    timestamp: str
    """When it happened."""
    data: Mapping[str, Any]
    """The record of the job as JSON, with its `kind`."""

    @property
    def job(self) -> AnyJob | None:
        """The record of the job; `None` of a test, and of a job that was deleted by then."""
        return any_job(self.data)


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    tolerance: float = 300,
) -> WebhookEvent:
    """The news in a request that the server sent to a webhook.

    `body` is the request's body as it came, byte for byte. `secret` is what the webhook's creation has shown; several may be given
    while it is changed. A request that was signed more than `tolerance` seconds ago, or in the future, is refused, so that nobody can send
    again what they have overheard.

    Raises `WebhookRefused` for whatever does not come from the server.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookRefused(f"The header {missing} is missing.") from None
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 16
    if not is_number or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookRefused("The webhook is too old, or its clock is wrong.")
    signed = f"{id}.{timestamp}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else list(secret)
    expected = [b"v1," + base64.b64encode(hmac.digest(_key(one), signed, hashlib.sha256)) for one in secrets]
    # Every pair is compared, so that the time which it takes says nothing.
    same = [hmac.compare_digest(good, one.encode(errors="replace")) for good in expected for one in signatures.split(" ")]
    if not any(same):
        raise WebhookRefused("The signature is not of this secret.")
    news = json.loads(body)
    return WebhookEvent(id, news["type"], news["timestamp"], news["data"])


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("A webhook's secret is `whsec_` and base64.") from None
