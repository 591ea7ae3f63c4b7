"""Runs every call of the client `kitsai` for models, conversions and separations against a server, and looks at what
comes back: the client itself swallows errors. Arguments: the server's address, a key, a recording."""

import sys
import time

import kitsai
import requests

HOME = "https://arpeggi.io"


def redirect_to(address):
    """Sends what is meant for the client's own service to `address`; nothing else of a request changes."""
    original = requests.Session.request

    def request(session, method, url, **options):
        if url.startswith(HOME):
            url = address + url[len(HOME) :]
        return original(session, method, url, **options)

    requests.Session.request = request


def check(holds, what):
    if not holds:
        raise SystemExit(f"kitsai: {what!r}")


def check_page(page, per_page):
    check(page is not None and set(page) == {"data", "meta"}, page)
    check(page["meta"]["perPage"] == per_page, page["meta"])
    check(len(page["data"]) <= per_page, page)
    return page["data"]


def models():
    voices = check_page(kitsai.fetch_voice_models(), 10)
    check(len(voices) > 0, voices)
    for voice in voices:
        check(isinstance(voice["id"], int) and isinstance(voice["title"], str), voice)
        check(isinstance(voice["tags"], list) and "imageUrl" in voice, voice)
    one = check_page(kitsai.fetch_voice_models(order="desc", page=2, per_page=1), 1)
    check(len(one) == 1 and one[0]["id"] != voices[0]["id"], one)
    check(check_page(kitsai.fetch_voice_models(my_models=True), 10) == [], "own voices")
    instruments = check_page(kitsai.fetch_voice_models(instruments=True), 10)
    check(len(instruments) < len(voices), instruments)
    voice = kitsai.fetch_voice_model_by_id(voices[0]["id"])
    check(voice["title"] == voices[0]["title"], voice)
    return voices[0]["id"]


def conversions(voice, sound):
    with open(sound, "rb") as recording, open(sound, "rb") as backing:
        job = kitsai.create_voice_conversion(
            voice,
            recording,
            backing_sound_file=backing,
            conversion_strength=0.75,
            model_volume_mix=0.25,
            pitch_shift=-2,
            pre={"noiseGate": {}, "highPassFilter": {}},
        )
    check(job is not None and job["type"] == "infer" and job["status"] == "running", job)
    check(job["voiceModelId"] == voice and job["jobEndTime"] is None, job)
    check(job["conversionStrength"] == 0.75 and job["modelVolumeMix"] == 0.25, job)
    check(job["pitchShift"] == -2, job)
    with open(sound, "rb") as recording:
        plain = kitsai.create_voice_conversion(voice, recording)
    check(plain is not None and plain["id"] > job["id"], plain)
    newest = check_page(kitsai.fetch_voice_conversions(order="desc", per_page=2), 2)
    check([one["id"] for one in newest] == [plain["id"], job["id"]], newest)
    check(check_page(kitsai.fetch_voice_conversions(page=9), 10) == [], "a page behind the last")
    while job["status"] == "running":
        time.sleep(0.05)
        job = kitsai.fetch_voice_conversion_by_id(job["id"])
    check(job["status"] == "success" and job["jobEndTime"] is not None, job)
    ran = [effect["id"] for effect in job["effects"]]
    check(ran == ["vocalhost.noise-gate", "vocalhost.high-pass"], ran)
    check(requests.get(job["outputFileUrl"]).content[:4] == b"RIFF", job["outputFileUrl"])
    check(requests.get(job["lossyOutputFileUrl"]).status_code == 200, job["lossyOutputFileUrl"])
    check(kitsai.fetch_voice_conversion_by_id(10**9) is None, "no such job")


def separations(sound):
    with open(sound, "rb") as recording:
        job = kitsai.create_vocal_separation(recording)
    check(job is not None and job["type"] == "separate" and job["status"] == "running", job)
    check(job["stemFileUrls"] == [] and job["vocalAudioFileUrl"] is None, job)
    again = kitsai.fetch_vocal_separation_by_id(job["id"])
    check(again["id"] == job["id"] and again["createdAt"] == job["createdAt"], again)
    listed = check_page(kitsai.fetch_vocal_separations(order="desc", page=1, per_page=5), 5)
    check(listed[0]["id"] == job["id"], listed)


def main():
    address, key, sound = sys.argv[1:]
    redirect_to(address)
    kitsai.login(key)
    voice = models()
    conversions(voice, sound)
    separations(sound)


main()
