// What an AudioWorkletGlobalScope has beside a window's types (Web Audio API, 1.32).
declare const sampleRate: number;

declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
  abstract process(inputs: Float32Array[][], outputs: Float32Array[][], parameters: Record<string, Float32Array>): boolean;
}

declare function registerProcessor(name: string, processor: new (options: never) => AudioWorkletProcessor): void;
