//! Whether a chain gains by running its stages side by side.

use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use vocalhost_audio::{Block, Stage as _};
use vocalhost_effects::{Catalog, EffectStage};

use crate::clock::Spread;
use crate::subject::{BLOCK_FRAMES, CHAIN, CHANNELS, SAMPLE_RATE_HZ, run_components, sound};

/// A minute of sound.
const BLOCKS: usize = 646;

const ROUNDS: usize = 7;

/// Blocks that may wait between the two halves.
const WAITING_BLOCKS: usize = 4;

/// Where the chain is cut so that both halves have about the same work.
const CUT: usize = 4;

pub fn measure(catalog: &Catalog) -> bool {
    let sound = sound(BLOCK_FRAMES);
    let (mut alone, mut halves) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut stages: Vec<_> = CHAIN
            .iter()
            .map(|subject| subject.component(catalog))
            .collect();
        let start = Instant::now();
        for _ in 0..BLOCKS {
            drop(run_components(&mut stages, &sound));
        }
        alone.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        run_halves(&mut stages, &sound);
        halves.push(start.elapsed().as_secs_f64());
    }
    let audio_s = (BLOCKS * BLOCK_FRAMES) as f64 / f64::from(SAMPLE_RATE_HZ);
    println!(
        "\n| the chain over | on one thread (s) | in two halves (s) | gain |\n|--:|--:|--:|--:|\n\
         | {audio_s:.0} s of sound | {:.3} | {:.3} | {} |",
        Spread::of(&alone).median,
        Spread::of(&halves).median,
        Spread::of_ratios(&alone, &halves),
    );
    true
}

/// The first half of the chain on a thread of its own, the second on this one.
fn run_halves(stages: &mut [EffectStage], sound: &[f32]) {
    let (first, second) = stages.split_at_mut(CUT);
    let (sender, receiver) = sync_channel::<Block>(WAITING_BLOCKS);
    thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..BLOCKS {
                let block = run_components(first, sound);
                if sender.send(block).is_err() {
                    return;
                }
            }
        });
        for block in receiver {
            assert_eq!(block.channels(), CHANNELS);
            drop(second.iter_mut().fold(block, |block, stage| {
                stage.process(block).expect("built-in effects do not fail")
            }));
        }
    });
}
