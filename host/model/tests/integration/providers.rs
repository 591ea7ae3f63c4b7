//! What models run on, and what of them stays loaded.

use vocalhost_model::{
    Catalog, ModelError, Package, Provider, ProviderChoice, Runtime, Separator, Task,
    VoiceConverter,
};

use super::sound::{PLAIN, convert, models_folder, vowel};

fn runtime() -> Runtime {
    Runtime::load(None).expect("the set-up has installed the library")
}

fn on(providers: &[Provider], strict: bool) -> Runtime {
    runtime().on(ProviderChoice {
        providers: providers.to_vec(),
        gpu: None,
        strict,
    })
}

fn load(runtime: &Runtime, catalog: &Catalog, voice: &Package) -> VoiceConverter {
    VoiceConverter::load(runtime, voice, catalog, 1).expect("the voice loads")
}

fn steady(_: f64) -> f64 {
    170.0
}

/// A provider that the library of the set-up does not have.
fn missing() -> Provider {
    let runtime = runtime();
    let missing = Provider::ALL.into_iter().find(|it| !runtime.offers(*it));
    missing.expect("no library has all of them")
}

#[test]
fn in_strict_mode_a_missing_provider_keeps_models_from_loading_and_says_so() {
    let catalog = Catalog::open(&[models_folder()]);
    let voice = catalog.voices().next().expect("a voice");
    let missing = missing();
    let strict = on(&[missing], true);
    let error = VoiceConverter::load(&strict, voice, &catalog, 1).err();
    let error = error.expect("it cannot load");
    assert!(
        matches!(&error, ModelError::ProviderMissing(provider) if *provider == missing),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains(missing.as_str()) && text.contains("built without it"),
        "{text}"
    );
    let separator = catalog.separator(Task::Vocals, &[]).expect("a separator");
    assert!(Separator::load(&strict, separator, &catalog, 1).is_err());
}

#[test]
fn otherwise_models_run_on_the_processor_as_ever_and_say_so() {
    let catalog = Catalog::open(&[models_folder()]);
    let voice = catalog.voices().next().expect("a voice");
    let source = vowel(1.0, steady);
    let lenient = load(&on(&[missing()], false), &catalog, voice);
    let expected = convert(&load(&runtime(), &catalog, voice), &source, &PLAIN);
    assert!(convert(&lenient, &source, &PLAIN) == expected);
    assert_eq!(lenient.provider(), "cpu");
}

#[test]
fn the_processor_works_and_what_was_not_built_in_is_told_apart_from_it() {
    let runtime = runtime();
    assert!(runtime.offers(Provider::Cpu));
    runtime.try_out(Provider::Cpu).expect("it works");
    let error = runtime.try_out(missing()).expect_err("it cannot work");
    assert!(error.to_string().contains("built without it"), "{error}");
}

/// With the library of the set-up this is the processor alone; a library with more is named by `ORT_DYLIB_PATH`.
#[test]
fn every_provider_that_works_here_converts_like_the_processor_and_is_named() {
    let catalog = Catalog::open(&[models_folder()]);
    let voice = catalog.voices().next().expect("a voice");
    let source = vowel(1.0, steady);
    let expected = convert(&load(&runtime(), &catalog, voice), &source, &PLAIN);
    let works = |provider: &Provider| runtime().try_out(*provider).is_ok();
    for provider in Provider::ALL.into_iter().filter(works) {
        let voice = load(&on(&[provider], false), &catalog, voice);
        let found = convert(&voice, &source, &PLAIN);
        assert!(
            voice.provider().starts_with(provider.as_str()),
            "{}",
            voice.provider()
        );
        let pairs = found.iter().zip(&expected);
        let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        eprintln!("{}: {off:.1e}", voice.provider());
        assert!(off <= 1e-3, "{provider}: off by {off}");
    }
}

#[test]
fn voices_share_what_they_have_in_common_and_sound_the_same() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices: Vec<&Package> = catalog.voices().take(2).collect();
    let source = vowel(1.0, steady);
    let alone = convert(&load(&runtime(), &catalog, voices[1]), &source, &PLAIN);
    let keeping = runtime().keeping(1 << 40);
    convert(&load(&keeping, &catalog, voices[0]), &source, &PLAIN);
    let first = keeping.cache_figures();
    assert_eq!(first.reused, 0);
    let shared = convert(&load(&keeping, &catalog, voices[1]), &source, &PLAIN);
    let second = keeping.cache_figures();
    assert!(
        second.reused >= 2,
        "the encoder and the estimator are there"
    );
    assert!(
        shared == alone,
        "a model that ran before gives the same samples"
    );
    load(&keeping, &catalog, voices[0]);
    let third = keeping.cache_figures();
    assert_eq!(third.loaded, second.loaded, "all of it is there");
    assert_eq!(third.evicted, 0);
}

#[test]
fn without_room_nothing_stays_and_nothing_is_missed() {
    let catalog = Catalog::open(&[models_folder()]);
    let voice = catalog.voices().next().expect("a voice");
    let crowded = runtime().keeping(1);
    for _ in 0..2 {
        let voice = load(&crowded, &catalog, voice);
        crowded.settle();
        assert!(!convert(&voice, &vowel(0.5, steady), &PLAIN).is_empty());
    }
    let figures = crowded.cache_figures();
    assert_eq!((figures.reused, figures.held_bytes), (0, 0));
}
