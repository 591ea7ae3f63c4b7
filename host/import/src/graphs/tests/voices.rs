use std::fs;

use super::{ONE, T, asked, made, names, of, questions, refusal};
use crate::Why;
use crate::torch::testing::archive;
use vocalhost_model::{Direction, Family, Manifest, TensorRole};
use vocalhost_onnx::testing::{Tiny, wholes};
use vocalhost_onnx::{Dim, Element};
use vocalhost_testing::repository;

/// Samples of a frame of these voices: two transposed convolutions by 10 and by 16.
const UPP: u32 = 160;

fn roles(manifest: &Manifest) -> Vec<(&str, TensorRole)> {
    let inputs = manifest.tensors.iter();
    let inputs = inputs.filter(|tensor| tensor.io == Direction::In);
    inputs
        .map(|tensor| (tensor.name.as_str(), tensor.role))
        .collect()
}

/// Sound of `prior`, `[1, 4, T]`: `wave`, `[1, 1, N]`.
fn generator(graph: Tiny) -> Tiny {
    let by = |stride: u64| {
        [
            wholes("strides", &[stride]),
            wholes("kernel_shape", &[stride]),
        ]
    };
    graph
        .weight("dec.ups.0.weight", &[4, 2, 10], 0.01)
        .weight("dec.ups.1.weight", &[2, 1, 16], 0.1)
        .node_with(
            "ConvTranspose",
            &["prior", "dec.ups.0.weight"],
            "up",
            &by(10),
        )
        .node_with(
            "ConvTranspose",
            &["up", "dec.ups.1.weight"],
            "wave",
            &by(16),
        )
}

/// The sound and a sine source beside it, which is told the pitch and has noise of the runtime's own: `sound`, `[1, 1, N]`.
fn excited(graph: Tiny) -> Tiny {
    generator(graph)
        .weight_of("column", Element::I64, &[3], &super::integers(&[1, -1, 1]))
        .weight_of(
            "upp",
            Element::I64,
            &[3],
            &super::integers(&[1, 1, i64::from(UPP)]),
        )
        .node("Reshape", &["pitchf", "column"], "f0")
        .node("Tile", &["f0", "upp"], "tiled")
        .node("Reshape", &["tiled", "column"], "sine")
        .node("RandomNormalLike", &["sine"], "noise")
        .node_with(
            "Transpose",
            &["noise"],
            "row",
            &[wholes("perm", &[0, 2, 1])],
        )
        .node("Add", &["wave", "row"], "sound")
}

fn with_pitch(graph: Tiny) -> Tiny {
    graph
        .input("pitch", Element::I64, &[ONE, T])
        .input("pitchf", Element::F32, &[ONE, T])
}

/// RVC's own form.
pub(super) fn web_ui(channels: u64) -> Tiny {
    let content = [ONE, T, Dim::Fixed(channels)];
    let graph = Tiny::in_opset("", 17)
        .input("phone", Element::F32, &content)
        .input("phone_lengths", Element::I64, &[ONE]);
    let graph = with_pitch(graph)
        .input("ds", Element::I64, &[ONE])
        .input("rnd", Element::F32, &[ONE, Dim::Fixed(4), T])
        .weight("emb_g.weight", &[5, 3], 0.1)
        .node("Gather", &["emb_g.weight", "ds"], "g")
        .node("Tanh", &["rnd"], "prior");
    // Exporters leave the rate's multiple as a name of their own.
    excited(graph).node("Tanh", &["sound"], "audio").output(
        "audio",
        Element::F32,
        &[ONE, Dim::Any("a"), Dim::Any("b")],
    )
}

/// w-okada's form, with the prior's noise inside.
fn w_okada(channels: u64) -> Tiny {
    Tiny::in_opset("", 17)
        .input("feats", Element::F32, &[ONE, T, Dim::Fixed(channels)])
        .input("p_len", Element::I64, &[ONE])
        .input("sid", Element::I64, &[ONE])
        .weight("w", &[channels, 4], 0.01)
        .weight("enc_p.proj.bias", &[8], 0.0)
        .node("MatMul", &["feats", "w"], "h")
        .node_with("Transpose", &["h"], "m_p", &[wholes("perm", &[0, 2, 1])])
        .node("RandomNormalLike", &["m_p"], "random")
        .node("Add", &["m_p", "random"], "prior")
}

/// Sound of one axis, of `from`.
fn flat(graph: Tiny, from: &str) -> Tiny {
    graph
        .weight_of("all", Element::I64, &[1], &super::integers(&[-1]))
        .node("Reshape", &[from, "all"], "audio")
        .output("audio", Element::F32, &[Dim::Any("n")])
}

#[test]
fn the_form_of_rvcs_own_export() {
    for (channels, layer) in [(256, 9), (768, 12)] {
        let made = of(&web_ui(channels));
        let manifest = made.manifest();
        assert_eq!(made.imported.family, Family::Rvc);
        assert_eq!(manifest.audio.sample_rate_hz, UPP * 100);
        let voice = manifest.voice.as_ref().expect("a voice");
        assert!(
            (voice.noise_scale - 0.66666).abs() < 1e-9,
            "the host scales it"
        );
        let rvc = manifest.rvc.as_ref().expect("facts");
        assert_eq!(
            (rvc.content_layer, u64::from(rvc.content_dim)),
            (layer, channels)
        );
        assert!(rvc.f0);
        assert_eq!(
            roles(&manifest),
            [
                ("phone", TensorRole::Content),
                ("phone_lengths", TensorRole::Length),
                ("pitch", TensorRole::Pitch),
                ("pitchf", TensorRole::Pitchf),
                ("ds", TensorRole::Speaker),
                ("rnd", TensorRole::PriorNoise),
                ("nsf_noise", TensorRole::SourceNoise),
            ]
        );
        assert!(made.found().contains("5 speakers"), "{}", made.found());
        made.runs();
    }
}

#[test]
fn the_form_of_w_okada_with_its_description() {
    let description = r#"{"application":"VC_CLIENT","version":"2.1","modelType":"pyTorchRVCv2","samplingRate":48000,
        "f0":1,"embChannels":768,"embedder":"contentvec","embOutputLayer":11,"useFinalProj":false}"#;
    let graph = flat(excited(with_pitch(w_okada(768))), "sound").metadata("metadata", description);
    let made = of(&graph);
    let manifest = made.manifest();
    let rvc = manifest.rvc.as_ref().expect("facts");
    assert_eq!((rvc.content_layer, rvc.f0), (11, true));
    let voice = manifest.voice.as_ref().expect("a voice");
    assert!(
        (voice.noise_scale - 1.0).abs() < 1e-9,
        "the graph scales it"
    );
    let audio = manifest.tensor(Direction::Out, TensorRole::Audio);
    assert_eq!(audio.expect("sound").shape.len(), 1);
    let roles = roles(&manifest);
    assert!(
        roles.contains(&("rnd", TensorRole::PriorNoise)),
        "{roles:?}"
    );
    assert!(
        roles.contains(&("nsf_noise", TensorRole::SourceNoise)),
        "{roles:?}"
    );
    let found = made.found();
    assert!(found.contains("contentvec, layer 11"), "{found}");
    assert!(found.contains("VC_CLIENT says 48000 Hz"), "{found}");
    made.runs();
}

#[test]
fn a_voice_whose_description_names_an_unusual_encoder_asks_for_its_package() {
    let of = |embedder: &str| {
        // A field that cannot be read takes no other with it.
        let description = format!(r#"{{"samplingRate":"40k","embedder":"{embedder}"}}"#);
        flat(generator(w_okada(768)), "wave").metadata("metadata", &description)
    };
    for usual in ["hubert_base", "contentvec", ""] {
        assert!(made(&[("m", of(usual).bytes())], &[]).is_ok(), "{usual}");
    }
    let unusual = of("hubert-base-japanese");
    assert_eq!(questions(&unusual, &[]), ["content"]);
    let facts = [("content", "another.encoder")];
    let made = made(&[("m", unusual.bytes())], &facts).expect("a package");
    let voice = made.manifest().voice.expect("a voice");
    assert_eq!(voice.content.as_deref(), Some("another.encoder"));
}

#[test]
fn a_voice_that_could_leave_out_a_part_makes_the_whole_sound() {
    let upp = i64::from(UPP);
    let number = |graph: Tiny, name: &'static str| graph.input(name, Element::I64, &[]);
    let cut = |graph: Tiny| {
        ["skip_head", "return_length", "formant_length"]
            .into_iter()
            .fold(graph, number)
            .weight_of("one", Element::I64, &[1], &super::integers(&[1]))
            .weight_of("two", Element::I64, &[1], &super::integers(&[2]))
            .weight_of("samples", Element::I64, &[1], &super::integers(&[upp]))
            .node("Reshape", &["skip_head", "one"], "start")
            .node("Min", &["return_length", "formant_length"], "frames")
            .node("Mul", &["frames", "samples"], "end")
            .node("Slice", &["sound", "start", "end", "two"], "part")
    };
    let made = of(&flat(cut(excited(with_pitch(w_okada(768)))), "part"));
    let manifest = made.manifest();
    let roles = roles(&manifest);
    assert!(
        roles.iter().all(|(name, _)| *name != "skip_head"),
        "{roles:?}"
    );
    made.runs();
    // One that is no number is something else.
    let other = w_okada(768).input("skip_head", Element::F32, &[ONE]);
    let reason = refusal(&flat(generator(other), "wave"), &[]);
    assert!(reason.contains("takes \"skip_head\" f32"), "{reason}");
}

#[test]
fn a_voice_without_pitch() {
    let made = of(&flat(generator(w_okada(256)), "wave"));
    assert!(!made.manifest().rvc.expect("facts").f0);
    assert!(made.found().contains("without pitch"));
    made.runs();
}

#[test]
fn a_shorter_form_with_content_and_pitch_alone() {
    let graph =
        with_pitch(Tiny::in_opset("", 17).input("phone", Element::F32, &[ONE, T, Dim::Fixed(768)]))
            .weight("w", &[768, 4], 0.01)
            .node("MatMul", &["phone", "w"], "h")
            .node_with("Transpose", &["h"], "prior", &[wholes("perm", &[0, 2, 1])]);
    of(&flat(excited(graph), "sound")).runs();
}

#[test]
fn what_a_voice_cannot_be_is_said_by_name() {
    let vol = web_ui(768).input("vol", Element::F32, &[ONE, T]);
    assert!(refusal(&vol, &[]).contains("takes \"vol\" f32"));
    let fixed = Tiny::in_opset("", 17)
        .input(
            "phone",
            Element::F32,
            &[ONE, Dim::Fixed(200), Dim::Fixed(768)],
        )
        .input("ds", Element::I64, &[ONE])
        .weight("prior", &[1, 4, 200], 0.1);
    let reason = refusal(&flat(generator(fixed), "wave"), &[]);
    assert!(
        reason.contains("axes that change with the length"),
        "{reason}"
    );
    let mixed = Tiny::in_opset("", 17)
        .input("phone", Element::F32, &[ONE, T, Dim::Fixed(768)])
        .input("ds", Element::F32, &[ONE, Dim::Fixed(5)])
        .weight("prior", &[1, 4, 2], 0.1);
    assert!(refusal(&flat(generator(mixed), "wave"), &[]).contains("mixes speakers"));
    let wide = refusal(&web_ui(1_024), &[]);
    assert!(wide.contains("1024 channels"), "{wide}");
}

#[test]
fn what_the_graph_does_not_say_is_asked_and_slips_are_pointed_out() {
    let graph = Tiny::in_opset("", 17)
        .input("feats", Element::F32, &[ONE, T, Dim::Any("c")])
        .input("sid", Element::I64, &[ONE])
        .node("Tanh", &["feats"], "audio")
        .output("audio", Element::F32, &[]);
    assert_eq!(
        questions(&graph, &[]),
        ["content_dim", "sample_rate", "content_layer"]
    );
    let facts = [
        ("content_dim", "256"),
        ("sample_rate", "40000"),
        ("protct", "1"),
    ];
    assert_eq!(names(&graph, &facts, Why::Unknown), ["protct"]);
}

#[test]
fn an_answer_that_the_voice_contradicts_is_said_to_be_wrong_and_why() {
    for (fact, reason) in [
        (("speaker", "5"), "it has 5 speakers, 0 to 4"),
        (("speaker", "-1"), "no whole number"),
        (("content_dim", "256"), "(one of 768)"),
        (("sample_rate", "44100"), "(one of 16000)"),
        (("content_layer", "0"), "1 to 48"),
        (("mean_f0_hz", "nan"), "20 to 2000"),
    ] {
        let asked = asked(&[("m", web_ui(768).bytes())], &[fact]);
        let said: Vec<_> = asked
            .iter()
            .map(|question| (question.name.as_str(), question.why))
            .collect();
        assert_eq!(said, [(fact.0, Why::Wrong)]);
        let words = asked[0].in_words();
        assert!(words.contains(reason), "{words}");
        assert!(
            words.starts_with(&format!("{:?} cannot be taken", fact.1)),
            "{words}"
        );
    }
}

#[test]
fn a_voice_that_gives_another_number_of_samples_does_not_run() {
    let graph = Tiny::in_opset("", 17)
        .input("feats", Element::F32, &[ONE, T, Dim::Fixed(256)])
        .input("sid", Element::I64, &[ONE])
        .weight_of("all", Element::I64, &[1], &super::integers(&[-1]))
        .node("Reshape", &["feats", "all"], "audio")
        .output("audio", Element::F32, &[Dim::Any("n")]);
    let facts = [("sample_rate", "40000")];
    let made = made(&[("model.onnx", graph.bytes())], &facts).expect("a package");
    let runtime = vocalhost_model::Runtime::load(None).expect("a runtime");
    let error =
        vocalhost_model::try_graph(&runtime, &made.package()).expect_err("it gives too few");
    assert!(error.to_string().contains("25600 were expected"), "{error}");
}

#[test]
fn weights_that_lie_in_another_file_come_into_the_package() {
    let values = |head: &[u8]| {
        let mut values = head.to_vec();
        values.resize(64, 0);
        values.extend(0.01_f32.to_le_bytes().repeat(768 * 4));
        values
    };
    let graph = Tiny::in_opset("", 17)
        .input("feats", Element::F32, &[ONE, T, Dim::Fixed(768)])
        .input("sid", Element::I64, &[ONE])
        .weight_in(
            "w",
            &[768, 4],
            &[("location", "old.data"), ("offset", "64")],
        )
        .node("MatMul", &["feats", "w"], "h")
        .node_with("Transpose", &["h"], "prior", &[wholes("perm", &[0, 2, 1])]);
    let graph = flat(generator(graph), "wave");
    // Renamed, and still the only one that it can be, whatever it begins with: also like a graph.
    for head in [[0, 0], [8, 5]] {
        let files = [("weights", values(&head)), ("m.onnx", graph.bytes())];
        let made = made(&files, &[]).expect("a package");
        assert_eq!(made.manifest().files.len(), 1);
        made.runs();
    }
    let alone = refusal(&graph, &[]);
    assert!(
        alone.contains("\"old.data\", which has to be given too"),
        "{alone}"
    );
}

#[test]
fn files_that_no_model_needs_are_refused() {
    let error = made(
        &[
            ("m.onnx", web_ui(768).bytes()),
            ("notes.txt", b"hello".to_vec()),
        ],
        &[],
    );
    let error = error.err().expect("it is refused").to_string();
    assert!(error.contains("notes.txt"), "{error}");
    let fixture = |path: &str| {
        let fixtures = repository("tests/fixtures");
        fs::read(fixtures.join(path)).expect("the fixture")
    };
    let checkpoint = fixture("checkpoints/rvc-v2-40k.pth");
    let cut = checkpoint[..checkpoint.len() * 2 / 3].to_vec();
    // The method of an entry in the list at the end: packed.
    let listed = checkpoint
        .windows(4)
        .rposition(|four| four == b"PK\x01\x02");
    let mut packed = checkpoint.clone();
    packed[listed.expect("a list") + 10] = 8;
    let others = archive(&[("anna.png", b"\x89PNG")]);
    for (content, reason) in [
        (b"hello".to_vec(), "of no known kind"),
        (cut, "is cut off: the list of its entries is missing"),
        (packed, "with the files of a model in it is given alone"),
        (others, "is an archive without a model (.pth or .onnx)"),
        (
            fixture("index/ivf.index"),
            "is a retrieval index (FAISS), which belongs to a voice",
        ),
    ] {
        let error = made(&[("notes.txt", content)], &[]);
        let error = error.err().expect("it is refused").to_string();
        assert!(error.contains(reason), "{error}");
    }
}
