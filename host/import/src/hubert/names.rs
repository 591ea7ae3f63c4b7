//! The names of weights, which there are two systems of: fairseq's, in which `HuBERT` and `ContentVec` were published, and that of
//! transformers, which is the one that is used here.

/// What may stand in front of the names of a network that was trained further.
const PREFIXES: [&str; 3] = ["hubert.", "w2v_encoder.w2v_model.", "w2v_model."];
/// What inference does not need: what stands for masked frames, the words that were to be guessed, and what a recogniser puts
/// behind.
const UNUSED: [&str; 5] = [
    "mask_emb",
    "masked_spec_embed",
    "label_embs_concat",
    "lm_head.",
    "w2v_encoder.proj.",
];
/// Beginnings of names in fairseq, and what they are in transformers.
const BEGINNINGS: [(&str, &str); 3] = [
    ("layer_norm.", "feature_projection.layer_norm."),
    ("post_extract_proj.", "feature_projection.projection."),
    ("encoder.pos_conv.0.", "encoder.pos_conv_embed.conv."),
];
/// Parts of names inside a layer of the transformer.
const PARTS: [(&str, &str); 4] = [
    (".self_attn.", ".attention."),
    (".self_attn_layer_norm.", ".layer_norm."),
    (".fc1.", ".feed_forward.intermediate_dense."),
    (".fc2.", ".feed_forward.output_dense."),
];
/// The prefix of the layers that hear the wave.
const FEATURES: &str = "feature_extractor.conv_layers.";

/// The name of a weight, or nothing for one that nobody needs.
pub(super) fn name(key: &str) -> Option<String> {
    if UNUSED.iter().any(|unused| key.starts_with(unused)) {
        return None;
    }
    let key = PREFIXES
        .iter()
        .find_map(|prefix| key.strip_prefix(prefix))
        .unwrap_or(key);
    if UNUSED.iter().any(|unused| key.starts_with(unused)) {
        return None;
    }
    for (old, new) in BEGINNINGS {
        if let Some(rest) = key.strip_prefix(old) {
            return Some(format!("{new}{rest}"));
        }
    }
    if let Some(rest) = key.strip_prefix(FEATURES) {
        return Some(format!("{FEATURES}{}", of_feature(rest)));
    }
    let named = PARTS
        .iter()
        .find(|(old, _)| key.contains(old))
        .map_or_else(|| key.to_owned(), |(old, new)| key.replacen(old, new, 1));
    Some(named)
}

/// fairseq numbers what a layer consists of: the convolution is the first part, a normalisation of groups the third.
fn of_feature(rest: &str) -> String {
    for (old, new) in [(".0.", ".conv."), (".2.", ".layer_norm.")] {
        if let Some((layer, weight)) = rest.split_once(old)
            && ["weight", "bias"].contains(&weight)
        {
            return format!("{layer}{new}{weight}");
        }
    }
    rest.to_owned()
}

/// Whether weights of these names are a network of this kind: convolutions over the wave, and a transformer after them.
pub(super) fn is_one<'n>(names: &(impl Iterator<Item = &'n str> + Clone)) -> bool {
    let has = |part: &str| names.clone().any(|name| name.contains(part));
    has("feature_extractor.conv_layers.0.") && has("encoder.layers.0.") && has("encoder.pos_conv")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_systems_of_names_come_to_one() {
        for (fairseq, transformers) in [
            (
                "feature_extractor.conv_layers.0.0.weight",
                "feature_extractor.conv_layers.0.conv.weight",
            ),
            (
                "feature_extractor.conv_layers.0.2.bias",
                "feature_extractor.conv_layers.0.layer_norm.bias",
            ),
            ("layer_norm.weight", "feature_projection.layer_norm.weight"),
            (
                "encoder.pos_conv.0.weight_g",
                "encoder.pos_conv_embed.conv.weight_g",
            ),
            (
                "encoder.layers.11.self_attn.k_proj.bias",
                "encoder.layers.11.attention.k_proj.bias",
            ),
            (
                "encoder.layers.3.self_attn_layer_norm.bias",
                "encoder.layers.3.layer_norm.bias",
            ),
            (
                "encoder.layers.3.fc2.weight",
                "encoder.layers.3.feed_forward.output_dense.weight",
            ),
            ("encoder.layer_norm.bias", "encoder.layer_norm.bias"),
            ("final_proj.weight", "final_proj.weight"),
        ] {
            assert_eq!(name(fairseq).as_deref(), Some(transformers));
            assert_eq!(name(transformers).as_deref(), Some(transformers));
            let further = format!("hubert.{transformers}");
            assert_eq!(name(&further).as_deref(), Some(transformers));
        }
        for unused in ["mask_emb", "hubert.masked_spec_embed", "lm_head.weight"] {
            assert_eq!(name(unused), None, "{unused}");
        }
    }
}
