//! Starting a chain whose code is compiled.

use std::time::Instant;

use vocalhost_effects::Catalog;

use crate::clock::Spread;
use crate::subject::CHAIN;

const STARTS: usize = 100;

/// Milliseconds that starting the chain of seven may take.
const PROMISED_MS: f64 = 5.0;

pub fn measure(catalog: &Catalog) -> bool {
    let times_ms: Vec<f64> = (0..STARTS)
        .map(|_| {
            let start = Instant::now();
            let stages: Vec<_> = CHAIN
                .iter()
                .map(|subject| subject.component(catalog))
                .collect();
            let time_ms = start.elapsed().as_secs_f64() * 1e3;
            drop(stages);
            time_ms
        })
        .collect();
    let spread = Spread::of(&times_ms);
    println!("\n| start | ms |\n|---|--:|\n| the chain of seven, compiled | {spread} |");
    spread.median < PROMISED_MS
}
