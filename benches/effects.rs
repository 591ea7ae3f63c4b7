//! What effects cost, with criterion: every effect on the shelf and the chain of seven by length of block, each as a
//! component in its host with every limit on and as the same Rust compiled natively; silence after sound; the start of a
//! chain.
//!
//! The throughput is in frames per second: divided by 44,100 it is "times real time". The ratios that are promised are
//! measured in turns by the bench `promises`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use vocalhost_audio::{Block, Stage as _};
use vocalhost_effects::{Catalog, EffectHost, EffectLimits};

#[path = "promises/subject.rs"]
mod subject;

use subject::{
    BLOCK_FRAMES, BLOCK_LENGTHS, CHAIN, CHANNELS, OTHERS, Subject, run_components, run_natives,
    sound,
};

/// Blocks of silence before its cost is measured: half a minute, in which every filter and room passes through the range
/// of denormal numbers into nothing.
const BLOCKS_OF_SILENCE: usize = 320;

fn each_effect(criterion: &mut Criterion, catalog: &Catalog) {
    let sound = sound(BLOCK_FRAMES);
    for subject in CHAIN.iter().chain(&OTHERS) {
        let mut group = criterion.benchmark_group(subject.id);
        group.throughput(Throughput::Elements(BLOCK_FRAMES as u64));
        let mut stages = [subject.component(catalog)];
        group.bench_function("component", |bencher| {
            bencher.iter(|| run_components(&mut stages, black_box(&sound)));
        });
        let silence = Block::silent(CHANNELS, BLOCK_FRAMES);
        let [stage] = &mut stages;
        let mut fall_silent = || stage.process(silence.clone()).expect("it does not fail");
        (0..BLOCKS_OF_SILENCE).for_each(|_| drop(fall_silent()));
        group.bench_function("component in silence after sound", |bencher| {
            bencher.iter(&mut fall_silent);
        });
        let mut natives = [subject.native()];
        group.bench_function("native", |bencher| {
            bencher.iter(|| run_natives(&mut natives, black_box(&sound)));
        });
    }
}

fn chain_by_block_length(criterion: &mut Criterion, catalog: &Catalog) {
    let mut group = criterion.benchmark_group("chain");
    for frames in BLOCK_LENGTHS {
        let sound = sound(frames);
        group.throughput(Throughput::Elements(frames as u64));
        let mut stages: Vec<_> = CHAIN
            .iter()
            .map(|subject| subject.component(catalog))
            .collect();
        group.bench_function(BenchmarkId::new("component", frames), |bencher| {
            bencher.iter(|| run_components(&mut stages, black_box(&sound)));
        });
        let mut natives: Vec<_> = CHAIN.iter().map(Subject::native).collect();
        group.bench_function(BenchmarkId::new("native", frames), |bencher| {
            bencher.iter(|| run_natives(&mut natives, black_box(&sound)));
        });
    }
}

fn start_of_a_chain(criterion: &mut Criterion, catalog: &Catalog) {
    criterion.bench_function("start the chain", |bencher| {
        bencher.iter_with_large_drop(|| {
            CHAIN
                .iter()
                .map(|subject| subject.component(catalog))
                .collect::<Vec<_>>()
        });
    });
}

fn effects(criterion: &mut Criterion) {
    let host = EffectHost::open(None, EffectLimits::default()).expect("the host opens");
    let catalog = Catalog::builtin(&host).expect("the built-in effects load");
    each_effect(criterion, &catalog);
    chain_by_block_length(criterion, &catalog);
    start_of_a_chain(criterion, &catalog);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = effects
}
criterion_main!(benches);
