// The core module of an effect: the part of its component that computes.

const MAGIC = 0x6d736100;
/** Version 13 of layer 1: a component (Component Model, binary format). */
const COMPONENT = 0x0001_000d;
const CORE_MODULE = 1;
const NESTED_COMPONENT = 4;
/** What the module of an effect exports under this interface, whatever language it was written in. */
export const CONSTRUCTOR = /^vocalhost:effect\/effect@0\.1\.\d+#\[constructor\]processor$/;

/** The core modules of a component, those of components inside of it as well. */
export function coreModules(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8 || view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== COMPONENT) throw new Error("no component");
  const found: Uint8Array<ArrayBuffer>[] = [];
  let at = 8;
  while (at < bytes.length) {
    const id = bytes[at];
    let size = 0;
    at += 1;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at];
      if (byte === undefined || shift > 28) throw new Error("a broken component");
      at += 1;
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    if (at + size > bytes.length) throw new Error("a component that is cut short");
    const content = bytes.subarray(at, at + size);
    if (id === CORE_MODULE) found.push(content);
    if (id === NESTED_COMPONENT) found.push(...coreModules(content));
    at += size;
  }
  return found;
}

/** Compiles the module of a component that makes the effect's processors. */
export async function effectModule(component: ArrayBuffer): Promise<WebAssembly.Module> {
  for (const bytes of coreModules(new Uint8Array(component))) {
    const module = await WebAssembly.compile(bytes);
    if (WebAssembly.Module.exports(module).some(({ name }) => CONSTRUCTOR.test(name))) return module;
  }
  throw new Error("a component without processors of effects 0.1");
}
