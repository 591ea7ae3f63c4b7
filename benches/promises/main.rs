//! What is promised of effects, each figure measured in turns with what it is compared to (the bench `effects` has
//! criterion measure the same things one by one):
//!
//! - `chain`: the chain of all seven effects of the contract as components in their host with every limit on, against
//!   the same Rust compiled natively, by length of block;
//! - `each`: the same for every effect on the shelf, one at a time;
//! - `silence`: what silence after sound costs against sound, for every effect;
//! - `start`: how long a chain of seven effects takes to start when its code is compiled;
//! - `threads`: the chain on one thread against the chain cut in two, each half on a thread of its own.
//!
//! `cargo bench --bench promises -- chain start` measures two of them. Times are processor time of the thread (but for
//! `threads` and `start`), so that what else the machine does weighs less. The exit status is 1 when a promised figure is
//! missed.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

mod chain;
mod clock;
mod each;
mod silence;
mod start;
mod subject;
mod threads;

use std::process::ExitCode;

use vocalhost_effects::{Catalog, EffectHost, EffectLimits};

/// A figure: prints what it measured and says whether the promise is kept.
type Figure = fn(&Catalog) -> bool;

const FIGURES: [(&str, Figure); 5] = [
    ("chain", chain::measure),
    ("each", each::measure),
    ("silence", silence::measure),
    ("start", start::measure),
    ("threads", threads::measure),
];

fn main() -> ExitCode {
    // Cargo adds `--bench`; whatever is no option names figures.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let host = EffectHost::open(None, EffectLimits::default()).expect("the host opens");
    let catalog = Catalog::builtin(&host).expect("the built-in effects load");
    let mut kept = true;
    for (name, measure) in FIGURES {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            kept &= measure(&catalog);
        }
    }
    if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
