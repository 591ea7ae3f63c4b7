// Live conversions with the microphone and the headphones of a browser.
import { LiveAudio, type AudioOptions } from "./audio.js";
import { connect, type Asked, type Made } from "./connect.js";
import { Live } from "./live.js";

export { LiveAudio, type AudioEvents, type AudioOptions } from "./audio.js";
export { Live, type Glitches, type MeasuredLatency } from "./live.js";
export type { Level, PlayoutStats } from "./worklet.js";
export * from "./index.js";

/**
 * Opens microphone, headphones and a conversion, and connects them. Call it in answer to a press. Where a server of yours makes the
 * conversion, give what asks it, a function of the rate: browsers say only then at which rate they hear.
 */
export async function speak(options: (Asked & Partial<AudioOptions>) | (Partial<AudioOptions> & { make: (sampleRate: number) => Promise<Made> })): Promise<Live> {
  const { worklet = new URL("./worklet.js", import.meta.url), device, ...rest } = options;
  const audio = await LiveAudio.open({ worklet, ...(device === undefined ? {} : { device }) });
  try {
    const asked = "make" in rest ? await rest.make(audio.sampleRate) : { ...rest, sampleRate: audio.sampleRate };
    const session = await connect(asked);
    const live = new Live(session, audio);
    await session.ready;
    return live;
  } catch (error) {
    await audio.close();
    throw error;
  }
}
