//! Each family of separators, with graphs whose answer is known.

use vocalhost_testing::onnx::Graph;
use vocalhost_testing::separators::{RATE_HZ, Separator};
use vocalhost_testing::sound::noise;

use super::separation::{loaded, separated, spool};
use super::sound::difference_db;

const CHUNK: &str = "[chunk]\nsamples = 8192\noverlap = 0.25\nborder = 512\n";

/// A package whose only estimated stem is `vocals`.
fn vocals(family: &'static str, stft: &str, graph: Graph) -> Separator {
    Separator {
        task: "vocals",
        stems: vec!["vocals"],
        family,
        facts: "",
        residual: "backing",
        sections: format!("{stft}\n{CHUNK}"),
        tensors: Vec::new(),
        graph,
    }
}

/// Two channels that differ, and nothing near half the rate, where some families drop a bin.
fn sides() -> Vec<Vec<f32>> {
    let side = |seed| -> Vec<f32> {
        let noise = noise(seed, 30_000);
        let smooth = noise.windows(8).map(|near| near.iter().sum::<f32>() / 4.0);
        smooth.collect()
    };
    vec![side(1), side(2)]
}

/// The estimate is the recording times `share`, to the error that 32-bit floats make.
fn is_share_of_mix(package: Separator, share: f32) {
    let sides = sides();
    let stems = separated(&loaded(package, 1), &spool(RATE_HZ, &sides));
    for (found, side) in stems[0].iter().zip(&sides) {
        let expected: Vec<f32> = side.iter().map(|sample| share * sample).collect();
        let error = difference_db(found, &expected);
        assert!(error < -100.0, "{error:.1} dB");
    }
}

#[test]
fn spectra_in_and_out() {
    let shape = [Some(1), Some(4), Some(257), Some(65)];
    let graph = Graph::default()
        .input(("spec", &shape))
        .constant("half", &[1], &[0.5])
        .node("Mul", &["spec", "half"], "out", &[])
        .output(("out", &shape));
    let mut package = vocals("mdx-net", "[stft]\nn_fft = 512\nhop = 128", graph);
    for (io, name, role) in [("in", "spec", "mix_spec"), ("out", "out", "stems_spec")] {
        let shape = "1, 4, 257, 65".to_owned();
        package.tensors.push((io, name, role, shape, "b (c k) f t"));
    }
    is_share_of_mix(package, 0.5);
}

#[test]
fn a_complex_mask_with_bins_and_channels_together() {
    // 0.75 and no imaginary part, whatever comes in. The window is no power of two.
    let shape = [Some(1), Some(2 * 301), Some(55), Some(2)];
    let graph = Graph::default()
        .input(("spec", &shape))
        .constant("zero", &[1], &[0.0])
        .constant("mask", &[1, 1, 1, 2], &[0.75, 0.0])
        .node("Mul", &["spec", "zero"], "nothing", &[])
        .node("Add", &["nothing", "mask"], "out", &[])
        .output(("out", &shape));
    let stft = "[stft]\nn_fft = 600\nhop = 150\noutput = \"mask\"";
    let mut package = vocals("roformer-spec", stft, graph);
    for (io, name, role) in [("in", "spec", "mix_spec"), ("out", "out", "stems_spec")] {
        let shape = "1, 602, 55, 2".to_owned();
        package.tensors.push((io, name, role, shape, "b (f c) t k"));
    }
    is_share_of_mix(package, 0.75);
}

#[test]
fn real_and_imaginary_parts_in_tensors_of_their_own() {
    let shape = [Some(1), Some(2), Some(257), None];
    let graph = Graph::default()
        .input(("re", &shape))
        .input(("im", &shape))
        .constant("share", &[1], &[0.25])
        .node("Mul", &["re", "share"], "re_out", &[])
        .node("Mul", &["im", "share"], "im_out", &[])
        .output(("re_out", &shape))
        .output(("im_out", &shape));
    let mut package = vocals("roformer-spec", "[stft]\nn_fft = 512\nhop = 128", graph);
    for (io, name, role) in [
        ("in", "re", "mix_spec_re"),
        ("in", "im", "mix_spec_im"),
        ("out", "re_out", "stems_spec_re"),
        ("out", "im_out", "stems_spec_im"),
    ] {
        let shape = "1, 2, 257, \"T\"".to_owned();
        package.tensors.push((io, name, role, shape, "b c f t"));
    }
    is_share_of_mix(package, 0.25);
}

#[test]
fn magnitudes_share_the_mix_out() {
    // Magnitudes 3 and 1 times the mix's: nine and one tenth of the power.
    let shape = [Some(2), Some(1), Some(65), Some(257)];
    let graph = Graph::default()
        .input(("x", &shape))
        .constant("gains", &[2, 1, 1, 1, 1], &[3.0, 1.0])
        .node("Mul", &["x", "gains"], "y", &[])
        .output(("y", &[Some(2), Some(2), Some(1), Some(65), Some(257)]));
    let stft = "[stft]\nn_fft = 512\nhop = 128\noutput = \"magnitude\"";
    let mut package = vocals("spleeter-mask", stft, graph);
    package.stems = vec!["vocals", "backing"];
    package.tensors = vec![
        (
            "in",
            "x",
            "mix_magnitude",
            "2, 1, 65, 257".to_owned(),
            "c b t f",
        ),
        (
            "out",
            "y",
            "stems_magnitude",
            "2, 2, 1, 65, 257".to_owned(),
            "s c b t f",
        ),
    ];
    is_share_of_mix(package, 0.9);
}

#[test]
fn waves_and_spectra_are_added_up_at_the_level_the_model_wants() {
    // Demucs's transform on pieces of 8,192: 64 frames, two left out at both ends, the highest bin dropped.
    let (wave, spec) = (
        [Some(1), Some(2), Some(8_192)],
        [Some(1), Some(4), Some(256), Some(64)],
    );
    let graph = Graph::default()
        .input(("mix", &wave))
        .input(("x", &spec))
        .constant("of_wave", &[1, 1, 1, 1], &[0.5])
        .constant("of_spec", &[1, 1, 1, 1, 1], &[0.25])
        .node("Mul", &["mix", "of_wave"], "time", &[])
        .node("Mul", &["x", "of_spec"], "freq", &[])
        .output(("time", &[Some(1), Some(1), Some(2), Some(8_192)]))
        .output(("freq", &[Some(1), Some(1), Some(4), Some(256), Some(64)]));
    let stft = "[stft]\nn_fft = 512\nhop = 128\nnormalized = true\nkeep_bins = 256\nextra_pad_left = 192\n\
                frames = 64\nframe_offset = 2";
    let mut package = vocals("demucs-split", stft, graph);
    package.facts = "normalize = \"mean-std-mono\"\n";
    package.sections = format!(
        "{stft}\n[chunk]\nsamples = 8192\noverlap = 0.25\nwindow = \"triangle\"\nlast = \"center\"\ntrim = 512\n"
    );
    package.tensors = vec![
        ("in", "mix", "mix_wave", "1, 2, 8192".to_owned(), "b c n"),
        (
            "in",
            "x",
            "mix_spec",
            "1, 4, 256, 64".to_owned(),
            "b (c k) f t",
        ),
        (
            "out",
            "time",
            "stems_wave",
            "1, 1, 2, 8192".to_owned(),
            "b s c n",
        ),
        (
            "out",
            "freq",
            "stems_spec",
            "1, 1, 4, 256, 64".to_owned(),
            "b s (c k) f t",
        ),
    ];
    let mean = 0.2_f32;
    let sides: Vec<Vec<f32>> = sides()
        .iter()
        .map(|side| side.iter().map(|sample| sample * 0.3 + mean).collect())
        .collect();
    let all = || sides.iter().flatten().map(|sample| f64::from(*sample));
    let mean = (all().sum::<f64>() / all().count() as f64) as f32;
    let stems = separated(&loaded(package, 1), &spool(RATE_HZ, &sides));
    for (found, side) in stems[0].iter().zip(&sides) {
        let expected: Vec<f32> = side
            .iter()
            .map(|sample| 0.75 * (sample - mean) + mean)
            .collect();
        let error = difference_db(found, &expected);
        assert!(error < -50.0, "{error:.1} dB");
    }
}

#[test]
fn the_offset_of_each_channel_is_left_to_the_residual() {
    let offsets = [0.1_f32, -0.2];
    let moved: Vec<Vec<f32>> = sides()
        .iter()
        .zip(offsets)
        .map(|(side, offset)| side.iter().map(|sample| sample * 0.3 + offset).collect())
        .collect();
    for channels in [1, 2] {
        let sides = &moved[..channels];
        let mut package = Separator::of_shares("vocals", &[("vocals", 0.25)], "backing");
        package.facts = "normalize = \"mean-out\"\n";
        let stems = separated(&loaded(package, 1), &spool(RATE_HZ, sides));
        for (found, side) in stems[0].iter().zip(sides) {
            let sum: f64 = side.iter().copied().map(f64::from).sum();
            let mean = (sum / side.len() as f64) as f32;
            let expected: Vec<f32> = side.iter().map(|sample| 0.25 * (sample - mean)).collect();
            let error = difference_db(found, &expected);
            assert!(error < -100.0, "{error:.1} dB");
        }
    }
}
