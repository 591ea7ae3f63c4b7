//! What `docs/graphs.md` says that may be asked is what is asked, for every kind of model.

use std::collections::BTreeSet;
use std::fs;

use vocalhost_testing::repository;

use super::demucs::waves;
use super::listeners::{rmvpe, silent_encoder};
use super::separators::{mdx, mdx23c, roformer, stem};
use super::voices::web_ui;
use super::{asked, made};
use crate::Why;
use crate::graphs::demucs::SEGMENT;

/// Separators that somebody may have to tell apart.
const FOUR: &str = "waves of 4 or 6 stems or a number left open";

/// A kind of model: the words that the table has for it, files of it, and an answer to everything that may be asked.
struct Kind {
    words: &'static [&'static str],
    files: Vec<(&'static str, Vec<u8>)>,
    answers: Vec<(&'static str, &'static str)>,
}

/// The answers of a voice that speaks at this rate.
fn voice(rate: &'static str) -> Vec<(&'static str, &'static str)> {
    vec![
        ("content_dim", "768"),
        ("content_layer", "11"),
        ("sample_rate", rate),
        ("speaker", "1"),
        ("instrument", "true"),
        ("mean_f0_hz", "180.5"),
        ("encoder", "contentvec"),
        ("profile", "rvc-2.3"),
        ("content", "another.encoder"),
    ]
}

/// A checkpoint without its settings.
fn separator(name: &str) -> Vec<u8> {
    let path = repository("tests/fixtures/separators").join(name);
    fs::read(path).expect("the fixture")
}

/// Separators that come without their settings.
fn of_checkpoints() -> [Kind; 4] {
    const WORDS: &[&str] = &["separators", "checkpoints of separators"];
    const OF_MDX23C: &[&str] = &[WORDS[0], WORDS[1], "checkpoints of MDX23C"];
    const OF_SCNET: &[&str] = &[WORDS[0], WORDS[1], "checkpoints of SCNet"];
    let (stems, pieces) = (("stems", "vocals"), ("pieces", "4"));
    let roformer = Kind {
        words: WORDS,
        files: vec![("b", separator("bs.ckpt"))],
        answers: vec![stems, pieces, ("samples", "96"), ("hop", "8")],
    };
    let stems = ("stems", "vocals,backing");
    let mdx23c = Kind {
        words: OF_MDX23C,
        files: vec![("m", separator("mdx23c.ckpt"))],
        answers: vec![
            stems,
            pieces,
            ("samples", "176"),
            ("hop", "16"),
            ("n_fft", "64"),
        ],
    };
    // Its steps along the bins are said by its settings alone.
    let scnet = Kind {
        words: OF_SCNET,
        files: vec![
            ("s", separator("scnet.ckpt")),
            ("y", separator("scnet.yaml")),
        ],
        answers: vec![
            ("stems", "drums,bass,other,vocals"),
            pieces,
            ("samples", "150"),
            ("hop", "16"),
            ("n_fft", "64"),
            ("bands", "0.3,0.3"),
        ],
    };
    let vr = repository("tests/fixtures/vr/vr_newer.pth");
    let vr = Kind {
        words: &["separators", "VR models"],
        files: vec![("v", fs::read(vr).expect("the fixture"))],
        answers: vec![
            ("vr_model_param", "4band_v3"),
            ("stems", "no-reverb"),
            ("aggression", "10"),
            ("frames", "160"),
        ],
    };
    [roformer, mdx23c, scnet, vr]
}

fn kinds() -> Vec<Kind> {
    let checkpoint = repository("tests/fixtures/checkpoints/rvc-v2-40k.pth");
    let demucs = || waves(SEGMENT, [0.1; 4]).bytes();
    let architecture = ("architecture", "demucs");
    let stems = ("stems", "drums,bass,other,vocals");
    let pieces = [("overlap", "0.5"), ("shifts", "2")];
    let kind = |words, files, answers| Kind {
        words,
        files,
        answers,
    };
    let graphs = vec![
        kind(
            &["voices", "voices that are told the pitch"],
            vec![("v", web_ui(768).bytes())],
            [voice("16000"), vec![("f0", "pyin")]].concat(),
        ),
        kind(
            &["voices"],
            vec![("v", fs::read(checkpoint).expect("the fixture"))],
            voice("40000"),
        ),
        kind(
            &["encoders", "encoders with one output"],
            vec![("e", silent_encoder().bytes())],
            vec![
                ("content_dim", "768"),
                ("layer", "12"),
                ("identity", "contentvec"),
            ],
        ),
        kind(
            &["estimators of pitch"],
            vec![("p", rmvpe().bytes())],
            vec![("threshold", "0.05")],
        ),
        kind(
            &["separators", "MDX-Net"],
            vec![("m", mdx(2_048, 9, 0.5).bytes())],
            vec![
                ("n_fft", "6144"),
                ("compensate", "1.03"),
                ("denoise", "true"),
                ("stems", "Instrumental"),
                ("overlap", "0.5"),
            ],
        ),
        kind(
            &["separators", "Demucs", FOUR],
            vec![("d", demucs())],
            [&[stems, architecture][..], &pieces].concat(),
        ),
        kind(
            &["separators", "Demucs", "bags of Demucs", FOUR],
            vec![("a", demucs()), ("b", demucs())],
            [
                &[stems, architecture, ("weights", "1,0,1,0;0,1,0,1")][..],
                &pieces,
            ]
            .concat(),
        ),
        kind(
            &["separators", "MDX23C", FOUR],
            vec![("m", waves(8_000, [0.1; 4]).bytes())],
            vec![stems, ("architecture", "mdx23c"), ("pieces", "4")],
        ),
        kind(
            &["separators", "MDX23C"],
            vec![("m", mdx23c().bytes())],
            vec![("stems", "vocals,accompaniment"), ("pieces", "4")],
        ),
        kind(
            &["separators", "RoFormer"],
            vec![("r", roformer().bytes())],
            vec![
                ("stems", "vocals"),
                ("pieces", "2"),
                ("output", "mask"),
                ("hop", "150"),
            ],
        ),
        kind(
            &["separators"],
            vec![("a", stem(1.0).bytes()), ("b", stem(2.0).bytes())],
            vec![("stems", "vocals,backing")],
        ),
    ];
    graphs.into_iter().chain(of_checkpoints()).collect()
}

/// The keys of the table, each with the kinds that it is for.
fn table() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(repository("docs/graphs.md")).expect("the page");
    let (_, section) = text
        .split_once("## What may be asked")
        .expect("the section");
    let (section, _) = section.split_once("\n### ").expect("the next section");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let mut cells = row.split(" | ");
        let key = cells
            .next()
            .expect("a key")
            .trim_end_matches('`')
            .to_owned();
        let kinds = cells.next().expect("kinds").split(", ");
        (key, kinds.map(str::to_owned).collect())
    })
    .collect()
}

#[test]
fn every_documented_answer_is_taken_and_no_other() {
    let table = table();
    assert!(table.len() > 10, "{table:?}");
    let words: BTreeSet<&str> = kinds()
        .iter()
        .flat_map(|kind| kind.words)
        .copied()
        .collect();
    for (key, kinds) in &table {
        for kind in kinds {
            assert!(words.contains(kind.as_str()), "{key} is for {kind}");
        }
    }
    for kind in kinds() {
        let is_for =
            |kinds: &Vec<String>| kinds.iter().any(|word| kind.words.contains(&word.as_str()));
        let (own, others): (Vec<_>, Vec<_>) = table.iter().partition(|(_, kinds)| is_for(kinds));
        let own: BTreeSet<&str> = own.iter().map(|(key, _)| key.as_str()).collect();
        let answered: BTreeSet<&str> = kind.answers.iter().map(|(key, _)| *key).collect();
        assert_eq!(own, answered, "{:?}", kind.words);
        if let Err(error) = made(&kind.files, &kind.answers) {
            panic!("{:?}: {error}: {error:?}", kind.words);
        }
        for (other, _) in others {
            let mut facts = kind.answers.clone();
            facts.push((other, "1"));
            let asked = asked(&kind.files, &facts);
            assert_eq!(
                (&asked[0].name, asked[0].why),
                (other, Why::Unknown),
                "{:?}",
                kind.words
            );
        }
    }
}
