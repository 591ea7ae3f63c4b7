"""A cover: a whole song in another voice.

python cover.py SONG VOICE COVER        python cover.py song.mp3 1 cover.wav
"""

import sys

from vocalhost import Client

song, voice, cover = sys.argv[1:]
with Client() as client:
    job = client.conversions.create(song, int(voice), isolate_vocals=True, auto_pitch=True)
    job = client.conversions.wait(job, on_progress=lambda percent, stage: print(f"{percent:3.0f} % {stage}"))
    assert job.recombined_audio_file_url
    client.download(job.recombined_audio_file_url, cover)
print(f"{cover}: {job.model.title}, moved by {job.suggested_pitch_shift} semitones")
