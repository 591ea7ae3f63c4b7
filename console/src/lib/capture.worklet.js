// Passes what the microphone gives to the page, and how loud it is. Runs in the audio thread.

class Capture extends AudioWorkletProcessor {
  constructor() {
    super();
    this.recording = false;
    this.peak = 0;
    this.power = 0;
    this.frames = 0;
    this.port.onmessage = ({ data }) => {
      this.recording = data === "record";
    };
  }

  process([input]) {
    const samples = input[0];
    if (samples === undefined) return true;
    if (this.recording) {
      const copy = samples.slice();
      this.port.postMessage({ samples: copy }, [copy.buffer]);
    }
    for (const sample of samples) {
      this.peak = Math.max(this.peak, Math.abs(sample));
      this.power += sample * sample;
    }
    this.frames += samples.length;
    if (this.frames >= sampleRate / 30) {
      this.port.postMessage({ peak: this.peak, rms: Math.sqrt(this.power / this.frames) });
      this.peak = 0;
      this.power = 0;
      this.frames = 0;
    }
    return true;
  }
}

registerProcessor("capture", Capture);
