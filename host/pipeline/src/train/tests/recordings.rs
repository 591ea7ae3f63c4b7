use super::*;
use vocalhost_job::{FindingCode, WarningCode};

#[test]
fn whoever_says_the_consent_is_heard_in_the_recordings() {
    let mut place = Place::new();
    place.consent.spoken = Some("4711".to_owned());
    let recording = place.recording("said.wav");
    amber(&recording.path);
    let recordings = std::slice::from_ref(&recording);
    let scratch = place.folder.path().join("said");
    let refusals = |spoken: &Path| {
        // Each attempt has a folder of its own.
        let _none_yet = fs::remove_dir_all(&scratch);
        fs::create_dir(&scratch).expect("made");
        let job = Train {
            spoken: Some(spoken),
            ..place.job(recordings, &scratch, 20)
        };
        match train_steps(&job, 10, &mut |_| {}) {
            Ok(_) => Vec::new(),
            Err(PipelineError::Unfit(found)) => {
                let found = found.into_iter().map(|finding| finding.code);
                found.filter(|code| !code.is_warning()).collect()
            }
            Err(error) => panic!("{error}"),
        }
    };
    // Voices that have said the same are much alike: an instrument that has is not.
    let other = repository("models/vocalhost.violin-4/demo.mp3");
    assert_eq!(refusals(&other), [FindingCode::ConsentSpeaker]);
    let short = place.folder.path().join("short.wav");
    wave(&short, said("amber", 6.0)[..48_000].to_vec());
    assert_eq!(refusals(&short), [FindingCode::ConsentTooShort]);
    let silent = place.folder.path().join("silent.wav");
    wave(&silent, vec![0.0; 128_000]);
    assert_eq!(refusals(&silent), [FindingCode::ConsentTooShort]);
    let own = voice("amber").join("demo.mp3");
    assert_eq!(refusals(&own), []);
    let package = fs::read_to_string(scratch.join(Package::MANIFEST_NAME)).expect("written");
    let sum = described(&voice("amber"), "demo.mp3", FileRole::Output).expect("it is there");
    let sum = sum.content.expect("it is made").sha256;
    let kept = format!("with the number 4711 (SHA-256 {sum})");
    assert!(package.contains(&kept), "{package}");
}

#[test]
fn everything_that_is_wrong_with_recordings_is_said_at_once() {
    let place = Place::new();
    // 4 s of a tone of 300 Hz that is clipped, and silence.
    let tone = |n: u32| (3.0 * (f64::from(n) * 0.0589).sin()).clamp(-1.0, 1.0) as f32;
    wave(
        &place.recording("clipped.wav").path,
        (0..128_000).map(tone).collect(),
    );
    let low = |n: u32| 0.2 * (f64::from(n) * 0.0589).sin() as f32;
    for name in ["low.wav", "again.wav"] {
        let path = place.recording(name).path;
        wave(&path, (0..64_000).map(low).collect());
    }
    wave(&place.recording("silent.wav").path, vec![0.0; 64_000]);
    let names = ["clipped.wav", "low.wav", "silent.wav", "again.wav"];
    let recordings = names.map(|name| place.recording(name));
    let error = place.train(&recordings, 10).expect_err("it is refused");
    let PipelineError::Unfit(found) = &error else {
        panic!("{error}");
    };
    let codes: Vec<(FindingCode, Option<usize>)> = found
        .iter()
        .map(|finding| (finding.code, finding.recording))
        .collect();
    for wanted in [
        (FindingCode::TooShort, None),
        (FindingCode::TooLittleVoice, None),
        (FindingCode::Clipped, Some(0)),
        (FindingCode::NarrowBand, Some(1)),
    ] {
        assert!(codes.contains(&wanted), "{wanted:?} of {codes:?}");
    }
    let failure = error.failure();
    assert_eq!(failure.code, vocalhost_job::FailureCode::RecordingsUnfit);
    for part in ["6.0 s of sound", "what is given twice counts once"] {
        assert!(failure.message.contains(part), "{}", failure.message);
    }
    assert!(!failure.retryable);
}

#[test]
fn two_persons_in_two_recordings_are_found_and_one_is_not() {
    let found = |said: [(&str, f64); 2]| {
        let place = Place::new();
        let recordings = said.map(|(name, seconds)| {
            let recording = place.recording(&format!("{name} {seconds}.wav"));
            over_and_over(name, seconds, &recording.path);
            recording
        });
        match place.train(&recordings, 10) {
            Err(PipelineError::Unfit(found)) => found,
            Ok(_) => Vec::new(),
            Err(error) => panic!("{error}"),
        }
    };
    let several = found([("amber", 20.0), ("oak", 20.0)]);
    let [finding] = &several[..] else {
        panic!("{several:?}");
    };
    assert_eq!(finding.code, FindingCode::SeveralSpeakers);
    let names = "amber 20.wav and oak 20.wav";
    assert!(finding.message.contains(names), "{}", finding.message);
    assert_eq!(found([("amber", 20.0), ("amber", 27.0)]), []);
}

#[test]
fn more_than_is_used_is_cut_with_a_word_about_it() {
    let place = Place::new();
    let recording = place.recording("long.wav");
    over_and_over("amber", 75.0, &recording.path);
    let made = place
        .train_minutes(std::slice::from_ref(&recording), 10, 1)
        .expect("it is trained");
    let cut = made
        .warnings
        .iter()
        .find(|warning| warning.code == WarningCode::InputTooLong);
    let message = &cut.expect("it is said").message;
    assert_eq!(message, "only the first minute is used");
}

#[test]
fn a_voice_that_is_protected_is_refused_and_others_are_not() {
    let place = Place::new();
    let recording = place.recording("said.wav");
    amber(&recording.path);
    let recordings = std::slice::from_ref(&recording);
    let scratch = |name: &str| {
        let scratch = place.folder.path().join(name);
        fs::create_dir(&scratch).expect("made");
        scratch
    };
    let folder = place.folder.path().join("protected");
    fs::create_dir(&folder).expect("made");
    fs::write(folder.join(".notes"), "whose they are").expect("written");
    let train_with = |names: &[&str]| {
        for name in names {
            fs::copy(
                voice(name).join("demo.mp3"),
                folder.join(format!("{name}.mp3")),
            )
            .expect("copied");
        }
        let protected = protected_recordings(&folder).expect("listed");
        assert_eq!(protected.len(), names.len());
        let scratch = scratch(&names.join(" "));
        let plain = place.job(recordings, &scratch, 20);
        train_steps(
            &Train {
                protected: &protected,
                ..plain
            },
            10,
            &mut |_| {},
        )
    };
    train_with(&["oak", "slate"]).expect("two others");
    let refused = train_with(&["oak", "slate", "amber"]);
    let Err(PipelineError::Unfit(found)) = refused else {
        panic!("{refused:?}");
    };
    let mut refusals = found.iter().filter(|finding| !finding.code.is_warning());
    let (Some(finding), None) = (refusals.next(), refusals.next()) else {
        panic!("{found:?}");
    };
    assert_eq!(
        (finding.code, finding.recording),
        (FindingCode::Protected, Some(0))
    );
    assert!(
        finding
            .message
            .starts_with("said.wav: this is a voice that nobody may train"),
        "{}",
        finding.message
    );
    assert!(
        !finding.message.contains("amber"),
        "nobody is told which voices are protected"
    );
    // In pieces that are too short to tell who speaks.
    let pieces: Vec<Recording> = said("amber", 40.0)
        .chunks_exact(40_000)
        .take(TrainingSpec::MAX_RECORDINGS)
        .enumerate()
        .map(|(number, samples)| {
            let piece = place.recording(&format!("piece {number}.wav"));
            wave(&piece.path, samples.to_vec());
            piece
        })
        .collect();
    let protected = protected_recordings(&folder).expect("listed");
    let in_pieces = scratch("pieces");
    let job = Train {
        protected: &protected,
        ..place.job(&pieces, &in_pieces, 20)
    };
    let Err(PipelineError::Unfit(found)) = train_steps(&job, 10, &mut |_| {}) else {
        panic!("they are trained");
    };
    let codes: Vec<FindingCode> = found.iter().map(|finding| finding.code).collect();
    assert!(codes.contains(&FindingCode::Protected), "{codes:?}");
    fs::write(folder.join("broken.wav"), "RIFF").expect("written");
    let protected = protected_recordings(&folder).expect("listed");
    let scratch = scratch("broken");
    let job = Train {
        protected: &protected,
        ..place.job(recordings, &scratch, 20)
    };
    let error =
        train_steps(&job, 10, &mut |_| {}).expect_err("one that cannot be heard protects nobody");
    assert_eq!(error.failure().code, vocalhost_job::FailureCode::Internal);
}
