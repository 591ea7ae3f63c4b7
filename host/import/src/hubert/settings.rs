//! What the weights of an encoder do not tell: `config.json`, which transformers puts beside them, or the settings that fairseq keeps
//! with them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::drawing::DrawFault;
use crate::torch::{Document, Entry, Node};
use vocalhost_letters::words::quoted;

/// The longest `config.json` that is read.
const MAX_BYTES: u64 = 1 << 20;
/// What is added to variances, unless somebody says otherwise.
const EPSILON: f32 = 1e-5;
/// The strides of the layers that hear the wave: 320 samples in all, fifty frames a second.
pub(super) const STRIDES: [i64; 7] = [5, 2, 2, 2, 2, 2, 2];

/// Settings of an encoder.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    /// Heads of each attention.
    pub(super) heads: Option<u64>,
    /// What is added to variances of layers.
    pub(super) epsilon: f32,
    /// What it is called.
    pub(super) name: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            heads: None,
            epsilon: EPSILON,
            name: None,
        }
    }
}

/// What a setting may be, for those that decide how the network is put together.
fn wanted(key: &str) -> Option<Value> {
    Some(match key {
        "model_type" => Value::from("hubert"),
        "hidden_act" | "feat_extract_activation" | "activation_fn" => Value::from("gelu"),
        "feat_extract_norm" => Value::from("group"),
        "extractor_mode" => Value::from("default"),
        "do_stable_layer_norm" | "layer_norm_first" | "conv_pos_batch_norm" => Value::from(false),
        "feat_proj_layer_norm" => Value::from(true),
        "conv_stride" => Value::from(STRIDES.to_vec()),
        _ => return None,
    })
}

/// Refuses what makes it another network.
fn check(key: &str, value: &Value) -> Result<(), DrawFault> {
    match wanted(key) {
        Some(wanted) if wanted != *value => Err(DrawFault::refused(format!(
            "is an encoder of another build: its setting {} is {}, and only {wanted} is supported (HuBERT's base size)",
            quoted(key),
            quoted(&value.to_string())
        ))),
        _ => Ok(()),
    }
}

impl Settings {
    /// Reads a `config.json`.
    pub(super) fn of_json(path: &Path) -> Result<Self, DrawFault> {
        let mut text = Vec::new();
        let file = File::open(path).map_err(DrawFault::Io)?;
        file.take(MAX_BYTES)
            .read_to_end(&mut text)
            .map_err(DrawFault::Io)?;
        let Ok(Value::Object(settings)) = serde_json::from_slice(&text) else {
            return Err(DrawFault::refused(
                "is of no known kind: beside the weights of a content encoder there may be its config.json"
                    .to_owned(),
            ));
        };
        for (key, value) in &settings {
            check(key, value)?;
        }
        let mut read = Self {
            heads: settings.get("num_attention_heads").and_then(Value::as_u64),
            name: settings
                .get("_name_or_path")
                .and_then(Value::as_str)
                .map(str::to_owned),
            ..Self::default()
        };
        if let Some(epsilon) = settings.get("layer_norm_eps").and_then(Value::as_f64) {
            read.epsilon = epsilon as f32;
        }
        if !(0.0..=0.1).contains(&read.epsilon) {
            return Err(DrawFault::refused(
                "says a layer_norm_eps that is not between 0 and 0.1".to_owned(),
            ));
        }
        Ok(read)
    }

    /// Reads the settings that fairseq keeps in `cfg`.
    pub(super) fn of_fairseq(document: &Document, root: Entry) -> Result<Self, DrawFault> {
        let model = document
            .member_entry(root, "cfg")
            .and_then(|settings| document.member_entry(settings, "model"));
        let Some(model) = model else {
            return Ok(Self::default());
        };
        for (key, entry) in document.members(model) {
            let value = match document.get(entry) {
                Node::Text(text) => Value::from(text.as_str()),
                Node::Bool(yes) => Value::from(*yes),
                _ => continue,
            };
            check(key, &value)?;
        }
        let heads = document.member_entry(model, "encoder_attention_heads");
        let heads = heads.and_then(|heads| document.integer(heads));
        Ok(Self {
            heads: heads.and_then(|heads| u64::try_from(heads).ok()),
            ..Self::default()
        })
    }
}
