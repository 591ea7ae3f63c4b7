//! Files of torch that are something else than a voice of RVC: what they are, and what to do with them.

/// What names of weights, or words beside them, give a file away by; each with what to tell whoever has it. The first that is found
/// counts.
const MARKS: [(&[&str], &str); 15] = [
    (
        &["mask_estimators.", "band_split.to_features."],
        "is a RoFormer separator (BS-RoFormer or Mel-Band RoFormer); export it as ONNX, and give the .yaml beside that",
    ),
    (
        &["encoder_blocks.0.tfc_tdf.", "first_conv.weight"],
        "is an MDX23C separator; export it as ONNX, and give the .yaml beside that",
    ),
    (
        &["stg1_low_band_net.", "stg1_high_band_net."],
        "is a separator of UVR's VR architecture, which has no export to ONNX that is known here; UVR's MDX-Net models are ONNX already",
    ),
    (
        &["SDlayer.", "sdlayer."],
        "is an SCNet separator; export it as ONNX",
    ),
    (
        &["demucs"],
        "is a checkpoint of Demucs; export it as ONNX, each of its models in a graph of its own",
    ),
    (
        &["ssl_proj.", "ref_enc.", "ar_text_embedding."],
        "is a voice of GPT-SoVITS, which speaks text; voices that convert recordings are those of RVC and Applio",
    ),
    (
        &["f0_decoder.", "emb_uv.", "unit_embed."],
        "is a voice of so-vits-svc or DDSP-SVC, whose network is another than RVC's; train the voice with RVC or Applio",
    ),
    (
        &["discriminators.", "mpd.", "msd."],
        "is a discriminator (D_….pth), which only training needs; import the voice itself, from the folder weights, or G_….pth",
    ),
    (
        &[
            "post_extract_proj",
            "feature_extractor.conv_layers.",
            "encoder.pos_conv",
            "final_proj.",
            "fairseq",
            "omegaconf",
            "hubert_pretraining",
        ],
        "is a content encoder (HuBERT or ContentVec, such as hubert_base.pt); import its export to ONNX instead, such as vec-768-layer-12.onnx",
    ),
    (
        &["unet.encoder.", "unet.intermediate."],
        "is the F0 estimator RMVPE; import its export to ONNX instead (rmvpe.onnx)",
    ),
    (
        &["CFNaiveMelPE", "input_stack."],
        "is the F0 estimator FCPE; import its export to ONNX instead",
    ),
    (
        &["conv1_BN.", "classifier.weight"],
        "is the F0 estimator CREPE; import its export to ONNX instead",
    ),
    (
        &["diffusion_model.", "denoise_fn."],
        "is a diffusion model; voices that convert recordings are those of RVC and Applio",
    ),
    (
        &["optimizer_states", "loops"],
        "is a training file of Lightning; export the model as ONNX",
    ),
    (
        &["argparse"],
        "holds a program's arguments, as checkpoints of fairseq do; import the model's export to ONNX instead",
    ),
];

/// What a file is whose weights or words have these names.
pub(crate) fn known_by(names: &[&str]) -> Option<&'static str> {
    let found = MARKS.iter().find(|(marks, _)| {
        let is_marked = |name: &&str| marks.iter().any(|mark| name.contains(mark));
        names.iter().any(is_marked)
    });
    found.map(|(_, said)| *said)
}

/// The same of a file that torch wrote before version 1.6, by the texts in it.
pub(crate) fn known_by_text(bytes: &[u8]) -> Option<&'static str> {
    let found = MARKS.iter().find(|(marks, _)| {
        let stands_in = |mark: &&str| {
            bytes
                .windows(mark.len())
                .any(|some| some == mark.as_bytes())
        };
        marks.iter().any(stands_in)
    });
    found.map(|(_, said)| *said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_take_for_a_voice_is_told_apart() {
        for (name, wanted) in [
            ("band_split.to_features.0.0.gamma", "RoFormer"),
            ("encoder_blocks.0.tfc_tdf.blocks.0.tfc1.0.weight", "MDX23C"),
            ("stg1_low_band_net.0.enc1.conv.0.weight", "VR architecture"),
            ("encoder.0.SDlayer.convs.0.weight", "SCNet"),
            ("demucs.htdemucs", "Demucs"),
            ("enc_p.ssl_proj.weight", "GPT-SoVITS"),
            ("f0_decoder.prenet.weight", "so-vits-svc"),
            ("mpd.discriminators.0.convs.0.weight", "discriminator"),
            (
                "feature_extractor.conv_layers.0.conv.weight",
                "content encoder",
            ),
            ("unet.encoder.bn.weight", "RMVPE"),
        ] {
            let said = known_by(&[name]).expect("is known");
            assert!(said.contains(wanted), "{name}: {said}");
        }
        let voice = [
            "enc_p.emb_phone.weight",
            "dec.conv_pre.weight",
            "flow.flows.0.pre.weight",
        ];
        assert_eq!(known_by(&voice), None);
        let old = b"\x80\x02}q\x01X\x12\0\0\0hubert_pretrainingq\x02.";
        assert!(known_by_text(old).is_some_and(|said| said.contains("hubert_base.pt")));
    }
}
