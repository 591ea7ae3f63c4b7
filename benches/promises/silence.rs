//! What silence after sound costs.

use std::hint::black_box;

use vocalhost_audio::{Block, Stage as _};
use vocalhost_effects::{Catalog, EffectStage};

use crate::clock::{Spread, thread_time};
use crate::subject::{BLOCK_FRAMES, CHAIN, CHANNELS, OTHERS, Subject, sound};

/// Blocks of sound, then of silence: half a minute, in which every filter and room passes through the range of
/// denormal numbers.
const BLOCKS: usize = 320;

/// Times over which the whole is repeated; the median counts.
const ROUNDS: usize = 5;

/// Silence may cost this many times what sound costs: the same, and something for noise.
const PROMISED_RATIO: f64 = 1.1;

pub fn measure(catalog: &Catalog) -> bool {
    println!("\n| effect | silence / sound |");
    println!("|---|--:|");
    let mut kept = true;
    for subject in CHAIN.iter().chain(&OTHERS) {
        let ratio = ratio(catalog, subject);
        println!("| {} | {ratio} |", subject.id);
        kept &= ratio.median <= PROMISED_RATIO;
    }
    kept
}

fn ratio(catalog: &Catalog, subject: &Subject) -> Spread {
    let sound = Block::from_planar(CHANNELS, sound(BLOCK_FRAMES));
    let silence = Block::silent(CHANNELS, BLOCK_FRAMES);
    let ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let mut stage = subject.component(catalog);
            run(&mut stage, &sound, BLOCKS / 8);
            let loud = run(&mut stage, &sound, BLOCKS);
            run(&mut stage, &silence, BLOCKS) / loud
        })
        .collect();
    Spread::of(&ratios)
}

/// Processor time in seconds for `blocks` times the same block.
fn run(stage: &mut EffectStage, block: &Block, blocks: usize) -> f64 {
    let start = thread_time();
    for _ in 0..blocks {
        let answer = stage.process(block.clone());
        drop(black_box(answer.expect("built-in effects do not fail")));
    }
    thread_time().saturating_sub(start).as_secs_f64()
}
