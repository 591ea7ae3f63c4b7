"""Writes what is generated of this package: `types.py` of the API's description, and `_sync` of `_async`.

    python clients/python/generator http://127.0.0.1:8080/api/v1/openapi.json

The description is an address or a file. With `--check` nothing is written, and the status is 1 when something would change.
"""

import json
import sys
import urllib.request
from pathlib import Path

from blocking import blocking
from records import types_of

PACKAGE = Path(__file__).parent.parent / "src/vocalhost"


def description(place: str) -> dict:
    if place.startswith(("http://", "https://")):
        with urllib.request.urlopen(place) as answer:
            return json.load(answer)
    return json.loads(Path(place).read_text())


def main(place: str, *flags: str) -> int:
    files = {PACKAGE / "types.py": types_of(description(place))}
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        files[PACKAGE / "_sync" / source.name] = blocking(source.read_text())
    changed = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    for path in changed:
        if "--check" in flags:
            print(f"{path} is behind: run this program without --check", file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(files[path])
            print(f"{path} is new")
    return int("--check" in flags and bool(changed))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
