"""A line between client and server that breaks."""

from __future__ import annotations

import socket
import threading
from urllib.parse import urlsplit


class BrokenLine:
    """Passes on what comes to `url`. The connection on which more than `allowed` bytes have gone the way `cut` ends there, once."""

    def __init__(self, target: str, allowed: int, cut: str = "up") -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "", parts.port or 80)
        self._allowed = allowed
        self._cut = cut
        self._passed = {"up": 0, "down": 0}
        self.breaks = 0
        """How often it broke."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """No more connections."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            for source, sink, way in ((near, far, "up"), (far, near, "down")):
                threading.Thread(target=self._pass_on, args=(source, sink, way), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, way: str) -> None:
        try:
            while data := source.recv(16 << 10):
                self._passed[way] += len(data)
                sink.sendall(data)
                if way == self._cut and self._passed[way] > self._allowed and not self.breaks:
                    self.breaks += 1
                    break
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        # The other direction closes the other end, which is its source.
        source.close()
