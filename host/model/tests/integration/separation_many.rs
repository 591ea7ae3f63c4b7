//! Several graphs in one package, and several packages together.

use std::fs;
use std::path::Path;

use vocalhost_model::{Catalog, Runtime, Separator, Task};
use vocalhost_testing::repository;
use vocalhost_testing::separators::{RATE_HZ, Separator as Written, write_ensemble};
use vocalhost_testing::sound::noise;

use super::separation::{separated, spool};

/// A separator of vocals that gives the mix times `share`, under an id of its own.
fn member(models: &Path, name: &str, share: f32, residual: &'static str) {
    let stem = if residual == "backing" {
        "vocals"
    } else {
        "backing"
    };
    Written::of_shares("vocals", &[(stem, share)], residual).write_as(models, name);
}

fn three(models: &Path) {
    member(models, "test.a", 0.5, "backing");
    member(models, "test.b", 0.25, "backing");
    // It estimates the backing, so that its vocals are what that leaves: 0.1 of the mix.
    member(models, "test.c", 0.9, "vocals");
}

#[test]
fn an_ensemble_makes_one_estimate_of_its_members_whatever_they_leave_to_the_host() {
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    for (method, share) in [
        ("method = \"average\"", (0.5 + 0.25 + 0.1) / 3.0),
        (
            "method = \"average\"\nweights = [1.0, 1.0, 2.0]",
            (0.5 + 0.25 + 0.2) / 4.0,
        ),
        ("method = \"median\"", 0.25),
        ("method = \"min\"", 0.1),
        ("method = \"max\"", 0.5),
        ("method = \"median\"\ndomain = \"spectrum\"", 0.25),
        ("method = \"min\"\ndomain = \"spectrum\"", 0.1),
        ("method = \"max\"\ndomain = \"spectrum\"", 0.5),
    ] {
        let models = tempfile::tempdir().expect("a temporary folder");
        three(models.path());
        write_ensemble(
            models.path(),
            &format!("members = [\"test.a\", \"test.b\", \"test.c\"]\n{method}"),
        );
        let catalog = Catalog::open(&[models.path().to_owned()]);
        assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
        // It is the newest, so jobs use it unless the settings name another.
        let package = catalog
            .separator(Task::Vocals, &[])
            .expect("there are four");
        assert_eq!(package.manifest().id, "test.ensemble");
        let separator = Separator::load(&runtime, package, &catalog, 2).expect("loads");
        assert_eq!(separator.estimated(), ["vocals"]);
        for sides in [
            vec![noise(1, 9_001)],
            vec![noise(1, 9_001), noise(2, 9_001)],
        ] {
            let stems = separated(&separator, &spool(RATE_HZ, &sides));
            for (found, side) in stems[0].iter().zip(&sides) {
                assert_eq!(found.len(), side.len());
                for (found, sample) in found.iter().zip(side).take(8_000) {
                    assert!((found - share * sample).abs() < 1e-4, "{method}");
                }
            }
        }
    }
}

#[test]
fn a_separator_of_stems_alone_makes_an_ensemble_that_gives_its_vocals() {
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    let models = tempfile::tempdir().expect("a temporary folder");
    let stems = [("drums", 0.2), ("vocals", 0.5), ("bass", 0.1)];
    Written::of_shares("stems", &stems, "other").write(models.path());
    member(models.path(), "test.a", 0.1, "backing");
    for (members, share) in [
        ("\"test.stems-1\"", 0.5),
        ("\"test.stems-1\", \"test.a\"", 0.3),
    ] {
        write_ensemble(models.path(), &format!("members = [{members}]"));
        let catalog = Catalog::open(&[models.path().to_owned()]);
        assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
        let package = catalog.find("test.ensemble").expect("it is there");
        let separator = Separator::load(&runtime, package, &catalog, 1).expect("loads");
        assert_eq!(separator.estimated(), ["vocals"]);
        assert_eq!(separator.residual(), "backing");
        let side = noise(1, 9_001);
        let found = separated(&separator, &spool(RATE_HZ, std::slice::from_ref(&side)));
        assert_eq!(found.len(), 1);
        for (found, sample) in found[0][0].iter().zip(&side) {
            assert!((found - share * sample).abs() < 1e-4, "{members}");
        }
    }
    // The package itself stays a splitter with all its stems.
    let catalog = Catalog::open(&[models.path().to_owned()]);
    let package = catalog.separator(Task::Stems, &[]).expect("it is there");
    let separator = Separator::load(&runtime, package, &catalog, 1).expect("loads");
    assert_eq!(separator.estimated(), ["vocals", "drums", "bass"]);
}

#[test]
fn an_ensemble_that_cannot_be_is_refused_with_the_reason() {
    for (facts, reason) in [
        ("members = [\"test.a\", \"test.x\"]", "test.x"),
        ("members = [\"test.a\", \"test.lead-1\"]", "another task"),
        ("members = [\"test.stems-1\"]", "they are its residual"),
        (
            "members = [\"test.a\", \"test.ensemble\"]",
            "no separator of its own",
        ),
        ("members = []", "1 to 8"),
        ("members = [\"test.a\", \"test.a\"]", "twice"),
        (
            "members = [\"test.a\", \"test.b\"]\nmethod = \"max\"\nweights = [1.0, 1.0]",
            "ensemble.weights",
        ),
        (
            "members = [\"test.a\", \"test.b\"]\nweights = [1.0]",
            "ensemble.weights",
        ),
        (
            "members = [\"test.a\", \"test.b\"]\nweights = [0.0, nan]",
            "ensemble.weights",
        ),
        (
            "members = [\"test.a\", \"test.b\"]\n\n[chunk]\nsamples = 100\nstep = 50",
            "chunk",
        ),
    ] {
        let models = tempfile::tempdir().expect("a temporary folder");
        three(models.path());
        Written::of_shares(
            "stems",
            &[("vocals", 0.5), ("drums", 0.2), ("bass", 0.1)],
            "other",
        )
        .write_as(models.path(), "test.stems-2");
        let left = [("drums", 0.2), ("bass", 0.1), ("other", 0.3)];
        Written::of_shares("stems", &left, "vocals").write(models.path());
        let sung = [("lead", 0.7), ("harmony", 0.2)];
        Written::of_shares("lead", &sung, "reverb").write(models.path());
        write_ensemble(models.path(), facts);
        let catalog = Catalog::open(&[models.path().to_owned()]);
        assert_eq!(catalog.rejected().len(), 1, "{facts}");
        let message = catalog.rejected()[0].1.to_string();
        assert!(message.contains(reason), "{facts}: {message}");
        assert!(catalog.find("test.ensemble").is_none());
        assert_eq!(catalog.packages().len(), 6);
    }
}

/// Changes a package of the fixtures and gives the reason why it is refused.
fn refusal(case: &str, from: &str, to: &str) -> String {
    let fixtures = repository("tests/fixtures/separation");
    let models = tempfile::tempdir().expect("a temporary folder");
    let folder = fixtures.join(case).join(case);
    for entry in fs::read_dir(folder).expect("a package") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        fs::copy(&path, models.path().join(name)).expect("copied");
    }
    let manifest = models.path().join("package.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    assert!(text.contains(from), "{case}: {from}");
    fs::write(&manifest, text.replacen(from, to, 1)).expect("written");
    let catalog = Catalog::open(&[models.path().to_owned()]);
    let rejected = catalog.rejected().first();
    rejected
        .map(|(_, error)| error.to_string())
        .unwrap_or_default()
}

#[test]
fn bags_and_rules_that_contradict_themselves_are_refused_with_the_key() {
    let six = "demucs-graph-six";
    for (case, from, to, key) in [
        (six, "\"0.onnx\", \"1.onnx\"]", "\"0.onnx\"]", "bag.graphs"),
        (six, "\"0.onnx\", \"1", "\"0.onnx\", \"2", "bag.graphs"),
        (six, "\"0.onnx\", \"1", "\"0.onnx\", \"0", "bag.graphs"),
        (six, "weights = [[1.0, ", "weights = [[", "bag.weights"),
        (
            six,
            "weights = [[1.0, ",
            "weights = [[-1.0, ",
            "bag.weights",
        ),
        (six, "weights = [[1.0, ", "weights = [[0.0, ", "bag.weights"),
        (six, "weights = [[1.0, ", "weights = [[inf, ", "bag.weights"),
        (six, "[bag]", "[bag]\nof = \"stems\"", "bag.graphs"),
        (six, "shifts = 3", "shifts = 21", "chunk.shifts"),
        (six, "last = \"center\"", "last = \"pad\"", "chunk.shifts"),
        ("mdx-odd", "fill_to = 392", "fill_to = 0", "chunk.fill_to"),
        ("mdx-odd", "fill_to = 392\n", "", "chunk.fill_to"),
        ("mdx-odd", "\"taper\"", "\"pad\"", "chunk.fill_to"),
        (
            "mdx-odd",
            "border = 60",
            "border = 60\ntrim = 20",
            "chunk.trim",
        ),
        (
            "mdx-odd",
            "border = 60",
            "border = 60\ndivisor = \"one\"",
            "chunk.divisor",
        ),
        ("mdx23c-msst", "edge = \"reflect\"\n", "", "chunk.edge"),
        (
            "spleeter",
            "\"vocals.onnx\", \"backing",
            "\"backing",
            "bag.graphs",
        ),
    ] {
        let message = refusal(case, from, to);
        assert!(message.contains(&format!(" {key}: ")), "{to}: {message:?}");
    }
}
