use super::{N, ONE, T, made, of, questions, refusal, wrong};
use vocalhost_model::{Decode, Family, Runtime, TensorRole, try_graph};
use vocalhost_onnx::testing::{Tiny, whole, wholes};
use vocalhost_onnx::{Dim, Element};

/// Windows of 400 samples every 320, as `HuBERT` has them, in `channels` channels, the frames behind the channels.
fn frames_of(graph: Tiny, wave: &str, channels: u64, name: &str) -> Tiny {
    let weight = format!("{name}.weight");
    let attributes = [wholes("strides", &[320]), wholes("kernel_shape", &[400])];
    graph.weight(&weight, &[channels, 1, 400], 0.01).node_with(
        "Conv",
        &[wave, &weight],
        name,
        &attributes,
    )
}

fn turned(graph: Tiny, from: &str, to: &str) -> Tiny {
    graph.node_with("Transpose", &[from], to, &[wholes("perm", &[0, 2, 1])])
}

#[test]
fn an_encoder_as_rvcs_and_moess_tools_have_it() {
    for (channels, layer, projected) in [(256, 9, true), (768, 12, false)] {
        let graph = Tiny::in_opset("", 17).input("source", Element::F32, &[ONE, ONE, N]);
        let mut graph = turned(frames_of(graph, "source", channels, "h"), "h", "h0");
        for place in 0..layer {
            let (from, to) = (format!("h{place}"), format!("h{}", place + 1));
            graph = graph.node("Softmax", &[&from], &to);
        }
        let last = format!("h{layer}");
        let graph = graph.node("Tanh", &[&last], "embed").output(
            "embed",
            Element::F32,
            &[ONE, T, Dim::Fixed(channels)],
        );
        let made = of(&graph);
        let content = made.manifest().content.expect("an encoder");
        assert_eq!((content.layer, content.projected), (Some(layer), projected));
        assert_eq!(u64::from(content.dim), channels);
        made.runs();
    }
}

#[test]
fn an_encoder_that_gives_channels_first_and_does_not_declare_them() {
    let graph = Tiny::in_opset("", 17).input("source", Element::F32, &[ONE, N]);
    let shape = super::integers(&[1, 1, -1]);
    let graph = graph.weight_of("shape", Element::I64, &[3], &shape).node(
        "Reshape",
        &["source", "shape"],
        "wave",
    );
    let graph = turned(frames_of(graph, "wave", 768, "h"), "h", "turned")
        .weight("norm.bias", &[768], 0.5)
        .node("Add", &["turned", "norm.bias"], "normed")
        .node("Softmax", &["normed"], "soft");
    let graph = turned(graph, "soft", "embed").output(
        "embed",
        Element::F32,
        &[Dim::Any("a"), Dim::Any("b"), Dim::Any("c")],
    );
    let made = of(&graph);
    let manifest = made.manifest();
    assert_eq!(
        manifest.content.as_ref().expect("an encoder").layer,
        Some(1)
    );
    let shape = &manifest.tensors[1].shape;
    assert_eq!(
        format!("{shape:?}"),
        r#"[Fixed(1), Fixed(768), Symbol("T")]"#
    );
    made.runs();
}

#[test]
fn an_encoder_whose_transformer_has_frames_first_and_that_does_not_declare_its_shape() {
    let graph = Tiny::in_opset("", 17).input("source", Element::F32, &[ONE, ONE, N]);
    let frames_first = [wholes("perm", &[2, 0, 1])];
    let back = [wholes("perm", &[1, 0, 2])];
    let graph = frames_of(graph, "source", 768, "h")
        .node_with("Transpose", &["h"], "turned", &frames_first)
        .weight("norm.bias", &[768], 0.5)
        .node("Add", &["turned", "norm.bias"], "normed")
        .node("Softmax", &["normed"], "soft")
        .node_with("Transpose", &["soft"], "embed", &back)
        .output("embed", Element::F32, &["a", "b", "c"].map(Dim::Any));
    let made = of(&graph);
    let shape = &made.manifest().tensors[1].shape;
    assert_eq!(
        format!("{shape:?}"),
        r#"[Fixed(1), Symbol("T"), Fixed(768)]"#
    );
    made.runs();
}

#[test]
fn an_encoder_that_gives_other_axes_than_it_declares_fails_its_trial() {
    let graph = Tiny::in_opset("", 17).input("source", Element::F32, &[ONE, ONE, N]);
    // ONNX Runtime does not follow a shape through single floats.
    let graph = turned(frames_of(graph, "source", 768, "h"), "h", "soft")
        .node("Softmax", &["soft"], "last")
        .node("Shape", &["last"], "lengths")
        .node_with("Cast", &["lengths"], "floats", &[whole("to", 1)])
        .node_with("Cast", &["floats"], "again", &[whole("to", 7)])
        .node("Reshape", &["last", "again"], "embed")
        .output("embed", Element::F32, &[ONE, Dim::Fixed(768), T]);
    let made = of(&graph);
    let runtime = Runtime::load(None).expect("a runtime");
    let error = try_graph(&runtime, &made.package()).expect_err("it gives frames first");
    assert!(
        error.to_string().contains("gave the shape [1, 32, 768]"),
        "{error}"
    );
}

#[test]
fn an_encoder_of_several_layers() {
    let graph = Tiny::in_opset("", 17)
        .input("audio", Element::F32, &[ONE, N])
        .weight_of("shape", Element::I64, &[3], &super::integers(&[1, 1, -1]))
        .node("Reshape", &["audio", "shape"], "wave");
    let graph = frames_of(frames_of(graph, "wave", 256, "a"), "wave", 768, "b");
    let graph = turned(turned(graph, "a", "units9"), "b", "unit12")
        .node("Tanh", &["unit12"], "unit12s")
        .output("units9", Element::F32, &[ONE, T, Dim::Fixed(256)])
        .output("unit12", Element::F32, &[ONE, T, Dim::Fixed(768)])
        .output("unit12s", Element::F32, &[ONE, T, Dim::Fixed(768)]);
    let made = of(&graph);
    let content = made.manifest().content.expect("an encoder");
    let outputs: Vec<_> = content
        .outputs
        .iter()
        .map(|output| {
            (
                output.tensor.as_str(),
                output.dim,
                output.layer,
                output.projected,
            )
        })
        .collect();
    assert_eq!(
        outputs,
        [
            ("units9", 256, Some(9), true),
            ("unit12", 768, Some(12), false)
        ]
    );
    made.runs();
}

#[test]
fn an_encoder_of_transformers_with_a_mask() {
    let graph = Tiny::in_opset("", 17)
        .input("input_values", Element::F32, &[Dim::Any("batch"), N])
        .input("attention_mask", Element::I64, &[Dim::Any("batch"), N])
        .weight_of("shape", Element::I64, &[3], &super::integers(&[1, 1, -1]))
        .node("Reshape", &["input_values", "shape"], "wave");
    let graph = turned(frames_of(graph, "wave", 768, "h"), "h", "soft")
        .node("Softmax", &["soft"], "last_hidden_state")
        .output(
            "last_hidden_state",
            Element::F32,
            &[Dim::Any("batch"), T, Dim::Fixed(768)],
        );
    let made = of(&graph);
    let manifest = made.manifest();
    assert!(
        manifest
            .tensors
            .iter()
            .any(|tensor| tensor.role == TensorRole::Mask)
    );
    made.runs();
    let taken_short =
        Tiny::in_opset("", 17).input("source", Element::F32, &[ONE, Dim::Fixed(16_000)]);
    let taken_short = taken_short.node("Tanh", &["source"], "embed").output(
        "embed",
        Element::F32,
        &[ONE, T, Dim::Fixed(768)],
    );
    assert!(refusal(&taken_short, &[]).contains("export it with an axis"));
}

#[test]
fn a_large_encoder_that_gives_all_its_layers() {
    let graph = Tiny::in_opset("", 17).input("source", Element::F32, &[ONE, ONE, N]);
    let mut graph = turned(
        frames_of(graph, "source", 1_024, "h"),
        "h",
        "hidden_states.0",
    );
    for layer in 1..=24 {
        let [from, to] = [layer - 1, layer].map(|layer| format!("hidden_states.{layer}"));
        graph = graph.node("Softmax", &[&from], &to);
    }
    for layer in 1..=24 {
        let name = format!("hidden_states.{layer}");
        graph = graph.output(&name, Element::F32, &[ONE, T, Dim::Fixed(1_024)]);
    }
    let made = of(&graph);
    let outputs = made.manifest().content.expect("an encoder").outputs;
    let layers: Vec<_> = outputs.iter().filter_map(|output| output.layer).collect();
    assert_eq!(layers, (1..=24).collect::<Vec<_>>());
    made.runs();
}

/// An encoder that says neither in its shape how many channels it gives, nor anywhere from which layer.
pub(super) fn silent_encoder() -> Tiny {
    let graph = Tiny::in_opset("", 17).input("source", Element::F32, &[ONE, ONE, N]);
    turned(frames_of(graph, "source", 768, "h"), "h", "embed").output(
        "embed",
        Element::F32,
        &[ONE, T, Dim::Any("c")],
    )
}

#[test]
fn what_nothing_tells_of_an_encoder_is_asked() {
    let graph = silent_encoder();
    assert_eq!(questions(&graph, &[]), ["content_dim", "layer"]);
    assert_eq!(
        wrong(&graph, &[("content_dim", "512"), ("layer", "0")]),
        ["content_dim", "layer"]
    );
    let graph = Tiny::in_opset("", 17).input("source", Element::F32, &[ONE, ONE, N]);
    let graph = turned(frames_of(graph, "source", 768, "h"), "h", "embed").output(
        "embed",
        Element::F32,
        &[ONE, T, Dim::Fixed(768)],
    );
    let facts = [("content_dim", "256"), ("layer", "12")];
    assert_eq!(
        wrong(&graph, &facts),
        ["content_dim"],
        "its shape says otherwise"
    );
    assert_eq!(questions(&graph, &[]), ["layer"]);
    let made = made(&[("m", graph.bytes())], &[("layer", "12")]).expect("a package");
    assert_eq!(made.manifest().content.expect("an encoder").layer, Some(12));
}

/// Salience of 360 bins of `[1, T, 128]`.
fn salience(graph: Tiny, from: &str) -> Tiny {
    graph
        .weight("w", &[128, 360], 0.01)
        .node("MatMul", &[from, "w"], "h")
        .node("Sigmoid", &["h"], "salience")
}

/// An estimator of pitch with its bands before its frames.
pub(super) fn rmvpe() -> Tiny {
    let rmvpe = Tiny::in_opset("", 17).input("input", Element::F32, &[ONE, Dim::Fixed(128), T]);
    salience(turned(rmvpe, "input", "turned"), "turned").output(
        "salience",
        Element::F32,
        &[ONE, T, Dim::Fixed(360)],
    )
}

#[test]
fn estimators_from_spectrograms_are_told_apart_by_where_their_bands_are() {
    let out = [ONE, T, Dim::Fixed(360)];
    let made = of(&rmvpe());
    assert_eq!(made.imported.family, Family::SalienceF0);
    let f0 = made.manifest().f0.expect("numbers");
    assert_eq!((f0.pad_multiple, f0.lead, f0.repair), (32, None, false));
    assert!((f0.context_s - 1.28).abs() < 1e-9, "four of its blocks");
    assert!((f0.threshold - 0.03).abs() < 1e-9 && (f0.fmin_hz - 30.0).abs() < 1e-9);
    made.runs();
    let fcpe = Tiny::in_opset("", 17).input("mel", Element::F32, &[ONE, T, Dim::Fixed(128)]);
    let fcpe = salience(fcpe, "mel").output("salience", Element::F32, &out);
    let made = of(&fcpe);
    let f0 = made.manifest().f0.expect("numbers");
    assert_eq!((f0.pad_multiple, f0.lead), (1, Some(432)));
    assert!((f0.power_floor - 1e-9).abs() < 1e-15);
    // Its last bin is its highest pitch, 1975.5 Hz.
    let hz = |bin: f64| 10.0 * ((f0.cents_base + f0.cents_step * bin) / 1_200.0).exp2();
    assert!((hz(0.0) - 32.70).abs() < 1e-6 && (hz(359.0) - 1_975.5).abs() < 1e-6);
    made.runs();
}

#[test]
fn an_estimator_in_half_precision() {
    let graph = Tiny::in_opset("", 17).input("input", Element::F16, &[ONE, Dim::Fixed(128), T]);
    let graph = graph.node_with("Cast", &["input"], "whole", &[whole("to", 1)]);
    let graph = salience(turned(graph, "whole", "turned"), "turned")
        .node_with("Cast", &["salience"], "half", &[whole("to", 10)])
        .output("half", Element::F16, &[ONE, T, Dim::Fixed(360)]);
    let made = of(&graph);
    assert_eq!(made.imported.family, Family::SalienceF0);
    made.runs();
}

#[test]
fn an_estimator_that_is_told_a_threshold_and_hears_spectrograms_is_refused_with_what_to_do() {
    let graph = Tiny::in_opset("", 17)
        .input("mel", Element::F32, &[ONE, T, Dim::Fixed(128)])
        .input("threshold", Element::F32, &[])
        .node("Add", &["mel", "threshold"], "pitchf")
        .output("pitchf", Element::F32, &[ONE, T, Dim::Fixed(128)]);
    let said = refusal(&graph, &[]);
    assert!(
        said.contains("of no known kind") && said.contains("360 bins"),
        "{said}"
    );
}

/// The pitch of salience, as a graph finds it that is told a threshold: what stands for it here needs the threshold alone.
fn pitch_of(graph: Tiny) -> Tiny {
    let last = [whole("axis", 2), whole("keepdims", 0)];
    graph
        .input("threshold", Element::F32, &[])
        .node_with("ArgMax", &["salience"], "best", &last)
        .node_with("Cast", &["best"], "place", &[whole("to", 1)])
        .node("Mul", &["place", "threshold"], "pitchf")
        .output("pitchf", Element::F32, &[ONE, T])
}

#[test]
fn an_estimator_from_spectrograms_that_finds_the_pitch_gives_its_salience() {
    let rmvpe = Tiny::in_opset("", 17).input("mel", Element::F32, &[ONE, Dim::Fixed(128), T]);
    let rmvpe = pitch_of(salience(turned(rmvpe, "mel", "turned"), "turned"));
    let fcpe = Tiny::in_opset("", 17).input("mel", Element::F32, &[ONE, T, Dim::Fixed(128)]);
    let fcpe = pitch_of(salience(fcpe, "mel"));
    for (graph, threshold, lead) in [(rmvpe, 0.05, None), (fcpe, 0.006, Some(432))] {
        let made = of(&graph);
        assert_eq!(made.imported.family, Family::SalienceF0);
        let roles: Vec<TensorRole> = made.manifest().tensors.iter().map(|one| one.role).collect();
        assert_eq!(roles, [TensorRole::Mel, TensorRole::Salience]);
        let f0 = made.manifest().f0.expect("numbers");
        assert!((f0.threshold - threshold).abs() < 1e-9);
        assert_eq!(f0.lead, lead);
        made.runs();
    }
}

#[test]
fn an_estimator_of_one_length_is_refused_for_that() {
    let frames = Dim::Fixed(64);
    let graph =
        Tiny::in_opset("", 17).input("input", Element::F32, &[ONE, Dim::Fixed(128), frames]);
    let graph = salience(turned(graph, "input", "turned"), "turned").output(
        "salience",
        Element::F32,
        &[ONE, frames, Dim::Fixed(360)],
    );
    assert!(refusal(&graph, &[]).contains("export it with an axis"));
}

#[test]
fn an_estimator_from_frames() {
    let crepe = Tiny::in_opset("", 17)
        .input(
            "frames",
            Element::F32,
            &[Dim::Any("batch"), Dim::Fixed(1_024)],
        )
        .weight("w", &[1_024, 360], 0.01)
        .node("MatMul", &["frames", "w"], "h")
        .node("Sigmoid", &["h"], "probabilities")
        .output(
            "probabilities",
            Element::F32,
            &[Dim::Any("batch"), Dim::Fixed(360)],
        );
    let made = of(&crepe);
    assert_eq!(made.imported.family, Family::FramesF0);
    let f0 = made.manifest().f0.expect("numbers");
    assert!((f0.fmin_hz - 50.0).abs() < 1e-9 && (f0.fmax_hz - 1_100.0).abs() < 1e-9);
    assert!(f0.standardize && f0.decode == Decode::Viterbi);
    made.runs();
}

#[test]
fn an_estimator_from_waves() {
    for (threshold, output, expected) in [(vec![], "f0", 0.03), (vec![ONE], "pitchf", 0.3)] {
        let pooled = [wholes("kernel_shape", &[160]), wholes("strides", &[160])];
        let graph = Tiny::in_opset("", 17)
            .input("waveform", Element::F32, &[ONE, N])
            .input("threshold", Element::F32, &threshold)
            .weight_of("shape", Element::I64, &[3], &super::integers(&[1, 1, -1]))
            .weight_of("flat", Element::I64, &[2], &super::integers(&[1, -1]))
            .node("Reshape", &["waveform", "shape"], "wave")
            .node_with("AveragePool", &["wave"], "pooled", &pooled)
            .node("Reshape", &["pooled", "flat"], output)
            .node("Tanh", &[output], "uv")
            .output(output, Element::F32, &[ONE, T])
            .output("uv", Element::F32, &[ONE, T]);
        let made = of(&graph);
        assert_eq!(made.imported.family, Family::WaveF0);
        let f0 = made.manifest().f0.expect("numbers");
        assert!((f0.threshold - expected).abs() < 1e-9, "{output}");
        made.runs();
    }
}
