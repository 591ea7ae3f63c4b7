//! What is wrong with recordings that a voice is to be trained on.

use super::given::Recording;
use super::intake::Taken;
use super::who::{ConsentFault, WhoSpeaks};
use vocalhost_job::{FindingCode, InputWarning, TrainingFinding, WarningCode};
use vocalhost_training::{Apart, spread_semitones};

/// The least number of frames of 10 ms that have to sound, and of those that have to have a pitch.
const LEAST_SOUNDING: usize = 3_000;
const LEAST_VOICED: usize = 1_500;
/// The largest share of samples that may be clipped.
const MOST_CLIPPED: f64 = 0.001;
const LEAST_BANDWIDTH_HZ: f64 = 5_000.0;
const LEAST_SIGNAL_TO_NOISE_DB: f64 = 12.0;
const LEAST_SPREAD_SEMITONES: f64 = 2.0;

/// From which distance, as [`Apart`] measures it, two recordings are of several speakers; and a distance that parts of recordings of one
/// person seldom reach. The measurements are in `docs/training.md`.
const SEVERAL_SPEAKERS: f64 = 0.26;
const MAYBE_SEVERAL_SPEAKERS: f64 = 0.15;

/// What models hear of all recordings.
pub struct HeardOfAll<'h> {
    /// The pitches of each recording, 0 where there is none.
    pub pitches: &'h [Vec<f32>],
    /// How far parts of them are apart.
    pub apart: Apart,
    /// Minutes that are used.
    pub most_minutes: u64,
    /// Who speaks in them.
    pub who: WhoSpeaks,
}

/// Everything that is wrong with the recordings: first what concerns all of them, then each in turn.
pub fn findings(
    recordings: &[Recording],
    taken: &[Taken],
    heard: &HeardOfAll<'_>,
) -> Vec<TrainingFinding> {
    let mut found = Vec::new();
    let mut say = |code, recording, message| {
        found.push(TrainingFinding {
            code,
            message,
            recording,
        });
    };
    let seconds = |frames: usize| frames as f64 / 100.0;
    // A second copy of a recording does not count as more of the voice.
    let is_new = |(number, one): &(usize, &Taken)| {
        let mut before = taken[..*number].iter();
        before.all(|other| other.sha256 != one.sha256)
    };
    let new: Vec<(usize, &Taken)> = taken.iter().enumerate().filter(is_new).collect();
    let once = if new.len() < taken.len() {
        "; what is given twice counts once"
    } else {
        ""
    };
    let sounding: usize = new.iter().map(|(_, taken)| taken.cut.sounding).sum();
    if sounding < LEAST_SOUNDING {
        let message = format!(
            "{:.1} s of sound are too little: at least {:.0} s are needed, silences not counted{once}",
            short_of(seconds(sounding)),
            seconds(LEAST_SOUNDING)
        );
        say(FindingCode::TooShort, None, message);
    }
    let pitches = new
        .iter()
        .filter_map(|(number, _)| heard.pitches.get(*number));
    let voiced = pitches.flatten().filter(|f0| **f0 > 0.0).count();
    if voiced < LEAST_VOICED {
        let message = format!(
            "{:.1} s with a pitch are too little: at least {:.0} s are needed; music, noise and whispers have no pitch of one voice",
            short_of(seconds(voiced)),
            seconds(LEAST_VOICED)
        );
        say(FindingCode::TooLittleVoice, None, message);
    }
    if let Some((number, likeness)) = heard.who.protected {
        let one = number.and_then(|number| recordings.get(number));
        let name = one.map_or("all together", |one| &one.name);
        let message = format!(
            "{name}: this is a voice that nobody may train on this server (likeness {likeness:.2}); whoever it belongs to can ask the operator"
        );
        say(FindingCode::Protected, number, message);
    }
    match heard.who.consent {
        Some(ConsentFault::Short(frames)) => {
            let message = format!(
                "the consent has {:.1} s of sound: the whole sentence is needed",
                seconds(frames)
            );
            say(FindingCode::ConsentTooShort, None, message);
        }
        Some(ConsentFault::Other(likeness)) => {
            let message = format!(
                "somebody else says the consent than is heard in the recordings (likeness {likeness:.2}): whoever the voice is made of has to say it, as clearly as the recordings are"
            );
            say(FindingCode::ConsentSpeaker, None, message);
        }
        None => {}
    }
    if taken.iter().any(|taken| taken.is_short) {
        let message = match heard.most_minutes {
            1 => "only the first minute is used".to_owned(),
            minutes => format!("only the first {minutes} minutes are used"),
        };
        say(FindingCode::Cut, None, message);
    }
    let spread = spread_semitones(&heard.pitches.concat());
    if voiced >= LEAST_VOICED && spread < LEAST_SPREAD_SEMITONES {
        let message = format!(
            "the pitch moves by {:.1} semitones only: a voice that is to sing or to speak lively learns more from recordings that move by {LEAST_SPREAD_SEMITONES:.0} and more",
            short_of(spread)
        );
        say(FindingCode::Monotone, None, message);
    }
    if let Some((code, message)) = of_speakers(recordings, heard.apart) {
        say(code, None, message);
    }
    for (number, (recording, taken)) in recordings.iter().zip(taken).enumerate() {
        for (code, message) in of_one(&recording.name, taken) {
            say(code, Some(number), message);
        }
    }
    found
}

/// The finding about parts of the recordings that differ: between two recordings it may be certain, between parts within one never.
fn of_speakers(recordings: &[Recording], apart: Apart) -> Option<(FindingCode, String)> {
    let names = |both: [usize; 2]| {
        let names = both.map(|number| recordings.get(number).map_or("", |one| &one.name));
        names.join(" and ")
    };
    if let Some((both, figure)) = apart.recordings
        && figure > SEVERAL_SPEAKERS
    {
        let message = format!(
            "more than one person is heard: {} form the same sounds {figure:.2} apart, and recordings of one person are at most {SEVERAL_SPEAKERS:.2}",
            names(both)
        );
        return Some((FindingCode::SeveralSpeakers, message));
    }
    let of_recordings = apart.recordings.map(|(both, figure)| (names(both), figure));
    let of_parts = apart
        .parts
        .map(|figure| ("two parts of what is said".to_owned(), figure));
    let found = of_recordings.into_iter().chain(of_parts);
    let (parts, figure) = found.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    (figure > MAYBE_SEVERAL_SPEAKERS).then(|| {
        let message = format!(
            "there may be more than one person: {parts} form the same sounds {figure:.2} apart, and one person seldom does more than {MAYBE_SEVERAL_SPEAKERS:.2}, but in several languages or where the same is said again and again"
        );
        (FindingCode::MaybeSeveralSpeakers, message)
    })
}

/// What is wrong with one recording.
fn of_one(name: &str, taken: &Taken) -> Vec<(FindingCode, String)> {
    let mut found = Vec::new();
    if taken.clipped > MOST_CLIPPED {
        let message = format!(
            "{name}: {:.2} % of its samples are clipped, at most {:.1} % may be: record it at a lower level",
            100.0 * taken.clipped,
            100.0 * MOST_CLIPPED
        );
        found.push((FindingCode::Clipped, message));
    }
    if taken.cut.sounding == 0 {
        return found;
    }
    if taken.bandwidth_hz < LEAST_BANDWIDTH_HZ {
        let message = format!(
            "{name}: it has nothing above {:.1} kHz, as on a telephone; at least {:.0} kHz are needed",
            short_of(taken.bandwidth_hz / 1_000.0),
            LEAST_BANDWIDTH_HZ / 1_000.0
        );
        found.push((FindingCode::NarrowBand, message));
    }
    if let Some(db) = taken.signal_to_noise_db
        && db < LEAST_SIGNAL_TO_NOISE_DB
    {
        let message = format!(
            "{name}: the voice is {:.1} dB above the noise only; at least {LEAST_SIGNAL_TO_NOISE_DB:.0} dB are needed",
            short_of(db)
        );
        found.push((FindingCode::Noisy, message));
    }
    found
}

/// Rounds down a figure that is too small, for display with one decimal: rounded up it might look like the required one.
fn short_of(figure: f64) -> f64 {
    (figure * 10.0).floor() / 10.0
}

/// The warnings about recordings that were accepted all the same.
pub fn warnings(findings: &[TrainingFinding]) -> Vec<InputWarning> {
    let warnings = findings.iter().filter_map(|finding| {
        let code = match finding.code {
            FindingCode::Monotone => WarningCode::InputMonotone,
            FindingCode::Cut => WarningCode::InputTooLong,
            FindingCode::MaybeSeveralSpeakers => WarningCode::InputSeveralSpeakers,
            _ => return None,
        };
        Some(InputWarning {
            code,
            message: finding.message.clone(),
            at_s: 0.0,
            duration_s: None,
            of_backing: false,
        })
    });
    warnings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_is_too_small_looks_too_small() {
        assert_eq!(format!("{:.1}", short_of(11.97)), "11.9");
        assert_eq!(format!("{:.1}", short_of(29.999)), "29.9");
        assert_eq!(format!("{:.1}", short_of(4.0)), "4.0");
        assert_eq!(format!("{:.1}", short_of(-0.31)), "-0.4");
    }
}
