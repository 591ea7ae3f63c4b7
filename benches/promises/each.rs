//! The price of the sandbox for every effect on the shelf.

use std::hint::black_box;

use vocalhost_effects::Catalog;

use crate::clock::{Spread, in_turns};
use crate::subject::{
    BLOCK_FRAMES, CHAIN, OTHERS, SAMPLE_RATE_HZ, run_components, run_natives, sound,
};

pub fn measure(catalog: &Catalog) -> bool {
    println!(
        "\n| effect, 4096 frames | component (µs) | × real time | native (µs) | component / native |"
    );
    println!("|---|--:|--:|--:|--:|");
    let sound = sound(BLOCK_FRAMES);
    for subject in CHAIN.iter().chain(&OTHERS) {
        let mut stages = [subject.component(catalog)];
        let mut natives = [subject.native()];
        let [component, native] = in_turns([
            &mut || drop(black_box(run_components(&mut stages, black_box(&sound)))),
            &mut || drop(black_box(run_natives(&mut natives, black_box(&sound)))),
        ]);
        let ratio = Spread::of_ratios(&component, &native);
        let [component, native] = [component, native].map(|times| Spread::of(&times).median);
        println!(
            "| {} | {:.1} | {:.0} | {:.1} | {ratio} |",
            subject.id,
            component * 1e6,
            BLOCK_FRAMES as f64 / f64::from(SAMPLE_RATE_HZ) / component,
            native * 1e6,
        );
    }
    true
}
