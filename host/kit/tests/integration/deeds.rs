//! The list of deeds: everything that a component can do wrong, and the check that finds it.

use vocalhost_testing::guests::{
    GROW_MEMORY, GROW_TABLE, HOSTILE_COMPONENT, LOOP, MAKE_HANDLES, TRAP, bare, describing, hostile,
};

/// What a component is made of.
pub enum Guest {
    /// These bytes.
    Bytes(&'static [u8]),
    /// A component in WebAssembly's text format.
    Text(&'static str),
    /// The hostile effect cut off after this part of its bytes.
    Cut(usize),
    /// The hostile effect doing this when it is described.
    Describing(&'static str),
    /// The hostile effect doing this with its default settings.
    Hostile(&'static str),
    /// The bare effect with instructions in one place.
    Bare(&'static str, &'static str),
}

use Guest::{Bare, Bytes, Cut, Describing, Hostile, Text};

impl Guest {
    /// Its bytes.
    pub fn component(&self) -> Vec<u8> {
        match self {
            Bytes(bytes) => bytes.to_vec(),
            Text(text) => wat::parse_str(text).expect("the text is WebAssembly"),
            Cut(part) => HOSTILE_COMPONENT[..HOSTILE_COMPONENT.len() / part].to_vec(),
            Describing(deed) => describing(deed),
            Hostile(deed) => hostile(deed),
            Bare(place, instructions) => bare(&[(place, instructions)]),
        }
    }
}

/// A deed: its name, the guest that does it, the first check that must fail on it, and words of the reason.
pub type Deed = (&'static str, Guest, &'static str, &'static str);

/// Every deed.
pub const DEEDS: [Deed; 62] = [
    (
        "no WebAssembly",
        Bytes(b"RIFF\x24\0\0\0WAVE"),
        "loads",
        "does not begin like one",
    ),
    (
        "an empty file",
        Bytes(b""),
        "loads",
        "does not begin like one",
    ),
    ("a core module", Text("(module)"), "loads", "core module"),
    (
        "a truncated file",
        Cut(2),
        "loads",
        "not a WebAssembly component",
    ),
    (
        "a component for nothing",
        Text("(component)"),
        "loads",
        "build it for the world",
    ),
    (
        "a component for another world",
        Text(r#"(component (instance $i) (export "wasi:cli/run@0.2.0" (instance $i)))"#),
        "loads",
        "build it for the world",
    ),
    (
        "another version of the world",
        Text(r#"(component (instance $i) (export "vocalhost:effect/effect@0.2.0" (instance $i)))"#),
        "loads",
        "is not an effect",
    ),
    (
        "an unknown import",
        Text(
            r#"(component (import "evil:host/backdoor@1.0.0" (instance (export "open" (func)))))"#,
        ),
        "loads",
        "imports evil:host/backdoor@1.0.0",
    ),
    (
        "HTTP",
        Text(r#"(component (import "wasi:http/types@0.2.0" (instance)))"#),
        "loads",
        "only WASI 0.2 without HTTP",
    ),
    (
        "an endless describe",
        Describing("loop"),
        "loads",
        "ran out of time in describe",
    ),
    (
        "recursion in describe",
        Describing("recurse"),
        "loads",
        "failed in describe",
    ),
    (
        "growth in describe",
        Describing("grow"),
        "loads",
        "ran out of memory in describe",
    ),
    (
        "a panic in describe",
        Describing("panic"),
        "loads",
        "flux capacitor",
    ),
    (
        "sleep in describe",
        Describing("sleep"),
        "loads",
        "wanted to wait in describe",
    ),
    (
        "exit in describe",
        Describing("exit"),
        "loads",
        "ended itself in describe",
    ),
    (
        "a version that is none",
        Describing("nonsense"),
        "loads",
        "semantic version",
    ),
    (
        "a thousand parameters",
        Describing("multiply"),
        "loads",
        "1000 parameters, at most 256",
    ),
    (
        "a summary of megabytes",
        Describing("shout"),
        "loads",
        "failed in describe",
    ),
    (
        "tags beyond the memory",
        Bare("DESCRIBE", "i32.const 2092 i32.const 0x7ffffff i32.store"),
        "loads",
        "failed in describe",
    ),
    (
        "tags by the thousand",
        Bare(
            "DESCRIBE",
            "i32.const 2088 i32.const 131072 i32.store i32.const 2092 i32.const 10000 i32.store",
        ),
        "loads",
        "it has 10000 tags, at most 32",
    ),
    (
        "a table that grows at the start",
        Bare("BEGIN", GROW_TABLE),
        "loads",
        "asked for a table",
    ),
    (
        "a loop at the start",
        Bare("BEGIN", LOOP),
        "loads",
        "ran out of time in start",
    ),
    (
        "a memory that grows in describe",
        Bare("DESCRIBE", GROW_MEMORY),
        "loads",
        "ran out of memory",
    ),
    (
        "a descriptor that changes",
        Describing("fickle"),
        "descriptor",
        "the same answer each time",
    ),
    (
        "a parameter without a name",
        Describing("nameless"),
        "descriptor",
        "has no name",
    ),
    (
        "a line on standard output",
        Hostile("print"),
        "answers",
        "standard output is closed",
    ),
    (
        "a layout that no job has",
        Describing("widen"),
        "starts",
        "no job can use it",
    ),
    (
        "a rate that is not in its table",
        Hostile("choosy"),
        "starts",
        "at 11025 Hz",
    ),
    (
        "a refusal of its own defaults",
        Hostile("refuse"),
        "starts",
        "does not feel like it",
    ),
    (
        "an endless constructor",
        Bare("CONSTRUCT", LOOP),
        "starts",
        "ran out of time in constructor",
    ),
    (
        "a table that grows in the constructor",
        Bare("CONSTRUCT", GROW_TABLE),
        "starts",
        "asked for a table",
    ),
    (
        "handles in the constructor",
        Bare("CONSTRUCT", MAKE_HANDLES),
        "starts",
        "handle",
    ),
    (
        "a trap in the constructor",
        Bare("CONSTRUCT", TRAP),
        "starts",
        "unreachable",
    ),
    (
        "an endless process",
        Hostile("loop"),
        "answers",
        "ran out of time in process",
    ),
    (
        "pestering the host",
        Hostile("pester"),
        "answers",
        "ran out of time in process",
    ),
    (
        "recursion",
        Hostile("recurse"),
        "answers",
        "keep large arrays off the stack",
    ),
    (
        "growth",
        Hostile("grow"),
        "answers",
        "ran out of memory in process",
    ),
    (
        "a table that grows",
        Bare("PROCESS", GROW_TABLE),
        "answers",
        "asked for a table",
    ),
    (
        "handles without end",
        Bare("PROCESS", MAKE_HANDLES),
        "answers",
        "handle",
    ),
    ("a panic", Hostile("panic"), "answers", "flux capacitor"),
    (
        "a panic with a flood of words",
        Hostile("flood"),
        "answers",
        "very loud words",
    ),
    ("a trap", Bare("PROCESS", TRAP), "answers", "unreachable"),
    (
        "ending itself",
        Hostile("exit"),
        "answers",
        "take `exit` and `abort` out",
    ),
    (
        "sleeping",
        Hostile("sleep"),
        "answers",
        "wanted to wait in process",
    ),
    (
        "too few samples",
        Hostile("shorten"),
        "answers",
        "instead of",
    ),
    (
        "too many samples",
        Hostile("lengthen"),
        "answers",
        "instead of",
    ),
    (
        "an enormous answer",
        Hostile("hoard"),
        "answers",
        "hands over 16 MiB at most",
    ),
    ("not a number", Hostile("nan"), "answers", "not finite"),
    ("infinity", Hostile("infinity"), "answers", "not finite"),
    ("idling", Hostile("slow"), "speed", "make it cheaper"),
    (
        "a seam at every call",
        Hostile("uneven"),
        "cuts",
        "carry all state",
    ),
    (
        "chance in every call",
        Hostile("chance"),
        "cuts",
        "carry all state",
    ),
    (
        "gossip between processors",
        Hostile("shared"),
        "siblings",
        "none in globals",
    ),
    (
        "a reset that forgets not all",
        Hostile("keepsake"),
        "reset",
        "in `reset`",
    ),
    (
        "a delay that is not declared",
        Hostile("late"),
        "latency",
        "of 0 frames, and the sound comes back after 700",
    ),
    (
        "a latency that is not there",
        Hostile("early"),
        "latency",
        "of 700 frames, and the sound comes back after 0",
    ),
    (
        "a latency that changes",
        Hostile("wander"),
        "latency",
        "must stay constant",
    ),
    (
        "a tail that is not declared",
        Hostile("linger"),
        "tail",
        "declare a longer tail",
    ),
    (
        "squares of huge samples",
        Hostile("square"),
        "extremes",
        "1e30",
    ),
    (
        "a division by nothing at an edge",
        Hostile("edge"),
        "settings",
        "amount 1",
    ),
    (
        "a minute of good behaviour",
        Hostile("minute"),
        "endurance",
        "a minute is over",
    ),
    (
        "memory that is never freed",
        Hostile("leak"),
        "endurance",
        "free what each call allocates",
    ),
];

/// Deeds that come after a minute of good behaviour, beside the one in the list.
pub const LATER_DEEDS: [Deed; 2] = [
    (
        "NaN after a minute",
        Hostile("minute-nan"),
        "endurance",
        "not finite",
    ),
    (
        "a loop after a minute",
        Hostile("minute-loop"),
        "endurance",
        "ran out of time",
    ),
];
