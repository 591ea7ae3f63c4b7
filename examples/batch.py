"""Converts every recording of a folder, some at a time. What is there already is left out, so that it can be started again.

python batch.py FOLDER VOICE RESULTS        python batch.py takes/ 1 converted/
"""

import asyncio
import sys
from pathlib import Path

from vocalhost import AsyncClient, VocalhostError

AT_A_TIME = 4
ENDINGS = {".wav", ".mp3", ".flac"}


async def convert(client: AsyncClient, recording: Path, voice: int, result: Path) -> bool:
    """Whether it went well; the others go on when it did not."""
    try:
        job = await client.conversions.create(recording, voice, output_format="flac")
        job = await client.conversions.wait(job)
        assert job.output_file_url
        await client.download(job.output_file_url, result)
    except VocalhostError as error:
        print(f"{recording}: {error}", file=sys.stderr)
        return False
    print(result)
    return True


def still_to_do(folder: Path, results: Path) -> dict[Path, Path]:
    """Recordings whose results are missing. The whole name stays, since take.wav and take.mp3 may be two recordings."""
    results.mkdir(parents=True, exist_ok=True)
    recordings = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
    pairs = {path: results / f"{path.name}.flac" for path in recordings}
    return {path: result for path, result in pairs.items() if not result.exists()}


async def convert_all(missing: dict[Path, Path], voice: int) -> int:
    """How many could not be converted."""
    turns = asyncio.Semaphore(AT_A_TIME)

    async with AsyncClient() as client:

        async def in_turn(recording: Path, result: Path) -> bool:
            async with turns:
                return await convert(client, recording, voice, result)

        went_well = await asyncio.gather(*(in_turn(*pair) for pair in missing.items()))
    return went_well.count(False)


folder, voice, results = sys.argv[1:]
missing = still_to_do(Path(folder), Path(results))
failed = asyncio.run(convert_all(missing, int(voice)))
print(f"{len(missing) - failed} converted, {failed} failed")
sys.exit(failed > 0)
