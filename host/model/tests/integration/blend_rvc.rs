//! Blends of voices of RVC: name by name over their weights, with speaker tables of different lengths and indexes. And graphs
//! that take and give half floats.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use vocalhost_model::{Catalog, ConversionParameters, IndexElement, Package, check_family};
use vocalhost_testing::onnx::{Attribute, Graph};

use super::blend::{blend, load, sealed};
use super::sound::{convert, models_folder, vowel};

/// Channels of content of the encoder in `tests/fixtures/rvc`, samples per frame, and channels of a speaker.
const CONTENT: usize = 16;
const HOP: usize = 80;
const SPEAKER: usize = 4;

const PLAIN: ConversionParameters = ConversionParameters {
    conversion_strength: 0.0,
    model_volume_mix: 1.0,
    pitch_shift: 0.0,
    auto_pitch: false,
    seed: 0,
};

/// A voice whose sound is a sum of its weights: the content times one table, plus its speaker's row times one that all voices
/// have in common.
struct Tiny {
    name: &'static str,
    /// Chooses the weights.
    seed: f64,
    speakers: usize,
    index: Option<IndexElement>,
    /// Whether its index has two cells, and the value of the row in the nearer one; the other cell has what lies nearer to every query.
    in_cells: Option<f32>,
    version: &'static str,
    layer: u32,
    operator: &'static str,
    /// Whether content and sound are half floats.
    half: bool,
}

impl Tiny {
    fn new(name: &'static str, seed: f64) -> Self {
        Self {
            name,
            seed,
            speakers: 1,
            index: None,
            in_cells: None,
            version: "v2",
            layer: 12,
            operator: "Add",
            half: false,
        }
    }

    fn graph(&self) -> Vec<u8> {
        let table = |seed: f64, count: usize, scale: f64| -> Vec<f32> {
            let numbers = (0..count).map(|place| scale * (seed * (place + 1) as f64).sin());
            numbers.map(|number| number as f32).collect()
        };
        let (rows, content, hop) = (self.speakers as i64, CONTENT as i64, HOP as i64);
        let (phone, audio) = ([Some(1), None, Some(content)], [Some(1), Some(1), None]);
        let to = |element| [("to", Attribute::Int(element))];
        let (graph, last) = if self.half {
            let graph = Graph::default()
                .half_input(("phone", &phone))
                .half_output(("audio", &audio));
            (graph.node("Cast", &["phone"], "content", &to(1)), to(10))
        } else {
            let graph = Graph::default()
                .input(("phone", &phone))
                .output(("audio", &audio));
            (graph.node("Cast", &["phone"], "content", &to(1)), to(1))
        };
        graph
            .integer_input(("ds", &[Some(1)]))
            .constant(
                "emb_g.weight",
                &[rows, SPEAKER as i64],
                &table(self.seed + 0.1, self.speakers * SPEAKER, 0.5),
            )
            .constant(
                "dec.weight",
                &[content, hop],
                &table(self.seed, CONTENT * HOP, 0.02),
            )
            .constant(
                "dec.cond.weight",
                &[SPEAKER as i64, hop],
                &table(1.7, SPEAKER * HOP, 0.05),
            )
            .integers("whole", &[1, 1, -1])
            .node("Gather", &["emb_g.weight", "ds"], "speaker", &[])
            .node("MatMul", &["speaker", "dec.cond.weight"], "cond", &[])
            .node("MatMul", &["content", "dec.weight"], "spoken", &[])
            .node(self.operator, &["spoken", "cond"], "both", &[])
            .node("Reshape", &["both", "whole"], "sound", &[])
            .node("Cast", &["sound"], "audio", &last)
            .model()
    }

    /// Writes the package into a folder of its own below `models`.
    fn write(&self, models: &Path) -> PathBuf {
        let folder = models.join(self.name);
        fs::create_dir_all(&folder).expect("a folder");
        let (name, version, layer) = (self.name, self.version, self.layer);
        let mut text = format!(
            "schema = 1\nid = \"tests.{name}\"\nname = \"{name}\"\nversion = \"1.0.0\"\nkind = \"voice\"\n\
             family = \"rvc\"\nlicense = \"MIT\"\nattribution = \"nobody\"\ntrained_on = \"nothing\"\n\
             consent = \"not needed\"\ncreated = \"2026-11-21\"\n\n[audio]\nsample_rate_hz = 8000\nchannels = 1\n\n\
             [voice]\ntags = []\ninstrument = false\nupp = {HOP}\nnoise_scale = 0.66666\nspeaker = 0\n\
             content_dim = {CONTENT}\nenergy_channels = 0\n\n[rvc]\nversion = \"{version}\"\nf0 = false\n\
             content_layer = {layer}\ncontent_dim = {CONTENT}\n"
        );
        for id in 0..self.speakers {
            write!(
                text,
                "\n[[rvc.speakers]]\nid = {id}\nname = \"{name} {id}\"\n"
            )
            .expect("written");
        }
        let float = if self.half { "f16" } else { "f32" };
        for (io, tensor, role, dtype, shape) in [
            (
                "in",
                "phone",
                "content",
                float,
                format!("1, \"T\", {CONTENT}"),
            ),
            ("in", "ds", "speaker", "i64", "1".to_owned()),
            ("out", "audio", "audio", float, "1, 1, \"N\"".to_owned()),
        ] {
            write!(
                text,
                "\n[[tensor]]\nio = \"{io}\"\nname = \"{tensor}\"\nrole = \"{role}\"\ndtype = \"{dtype}\"\n\
                 shape = [{shape}]\n"
            )
            .expect("written");
        }
        let mut file = |name: &str, role: &str, content: &[u8]| {
            let digest = base16ct::lower::encode_string(&Sha256::digest(content));
            let bytes = content.len();
            write!(
                text,
                "\n[files.\"{name}\"]\nrole = \"{role}\"\nsha256 = \"{digest}\"\nbytes = {bytes}\n"
            )
            .expect("written");
            fs::write(folder.join(name), content).expect("written");
        };
        file("net.onnx", "graph", &self.graph());
        if let Some(dtype) = self.index {
            let row = |value: f32| value.to_le_bytes().repeat(CONTENT);
            let (word, mut content) = match dtype {
                IndexElement::F16 => ("f16", vec![0; 2 * CONTENT]),
                IndexElement::F32 => ("f32", row(1.0)),
            };
            let mut rows = 1;
            if let Some(value) = self.in_cells {
                rows = 2;
                let sizes = [1_u32, 1].map(u32::to_le_bytes).concat();
                content = [row(value), row(0.0), row(0.0), row(1000.0), sizes].concat();
            }
            file("index", "index", &content);
            write!(
                text,
                "\n[index]\nrows = {rows}\ndim = {CONTENT}\ndtype = \"{word}\"\nk = 1\nweighting = \"inverse-square\"\n"
            )
            .expect("written");
            if self.in_cells.is_some() {
                text += "\n[index.cells]\ncount = 2\nprobe = 1\n";
            }
        }
        fs::write(folder.join("package.toml"), text).expect("written");
        folder
    }
}

/// The voices' packages beside the encoder that they need.
fn packages(voices: &[Tiny]) -> (tempfile::TempDir, Catalog) {
    let models = tempfile::tempdir().expect("a temporary folder");
    for voice in voices {
        voice.write(models.path());
    }
    let fixtures = models_folder().join("../tests/fixtures/rvc");
    let catalog = Catalog::open(&[models.path().to_owned(), fixtures]);
    assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
    (models, catalog)
}

fn find<'c>(catalog: &'c Catalog, name: &str) -> &'c Package {
    catalog.find(&format!("tests.{name}")).expect("the voice")
}

fn spoken(package: &Package, catalog: &Catalog) -> Vec<f32> {
    spoken_as(package, catalog, &PLAIN)
}

fn spoken_as(package: &Package, catalog: &Catalog, how: &ConversionParameters) -> Vec<f32> {
    convert(&load(package, catalog), &vowel(1.0, |_| 150.0), how)
}

#[test]
fn weights_meet_by_name_and_speakers_are_cut_to_the_fewest() {
    let many = Tiny {
        speakers: 3,
        index: Some(IndexElement::F32),
        ..Tiny::new("many", 0.3)
    };
    let few = Tiny {
        index: Some(IndexElement::F16),
        ..Tiny::new("few", 0.8)
    };
    let (_models, catalog) = packages(&[many, few]);
    let (many, few) = (find(&catalog, "many"), find(&catalog, "few"));
    let (many_spoken, few_spoken) = (spoken(many, &catalog), spoken(few, &catalog));
    for parts in [[(many, 0.25), (few, 0.75)], [(few, 0.75), (many, 0.25)]] {
        let (_folder, package) = sealed(&parts);
        let manifest = package.manifest();
        let rvc = manifest.rvc.as_ref().expect("a voice of RVC");
        let speakers: Vec<i64> = rvc.speakers.iter().map(|speaker| speaker.id).collect();
        assert_eq!(speakers, [0]);
        let name = &rvc.speakers[0].name;
        assert!(name.contains("many 0") && name.contains("few 0"), "{name}");
        let index = manifest.index.as_ref().expect("an index");
        assert_eq!((index.rows, index.dtype), (2, IndexElement::F32));
        let mut shares: Vec<f64> = index.parts.iter().map(|part| part.share).collect();
        shares.sort_by(f64::total_cmp);
        assert_eq!(shares, [0.25, 0.75]);
        let found = spoken(&package, &catalog);
        let loudest = found
            .iter()
            .fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
        assert!(loudest > 0.01, "it speaks: {loudest}");
        for (place, found) in found.iter().enumerate() {
            let expected = 0.25 * many_spoken[place] + 0.75 * few_spoken[place];
            assert!(
                (found - expected).abs() < 1e-4,
                "{place}: {found} {expected}"
            );
        }
    }
}

#[test]
fn cells_of_an_index_are_searched_in_a_blend_as_in_the_voice() {
    let divided = |name, value| Tiny {
        index: Some(IndexElement::F32),
        in_cells: Some(value),
        ..Tiny::new(name, 0.3)
    };
    let voices = [divided("ones", 1.0), divided("twos", 2.0)];
    let (_models, catalog) = packages(&voices);
    let (ones, twos) = (find(&catalog, "ones"), find(&catalog, "twos"));
    let all_retrieved = ConversionParameters {
        conversion_strength: 1.0,
        ..PLAIN
    };
    let (_folder, blend) = sealed(&[(ones, 0.25), (twos, 0.75)]);
    let [ones, twos, blend] =
        [ones, twos, &blend].map(|voice| spoken_as(voice, &catalog, &all_retrieved));
    // The weights are the same, and the sound is linear in the content.
    assert!(ones != twos && ones.len() == blend.len());
    for (place, found) in blend.iter().enumerate() {
        let expected = 0.25 * ones[place] + 0.75 * twos[place];
        assert!(
            (found - expected).abs() < 1e-4,
            "{place}: {found} {expected}"
        );
    }
}

#[test]
fn a_graph_of_half_floats_is_fed_and_heard_like_one_of_single_ones() {
    let half = Tiny {
        half: true,
        ..Tiny::new("half", 0.3)
    };
    let (_models, catalog) = packages(&[Tiny::new("single", 0.3), half]);
    let single = spoken(find(&catalog, "single"), &catalog);
    let half = spoken(find(&catalog, "half"), &catalog);
    let peak = single.iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
    assert!(single != half && single.len() == half.len());
    for (single, half) in single.iter().zip(&half) {
        // A half float has eleven bits.
        assert!((single - half).abs() < 2e-3 * peak, "{single} {half}");
    }
}

#[test]
fn what_cannot_blend_is_refused_with_the_reason() {
    let voices = [
        Tiny::new("plain", 0.3),
        Tiny {
            version: "v1",
            ..Tiny::new("older", 0.8)
        },
        Tiny {
            layer: 9,
            ..Tiny::new("other-layer", 0.8)
        },
        Tiny {
            operator: "Sub",
            ..Tiny::new("other-graph", 0.8)
        },
    ];
    let (_models, catalog) = packages(&voices);
    let plain = find(&catalog, "plain");
    let own = Catalog::open(&[models_folder()]);
    let own = own.voices().next().expect("a voice");
    for (other, reason) in [
        (find(&catalog, "older"), "version v2 against v1"),
        (
            find(&catalog, "other-layer"),
            "content of layer 12 against 9",
        ),
        (
            find(&catalog, "other-graph"),
            "node 4, Add \"\": the other has Sub there",
        ),
        (own, "family rvc against ddsp-rvc"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let error = blend(&[(plain, 0.5), (other, 0.5)], folder.path()).expect_err("refused");
        let text = error.to_string();
        assert!(text.contains(reason), "{text}");
        assert!(text.contains("plain"), "{text}");
    }
    // A voice that takes any encoder does not make two that name different ones alike.
    let bound = |encoder: &str| {
        let mut manifest = plain.manifest().clone();
        if let Some(voice) = &mut manifest.voice {
            voice.content = Some(encoder.to_owned());
        }
        manifest
    };
    let (any, a, b) = (plain.manifest(), bound("tests.a"), bound("tests.b"));
    for voices in [[&a, any, &b], [any, &a, &b], [&a, &b, any]] {
        let error = check_family(&voices).expect_err("refused").to_string();
        assert!(error.contains("tests.a against tests.b"), "{error}");
    }
    check_family(&[any, &a, &a]).expect("one encoder fits");
}
