use serde_json::json;

use super::*;

fn collected(fields: &[(&str, &str)]) -> (RawChain, Vec<(String, &'static str)>) {
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    let mut mistakes = Vec::new();
    let chain = collect("pre", &fields, &mut mistakes);
    let mistakes = mistakes
        .into_iter()
        .map(|mistake| (mistake.field, mistake.rule));
    (chain, mistakes.collect())
}

fn named(name: &str, params: &[(&str, Value)]) -> RawEffect {
    RawEffect {
        name: name.to_owned(),
        index: None,
        params: params
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
    }
}

/// Form fields, name and value.
type Fields = &'static [(&'static str, &'static str)];

#[test]
fn the_array_form_may_come_entry_by_entry() {
    let entry = r#"{"effect":"compressor","params":{"ratio":2}}"#;
    let (chain, mistakes) = collected(&[("pre", "reverb"), ("pre", entry)]);
    let (whole, _) = collected(&[("pre", &format!(r#"["reverb",{entry}]"#))]);
    assert_eq!((chain, mistakes), (whole, vec![]));
    // An object by names is the whole chain.
    let (_, mistakes) = collected(&[("pre", r#"{"effect":true}"#)]);
    assert_eq!(mistakes, []);
    let many = vec![("pre", entry); MAX_ENTRIES + 1];
    let (_, mistakes) = collected(&many);
    assert_eq!(mistakes, [("pre".to_owned(), "count")]);
}

#[test]
fn every_form_that_names_effects() {
    let gate = || named("noiseGate", &[]);
    let gate_with = |value: Value| named("noiseGate", &[("ratio", value)]);
    let cases: [(Fields, Vec<RawEffect>); 13] = [
        (&[], vec![]),
        (&[("pre", " ")], vec![]),
        (&[("pre", "null")], vec![]),
        (&[("pre", "noiseGate")], vec![gate()]),
        (&[("pre", "\"noiseGate\"")], vec![gate()]),
        (
            &[("pre[]", "noiseGate"), ("pre[]", "x")],
            vec![gate(), named("x", &[])],
        ),
        (
            &[("pre", r#"{"noiseGate":{"ratio":2}}"#)],
            vec![gate_with(json!(2))],
        ),
        (
            &[("pre", r#"{"noiseGate":true,"reverb":null,"x":false}"#)],
            vec![gate()],
        ),
        (
            &[("pre[noiseGate][ratio]", "2")],
            vec![gate_with(json!("2"))],
        ),
        (&[("pre[noiseGate]", "")], vec![gate()]),
        (
            &[("pre[noiseGate]", "True"), ("pre[reverb]", "FALSE")],
            vec![gate()],
        ),
        (
            &[("pre[noiseGate]", r#"{"ratio":2}"#)],
            vec![gate_with(json!(2))],
        ),
        (&[("preset", "x"), ("pre.x", "y"), ("post", "z")], vec![]),
    ];
    for (fields, wanted) in cases {
        let (chain, mistakes) = collected(fields);
        assert_eq!(chain, RawChain::Effects(wanted.clone()), "{fields:?}");
        assert_eq!(mistakes, [], "{fields:?}");
    }
}

#[test]
fn every_form_that_lists_effects() {
    let wanted = vec![
        RawEffect {
            name: "reverb".to_owned(),
            index: Some(0),
            params: vec![("width".to_owned(), json!("1"))],
        },
        RawEffect {
            name: "noiseGate".to_owned(),
            index: Some(1),
            params: vec![],
        },
    ];
    let cases: [&[(&str, &str)]; 4] = [
        &[(
            "pre",
            r#"[{"effect":"reverb","params":{"width":"1"}},"noiseGate"]"#,
        )],
        &[(
            "pre",
            r#"[{"params":{"width":"1"},"effect":"reverb"},{"effect":"noiseGate"}]"#,
        )],
        &[
            ("pre[1][effect]", "noiseGate"),
            ("pre[0][params][width]", "1"),
            ("pre[0][effect]", "reverb"),
        ],
        &[
            ("pre[0]", r#"{"effect":"reverb","params":{"width":"1"}}"#),
            ("pre[1]", "noiseGate"),
        ],
    ];
    for fields in cases {
        let (chain, mistakes) = collected(fields);
        assert_eq!(chain, RawChain::Effects(wanted.clone()), "{fields:?}");
        assert_eq!(mistakes, [], "{fields:?}");
    }
}

#[test]
fn what_is_not_understood_is_named() {
    let cases: [(Fields, (&str, &str)); 19] = [
        (&[("pre", "{")], ("pre", "json")),
        (&[("pre", "[1")], ("pre", "json")),
        (
            &[("pre", r#"{"reverb":{"room_size":1e999}}"#)],
            ("pre", "range"),
        ),
        (&[("pre", "[1]")], ("pre.0", "object")),
        (
            &[("pre", r#"{"noiseGate":3}"#)],
            ("pre.noiseGate", "object"),
        ),
        (
            &[("pre", r#"[{"params":{}}]"#)],
            ("pre.0.effect", "required"),
        ),
        (&[("pre", r#"[{"effect":3}]"#)], ("pre.0.effect", "string")),
        (
            &[("pre", r#"[{"effect":"x","parameters":{}}]"#)],
            ("pre.0.parameters", "exists"),
        ),
        (
            &[("pre", r#"[{"effect":"x","params":[]}]"#)],
            ("pre.0.params", "object"),
        ),
        (
            &[("pre", r#"{"pipeline":true}"#)],
            ("pre.pipeline", "string"),
        ),
        (
            &[("pre", r#"{"pipeline":{"name":"x"}}"#)],
            ("pre.pipeline", "string"),
        ),
        (
            &[("pre[pipeline]", "x"), ("pre[pipeline]", "x")],
            ("pre.pipeline", "distinct"),
        ),
        (
            &[("pre", r#"{"pipeline":"x","noiseGate":{}}"#)],
            ("pre", "form"),
        ),
        (
            &[("pre[pipeline]", "x"), ("pre[noiseGate][ratio]", "2")],
            ("pre", "form"),
        ),
        (
            &[("pre", "[\"reverb\"]"), ("pre[pipeline]", "x")],
            ("pre", "form"),
        ),
        (
            &[("pre", "noiseGate"), ("pre[pipeline]", "x")],
            ("pre", "form"),
        ),
        (
            &[("pre", r#"[{"effect":"x","pipeline":"y"}]"#)],
            ("pre.0.pipeline", "exists"),
        ),
        (&[("pre[a][b][c]", "1")], ("pre.a.b.c", "exists")),
        (
            &[("pre", "noiseGate"), ("pre[0]", "reverb")],
            ("pre", "form"),
        ),
    ];
    for (fields, (field, rule)) in cases {
        let (_, mistakes) = collected(fields);
        assert_eq!(mistakes, [(field.to_owned(), rule)], "{fields:?}");
    }
}

#[test]
fn every_form_that_names_a_pipeline() {
    let warm = || RawChain::Pipeline("warm".to_owned());
    let none = || RawChain::Effects(vec![]);
    let cases: [(Fields, RawChain); 7] = [
        (&[("pre", r#"{"pipeline":"warm"}"#)], warm()),
        (
            &[("pre", r#"{"pipeline":" warm ","noiseGate":false}"#)],
            warm(),
        ),
        (&[("pre[pipeline]", "warm")], warm()),
        (&[("pre[pipeline]", "warm\n")], warm()),
        (&[("pre[pipeline]", " ")], none()),
        (&[("pre", r#"{"pipeline":null}"#)], none()),
        (&[("post[pipeline]", "warm")], none()),
    ];
    for (fields, wanted) in cases {
        assert_eq!(collected(fields), (wanted, vec![]), "{fields:?}");
    }
}
