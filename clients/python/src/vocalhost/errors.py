"""What can go wrong. Everything that this library raises by itself is a `VocalhostError` or a `TimeoutError`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from ._kinds import AnyJob

# Answers after which the same request may well be done.
_PASSING = {429, 502, 503, 504}


class VocalhostError(Exception):
    """The base of all others."""

    is_passing: bool = False
    """Whether the same request may succeed a little later."""
    retry_after: float | None = None
    """Seconds for which the server asks to wait before that."""


class Unreachable(VocalhostError):
    """There is no connection to the server, or it broke."""

    is_passing = True


@dataclass(frozen=True)
class Mistake:
    """What is wrong with one field of a request."""

    field: str
    """The path of the field, such as `pitchShift` or `post[0].params.ratio`."""
    rule: str
    message: str
    args: Mapping[str, Any]


class Problem(VocalhostError):
    """The server refused a request (RFC 9457)."""

    def __init__(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        detail = body.get("detail")
        super().__init__(detail if isinstance(detail, str) else f"The answer was {status}.")
        self.status = status
        """The status of HTTP."""
        self.code = str(body.get("code") or f"E_HTTP_{status}")
        """What happened, for programs: `E_VALIDATION_FAILURE`, `E_TOO_MANY_REQUESTS`."""
        self.detail = str(self)
        """What happened, for people."""
        self.request_id = body.get("requestId") or headers.get("x-request-id")
        """What finds the request in the server's log."""
        self.errors = [
            Mistake(one.get("field", ""), one.get("rule", ""), one.get("message", ""), one.get("args", {}))
            for one in body.get("errors") or []
            if isinstance(one, Mapping)
        ]
        """Every field that is wrong."""
        self.is_passing = status in _PASSING or self.code == "E_IDEMPOTENCY_IN_PROGRESS"
        try:
            self.retry_after = float(headers["retry-after"])
        except (KeyError, ValueError):
            self.retry_after = None

    @classmethod
    def of(cls, response: httpx.Response) -> Problem:
        """The problem that an answer is, also when something between us and the server gave it."""
        try:
            body = response.json()
        except ValueError:
            body = None
        return cls(response.status_code, body if isinstance(body, dict) else {}, response.headers)

    def __str__(self) -> str:
        return str(self.args[0])


class UploadBroken(VocalhostError):
    """An upload stopped and did not go on by itself. `client.upload(file, to=broken.upload)` goes on where it stopped."""

    def __init__(self, upload: str, offset: int, reason: object) -> None:
        super().__init__(f"The upload stopped at byte {offset}: {reason}")
        self.upload = upload
        """What stands for the upload: `upload:<id>`."""
        self.offset = offset
        """How many bytes are known to have arrived."""


class JobFailed(VocalhostError):
    """A job has ended in `error`."""

    def __init__(self, job: AnyJob) -> None:
        super().__init__(job.error.message if job.error else f"Job {job.id} failed.")
        self.job = job
        """The record. Its `error` says what went wrong and whether trying again may help."""


class JobCancelled(VocalhostError):
    """A job was cancelled."""

    def __init__(self, job: AnyJob) -> None:
        super().__init__(f"Job {job.id} was cancelled.")
        self.job = job


class WebhookRefused(VocalhostError):
    """A request does not come from the server, or is too old. Answer it with 400 and do nothing."""
