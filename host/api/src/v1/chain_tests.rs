use super::*;
use crate::rules::problem::rules;
use vocalhost_effects::{ChoiceOption, Scale};

fn number(id: &str, min: f64, max: f64) -> Parameter {
    parameter(
        id,
        Kind::Number {
            min,
            max,
            default: min,
            step: 0.0,
            unit: String::new(),
            scale: Scale::Linear,
        },
    )
}

fn parameter(id: &str, kind: Kind) -> Parameter {
    Parameter {
        id: id.to_owned(),
        name: id.to_owned(),
        group: String::new(),
        summary: String::new(),
        kind,
        advanced: false,
    }
}

fn descriptor(id: &str, parameters: Vec<Parameter>) -> Descriptor {
    Descriptor {
        id: id.to_owned(),
        name: id.to_owned(),
        version: "1.0.0".to_owned(),
        vendor: String::new(),
        summary: String::new(),
        tags: Vec::new(),
        layouts: Vec::new(),
        parameters,
        presets: Vec::new(),
    }
}

/// Installed effects: five of the contract and one of somebody else's.
struct Installed(Vec<(Option<&'static str>, Descriptor)>);

impl Installed {
    fn new() -> Self {
        let threshold = || number("threshold_db", -100.0, 0.0);
        let ratio = || number("ratio", 1.0, 100.0);
        let width = || number("width", 0.0, 1.0);
        let soft = ChoiceOption {
            id: "soft".to_owned(),
            name: "Soft".to_owned(),
        };
        let shape = Kind::Choice {
            options: vec![soft],
            default: "soft".to_owned(),
        };
        Self(vec![
            (
                Some("compressor"),
                descriptor("v.compressor", vec![threshold(), ratio()]),
            ),
            (
                Some("noiseGate"),
                descriptor("v.noise-gate", vec![threshold(), ratio()]),
            ),
            (
                Some("highPassFilter"),
                descriptor(
                    "v.high-pass",
                    vec![number("cutoff_frequency_hz", 0.0, 99_999.0)],
                ),
            ),
            (Some("reverb"), descriptor("v.reverb", vec![width()])),
            (Some("chorus"), descriptor("v.chorus", vec![width()])),
            (
                None,
                descriptor(
                    "com.example.tape",
                    vec![
                        parameter("warm", Kind::Toggle { default: false }),
                        parameter("shape", shape),
                    ],
                ),
            ),
        ])
    }

    fn find(&self, name: &str) -> Option<KnownEffect<'_>> {
        let plain = |text: &str| text.replace(['_', '-'], "").to_lowercase();
        let (alias, descriptor) = self.0.iter().find(|(alias, descriptor)| {
            name == descriptor.id
                || name == format!("{}@1.0.0", descriptor.id)
                || alias.is_some_and(|alias| plain(alias) == plain(name))
        })?;
        Some(KnownEffect {
            descriptor,
            digest: "d1",
            alias: *alias,
        })
    }
}

fn read(place: Place, fields: &[(&str, &str)]) -> (Chain, Vec<FieldError>) {
    read_with(place, fields, &[])
}

/// Reads with pipelines that were saved: name and chain.
fn read_with(
    place: Place,
    fields: &[(&str, &str)],
    saved: &[(&str, Value)],
) -> (Chain, Vec<FieldError>) {
    let installed = Installed::new();
    let pipelines = saved
        .iter()
        .map(|(name, chain)| ((*name).to_owned(), chain.clone()))
        .collect();
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    let mut mistakes = Vec::new();
    let library = Library {
        find: &|name| installed.find(name),
        pipelines: &pipelines,
    };
    let chain = parse(place, &fields, &library, &mut mistakes);
    (chain, mistakes)
}

/// A chain in one line: `v.reverb(width=0.5) > v.chorus`.
fn line(chain: &Chain) -> String {
    let effects: Vec<String> = chain
        .iter()
        .map(|item| {
            assert_eq!(
                (item.version.as_str(), item.digest.as_str()),
                ("1.0.0", "d1")
            );
            let settings: Vec<String> = item
                .settings
                .iter()
                .map(|(name, value)| format!("{name}={}", serde_json::to_string(value).unwrap()))
                .collect();
            match settings.as_slice() {
                [] => item.id.clone(),
                settings => format!("{}({})", item.id, settings.join(",")),
            }
        })
        .collect();
    effects.join(" > ")
}

#[test]
fn every_spelling_and_form_means_the_same_chain() {
    let wanted = "v.noise-gate(ratio=2.5,threshold_db=-30.0)";
    let cases: [&[(&str, &str)]; 9] = [
        &[("pre", r#"{"noiseGate":{"threshold_db":-30,"ratio":2.5}}"#)],
        &[(
            "pre",
            r#"{"NoiseGate":{"thresholdDb":"-30","ratio":" 2.5 "}}"#,
        )],
        &[("pre", r#"{"noise_gate":{"ThresholdDb":-30.0,"Ratio":2.5}}"#)],
        &[(
            "pre",
            r#"{"v.noise-gate@1.0.0":{"threshold_db":-30,"ratio":2.5}}"#,
        )],
        &[
            ("pre[noiseGate][threshold_db]", "-30"),
            ("pre[noiseGate][ratio]", "2.5"),
        ],
        &[
            ("pre[NoiseGate][thresholdDb]", "-30"),
            ("pre[noise_gate][ratio]", "2.5"),
        ],
        &[
            ("pre", "noiseGate"),
            ("pre[noiseGate][threshold_db]", "-30"),
            ("pre[noiseGate][ratio]", "2.5"),
        ],
        &[(
            "pre",
            r#"[{"effect":"noiseGate","params":{"threshold_db":-30,"ratio":2.5}}]"#,
        )],
        &[
            ("pre[0][effect]", "v.noise-gate"),
            ("pre[0][params][thresholdDb]", "-30"),
            ("pre[0][params][ratio]", "2.5"),
        ],
    ];
    for fields in cases {
        let (chain, mistakes) = read(Place::Pre, fields);
        assert_eq!(mistakes, [], "{fields:?}");
        assert_eq!(line(&chain), wanted, "{fields:?}");
    }
}

#[test]
fn the_forms_without_an_order_run_in_the_order_of_the_contract() {
    let (chain, _) = read(
        Place::Pre,
        &[
            ("pre", "compressor"),
            ("pre", "high_pass_filter"),
            ("pre", "NoiseGate"),
        ],
    );
    assert_eq!(line(&chain), "v.noise-gate > v.high-pass > v.compressor");
    let (chain, _) = read(
        Place::Post,
        &[(
            "post",
            r#"{"reverb":{},"chorus":{"width":0},"compressor":true}"#,
        )],
    );
    assert_eq!(
        line(&chain),
        "v.compressor > v.chorus(width=0.0) > v.reverb"
    );
}

#[test]
fn the_array_form_keeps_its_order_and_takes_every_effect_in_either_chain() {
    let text = r#"["reverb",{"effect":"com.example.tape","params":{"warm":"1","shape":"soft"}},"noiseGate","reverb"]"#;
    for (place, field) in [(Place::Pre, "pre"), (Place::Post, "post")] {
        let (chain, mistakes) = read(place, &[(field, text)]);
        assert_eq!(mistakes, []);
        assert_eq!(
            line(&chain),
            r#"v.reverb > com.example.tape(shape="soft",warm=true) > v.noise-gate > v.reverb"#
        );
    }
}

#[test]
fn each_mistake_has_its_path_and_rule() {
    let cases = [
        ("pre", "gate", "pre.gate exists"),
        ("pre", "reverb", "pre.reverb enum"),
        ("pre", "com.example.tape", "pre.com.example.tape enum"),
        ("pre[noiseGate][knee]", "1", "pre.noiseGate.knee exists"),
        (
            "pre[NoiseGate][thresholdDb]",
            "1",
            "pre.noiseGate.threshold_db range",
        ),
        (
            "pre[noiseGate][ratio]",
            "much",
            "pre.noiseGate.ratio number",
        ),
        ("pre[noiseGate][ratio]", "NaN", "pre.noiseGate.ratio number"),
        ("pre[noiseGate][ratio]", "inf", "pre.noiseGate.ratio number"),
        ("pre[noiseGate][ratio]", "", "pre.noiseGate.ratio number"),
        (
            "pre",
            r#"{"noiseGate":{"ratio":true}}"#,
            "pre.noiseGate.ratio number",
        ),
        (
            "pre",
            r#"{"noiseGate":{"ratio":null}}"#,
            "pre.noiseGate.ratio number",
        ),
        (
            "pre",
            r#"{"noiseGate":{"ratio":[2]}}"#,
            "pre.noiseGate.ratio number",
        ),
        ("pre", r#"["gate"]"#, "pre.0.effect exists"),
        (
            "pre",
            r#"["reverb",{"effect":"reverb","params":{"width":2}}]"#,
            "pre.1.params.width range",
        ),
        (
            "pre",
            r#"[{"effect":"com.example.tape","params":{"warm":2}}]"#,
            "pre.0.params.warm boolean",
        ),
        (
            "pre",
            r#"[{"effect":"com.example.tape","params":{"shape":"hard"}}]"#,
            "pre.0.params.shape enum",
        ),
        (
            "pre",
            r#"{"noiseGate":{"ratio":2},"NoiseGate":{"ratio":3}}"#,
            "pre.noiseGate.ratio distinct",
        ),
    ];
    for (field, text, wanted) in cases {
        let (_, mistakes) = read(Place::Pre, &[(field, text)]);
        assert_eq!(rules(&mistakes), [wanted], "{field}={text}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let text = r#"{"noiseGate":{"ratio":0,"threshold_db":"x"},"reverb":{},"gate":{}}"#;
    let (_, mistakes) = read(Place::Pre, &[("pre", text)]);
    assert_eq!(mistakes.len(), 4);
    let range = &mistakes[0];
    assert_eq!(range.message, "`ratio` must be between 1 and 100.");
    assert_eq!(range.args["min"], 1.0);
}

#[test]
fn a_pipeline_stands_for_its_chain_on_either_side() {
    let chain = json!(["reverb", {"effect": "noiseGate", "params": {"thresholdDb": "-30"}}]);
    for (place, field, text) in [
        (Place::Pre, "pre", r#"{"pipeline":"warm"}"#),
        (
            Place::Post,
            "post",
            r#"{"pipeline":" warm ","reverb":null}"#,
        ),
        (Place::Pre, "pre[pipeline]", "warm"),
        (Place::Post, "post[pipeline]", " warm "),
    ] {
        let (read, mistakes) = read_with(place, &[(field, text)], &[("warm", chain.clone())]);
        assert_eq!(mistakes, [], "{field}={text}");
        assert_eq!(
            line(&read),
            "v.reverb > v.noise-gate(threshold_db=-30.0)",
            "{field}={text}"
        );
    }
}

#[test]
fn a_pipeline_that_is_not_there_is_named_by_its_field_alone() {
    for name in ["cold", "WARM", "../x", "<b>"] {
        let (chain, mistakes) = read_with(
            Place::Pre,
            &[("pre[pipeline]", name)],
            &[("warm", json!(["reverb"]))],
        );
        assert_eq!(rules(&mistakes), ["pre.pipeline exists"]);
        assert!(chain.is_empty() && !mistakes[0].message.contains(name));
    }
}

#[test]
fn a_pipeline_that_no_longer_fits_names_itself_and_the_spot() {
    let saved = json!(["gone", {"effect": "reverb", "params": {"width": 2, "size": 1}}]);
    let (_, mistakes) = read_with(
        Place::Post,
        &[("post", r#"{"pipeline":"warm"}"#)],
        &[("warm", saved)],
    );
    assert_eq!(
        rules(&mistakes),
        [
            "post.pipeline.warm.0.effect exists",
            "post.pipeline.warm.1.params.width range",
            "post.pipeline.warm.1.params.size exists",
        ]
    );
    assert_eq!(
        mistakes[1].message,
        "The pipeline `warm` no longer fits: `width` must be between 0 and 1."
    );
}

#[test]
fn both_chains_of_a_request_may_name_pipelines() {
    let fields = [
        ("pre[pipeline]", "warm"),
        ("post", r#"{"pipeline":"wide"}"#),
        ("seed", "1"),
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(
        pipeline_names(&fields).into_iter().collect::<Vec<_>>(),
        ["warm", "wide"]
    );
    assert!(pipeline_names(&fields[2..]).is_empty());
}

#[test]
fn a_chain_is_saved_in_the_array_form_alone() {
    let installed = Installed::new();
    let read = |chain: &Value| {
        let mut mistakes = Vec::new();
        let find = |name: &str| installed.find(name);
        let chain = parse_saved("chain", chain, &find, &mut mistakes);
        (line(&chain), rules(&mistakes))
    };
    assert_eq!(read(&json!([])), (String::new(), vec![]));
    assert_eq!(
        read(&json!(["compressor", "com.example.tape@1.0.0"])).0,
        "v.compressor > com.example.tape"
    );
    for (chain, wanted) in [
        (json!({"reverb": {}}), "chain array"),
        (json!("reverb"), "chain array"),
        (json!([3]), "chain.0 object"),
        (json!([{"pipeline": "warm"}]), "chain.0.pipeline exists"),
        (json!(["reverb", "gone"]), "chain.1.effect exists"),
        (
            json!([{"effect": "reverb", "params": {"width": "x"}}]),
            "chain.0.params.width number",
        ),
        (json!(vec!["reverb"; MAX_EFFECTS + 1]), "chain count"),
    ] {
        assert_eq!(read(&chain).1[0], wanted, "{chain}");
    }
}

#[test]
fn a_chain_of_too_many_effects_is_refused() {
    let text = format!("[{}]", vec![r#""reverb""#; MAX_EFFECTS + 1].join(","));
    let (_, mistakes) = read(Place::Post, &[("post", &text)]);
    assert_eq!(mistakes[0].rule, "count");
}
