//! The price of the sandbox for the chain of all seven effects, by length of block.

use std::hint::black_box;

use vocalhost_effects::Catalog;

use crate::clock::{Spread, in_turns};
use crate::subject::{
    BLOCK_FRAMES, BLOCK_LENGTHS, CHAIN, SAMPLE_RATE_HZ, Subject, run_components, run_natives, sound,
};

/// The chain may take this many times as long as its native form, at the length of block that jobs use.
const PROMISED_RATIO: f64 = 1.43;

pub fn measure(catalog: &Catalog) -> bool {
    println!(
        "\n| chain of seven, frames | component (µs) | × real time | native (µs) | component / native |"
    );
    println!("|--:|--:|--:|--:|--:|");
    let mut kept = true;
    for frames in BLOCK_LENGTHS {
        let sound = sound(frames);
        let mut stages: Vec<_> = CHAIN
            .iter()
            .map(|subject| subject.component(catalog))
            .collect();
        let mut natives: Vec<_> = CHAIN.iter().map(Subject::native).collect();
        let [component, native] = in_turns([
            &mut || drop(black_box(run_components(&mut stages, black_box(&sound)))),
            &mut || drop(black_box(run_natives(&mut natives, black_box(&sound)))),
        ]);
        let ratio = Spread::of_ratios(&component, &native);
        let [component, native] = [component, native].map(|times| Spread::of(&times).median);
        println!(
            "| {frames} | {:.1} | {:.0} | {:.1} | {ratio} |",
            component * 1e6,
            frames as f64 / f64::from(SAMPLE_RATE_HZ) / component,
            native * 1e6,
        );
        kept &= frames != BLOCK_FRAMES || ratio.median <= PROMISED_RATIO;
    }
    kept
}
