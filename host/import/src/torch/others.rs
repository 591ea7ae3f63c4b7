//! Files of torch that are something else than a voice of RVC: what they are, and what to do with them.

/// Names of weights, or words beside them, that give a file away, each with what to tell whoever has it. The first that is found
/// counts.
const MARKS: [(&[&str], &str); 11] = [
    (
        &["mask_estimators.", "band_split.to_features."],
        "is a RoFormer separator, but of another build than BS-RoFormer and Mel-Band RoFormer; export it as ONNX",
    ),
    (
        &["encoder_blocks.0.tfc_tdf.", "first_conv.weight"],
        "is a separator of TFC-TDF, but of another build than MDX23C; export it as ONNX",
    ),
    (
        &["stg1_low_band_net.", "stg1_high_band_net."],
        "is a separator of UVR's VR architecture, but of another build than those that are drawn here; import one of another architecture for the \
         same purpose: MDX-Net (.onnx), or RoFormer, MDX23C or SCNet (.ckpt with its .yaml)",
    ),
    (
        &["SDlayer.", "sdlayer.", "sd_blocks."],
        "is an SCNet separator of another build than those that are drawn here; export it as ONNX",
    ),
    (
        &["demucs"],
        "is a Demucs of an older build than the fourth generation's (htdemucs, htdemucs_ft, htdemucs_6s), whose weights alone are read; import \
         its export to ONNX, each of its models in a graph of its own",
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
        "is a content encoder, but no whole HuBERT: weights of it are missing, or others; import its export to ONNX instead",
    ),
    (
        &["diffusion_model.", "denoise_fn."],
        "is a diffusion model; voices that convert recordings are those of RVC and Applio",
    ),
    (
        &["optimizer_states", "loops"],
        "is a training file of Lightning; export the model as ONNX",
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
    }
}
