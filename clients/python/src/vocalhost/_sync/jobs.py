# Made of `_async` by the generator. Changes belong there.
"""What can be done with a job, whatever its kind."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Callable
from os import PathLike
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from .. import _io_sync as io
from .._records import camel, record
from .._sse import EventReader, JobEvent
from ..errors import JobCancelled, JobFailed, Problem, Unreachable
from ..types import Peaks, Separation, VoiceBlend, VoiceConversion, VoiceTraining
from .downloads import download
from .pages import pages
from .transport import Transport, Several
from .uploads import form_file

Job = TypeVar("Job", bound=VoiceConversion | Separation | VoiceBlend | VoiceTraining)

OnProgress = Callable[[float, str], None]

# Of the options of a job, those that are files.
_FILES = {"sound_file", "backing_sound_file", "input_file"}

# The longest that the server waits before it answers that a job is not ready, as asked of it.
_POLL_S = 20


class Jobs(Generic[Job]):
    """The jobs of one kind."""

    def __init__(self, transport: Transport, path: str, kind: type[Job]) -> None:
        self._transport = transport
        self._path = path
        self._kind = kind

    def get(self, id: int, *, wait: float = 0) -> Job:
        """The record of a job, with links that are fresh. `wait`: seconds, at most 60, for which the answer may wait for its end."""
        headers = {"Prefer": f"wait={int(wait)}"} if wait >= 1 else None
        return record(self._transport.json("GET", f"{self._path}/{id}", headers=headers), self._kind)

    def list(
        self,
        *,
        status: Literal["running", "success", "error", "cancelled"] | None = None,
        order: Literal["asc", "desc"] = "desc",
    ) -> Iterator[Job]:
        """Your jobs, the newest first. Pages are fetched as they are needed."""
        return pages(self._transport, self._path, self._kind, status=status, order=order)

    def cancel(self, job: Job | int) -> Job:
        """Stops a job."""
        return record(self._transport.json("POST", f"{self._at(job)}/cancel"), self._kind)

    def retry(self, job: Job | int) -> Job:
        """A new job like one that has ended."""
        return record(self._transport.json("POST", f"{self._at(job)}/retry"), self._kind)

    def delete(self, job: Job | int) -> None:
        """Forgets a job that has ended, and its files."""
        self._transport.send("DELETE", self._at(job))

    def wait(
        self,
        job: Job | int,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        check: bool = True,
    ) -> Job:
        """The record of a job once it has ended. Follows its events, and asks again and again where those do not come through.

        `on_progress` is told percent and stage. Raises `TimeoutError` after `timeout` seconds (the job goes on), and, unless `check`
        is false, `JobFailed` and `JobCancelled`.
        """
        deadline = time.monotonic() + timeout if timeout is not None else None
        id = job if isinstance(job, int) else job.id
        found = self.get(id)
        follows = True
        while found.status == "running":
            if follows:
                follows = self._follow(id, deadline, on_progress)
            left = deadline - time.monotonic() if deadline is not None else _POLL_S
            if left <= 0:
                raise TimeoutError(f"Job {id} has not ended within {timeout} seconds.")
            found = self.get(id, wait=0 if follows else min(left, _POLL_S))
            if on_progress:
                on_progress(found.progress, found.stage)
            if not follows and found.status == "running":
                # A server that is busy may answer at once.
                io.sleep(min(left, 1))
        if check and found.status == "error":
            raise JobFailed(found)
        if check and found.status == "cancelled":
            raise JobCancelled(found)
        return found

    def events(self, job: Job | int, *, after: str | None = None) -> Iterator[JobEvent]:
        """What has happened to a job and what happens, until it has ended. Comes back by itself when the connection breaks.

        `after`: the `id` of an event; what came up to it is left out.
        """
        for event in self._events(self._at(job), after, None):
            yield event

    def peaks(self, job: Job | int, *, file: str = "input", points: int = 1024) -> Peaks:
        """The outline of a sound's wave. `file` is a name as in `loudness`, or `input`."""
        params = {"file": file, "points": points}
        return record(self._transport.json("GET", f"{self._at(job)}/peaks", params=params), Peaks)

    def spectrogram(self, job: Job | int, *, file: str = "input") -> bytes:
        """A picture (PNG) of a sound."""
        response = self._transport.send("GET", f"{self._at(job)}/spectrogram", params={"file": file})
        return response.content

    def save_all(self, job: Job | int, path: str | PathLike[str]) -> Path:
        """Fetches all files of a result as one ZIP."""
        found = self.get(job if isinstance(job, int) else job.id)
        link = getattr(found, "archive_url", None)
        if link is None:
            raise ValueError(f"Job {found.id} has no files: it is {found.status}.")
        return download(self._transport, link, path)

    def _create(self, options: dict[str, Any], key: str | None, is_form: bool = True) -> Job:
        fields: dict[str, object] = {}
        for name, value in options.items():
            if isinstance(value, list) and name in _FILES:
                value = Several([form_file(self._transport, one) for one in value])
            elif value is not None and name in _FILES:
                value = form_file(self._transport, value)
            fields[camel(name)] = value
        body = {"form" if is_form else "body": fields}
        made = self._transport.json("POST", self._path, idempotency_key=key, **body)
        return record(made, self._kind)

    def _follow(self, id: int, deadline: float | None, on_progress: OnProgress | None) -> bool:
        """Whether a job could be followed to its end, or to the deadline."""
        try:
            with io.closing(self._events(f"{self._path}/{id}", None, deadline)) as events:
                for event in events:
                    if on_progress and event.progress is not None:
                        on_progress(event.progress, event.stage or "")
        except (Unreachable, Problem):
            return False
        return True

    def _events(self, path: str, after: str | None, deadline: float | None) -> Generator[JobEvent, None, None]:
        headers = {"Accept": "text/event-stream"}
        tries = 0
        while True:
            if after:
                headers["Last-Event-ID"] = after
            left = deadline - time.monotonic() if deadline is not None else 60.0
            if left <= 0:
                return
            try:
                with self._transport.stream(f"{path}/events", headers, silence=min(max(left, 0.1), 60)) as response:
                    if response.status_code == 204:
                        return
                    if not response.headers.get("content-type", "").startswith("text/event-stream"):
                        raise Problem(response.status_code, {"detail": "What came are no events."}, {})
                    reader = EventReader()
                    for text in response.iter_text():
                        for event in reader.feed(text):
                            after, tries = event.id or after, 0
                            yield event
                            if event.event == "ended":
                                return
                        if deadline is not None and time.monotonic() > deadline:
                            return
                raise Unreachable("The events broke off.")
            except (Problem, Unreachable) as error:
                tries += 1
                pause = self._transport.patience.pause(error, tries)
                if pause is None:
                    raise
            io.sleep(pause if deadline is None else min(pause, max(deadline - time.monotonic(), 0)))

    def _at(self, job: Job | int) -> str:
        return f"{self._path}/{job if isinstance(job, int) else job.id}"
