"""Server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

EventName = Literal["created", "started", "progress", "requeued", "cancelling", "ended"]


@dataclass(frozen=True)
class JobEvent:
    """Something that happened to a job."""

    id: str
    """What `after` takes, to go on behind this event."""
    event: EventName
    at: str
    """When it happened."""
    status: str | None
    stage: str | None
    progress: float | None
    """0 to 100."""
    data: dict[str, Any]
    """All that the server says of it: a start has its `attempt`, the end of a job that failed its `error`."""


class EventReader:
    """Cuts a stream of text into events."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, text: str) -> Iterator[JobEvent]:
        """The events that are whole with this piece of text. Comments and events without data are none."""
        self._rest += text
        *whole, self._rest = self._rest.replace("\r\n", "\n").split("\n\n")
        for block in whole:
            fields: dict[str, str] = {}
            for line in block.split("\n"):
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
            if "data" in fields:
                yield _event(fields)


def _event(fields: dict[str, str]) -> JobEvent:
    data = json.loads(fields["data"])
    return JobEvent(
        id=fields.get("id", ""),
        event=fields.get("event", "progress"),  # type: ignore[arg-type]  # A newer server may know more.
        at=data.get("at", ""),
        status=data.get("status"),
        stage=data.get("stage"),
        progress=data.get("progress"),
        data=data,
    )
