use vocalhost_audio::{DecodeError, FindingKind, InputFormat, probe};

use super::recording::{
    Scratch, TWO_HOURS, Wav, chunk, decode, decode_heard, decode_strictly, decode_whole,
    decode_within, fixture, id3v2,
};

const STEPS: [i32; 7] = [0, 1, -1, 42, -100, 127, -128];

/// The steps at the top of words of so many bytes, little-endian.
fn words(sample_bytes: usize) -> Vec<u8> {
    STEPS
        .iter()
        .flat_map(|step| (step << 24).to_le_bytes()[4 - sample_bytes..].to_vec())
        .collect()
}

fn expected() -> Vec<f32> {
    STEPS.iter().map(|step| *step as f32 / 128.0).collect()
}

fn samples_of(wav: &Wav) -> Vec<f32> {
    let scratch = Scratch::holding(&wav.bytes());
    decode_whole(scratch.path()).channels.remove(0)
}

#[test]
fn every_encoding_gives_the_same_samples() {
    let bytes: Vec<u8> = STEPS.iter().map(|step| (step + 128) as u8).collect();
    let floats = expected();
    let singles = floats.iter().flat_map(|sample| sample.to_le_bytes());
    let doubles = floats
        .iter()
        .flat_map(|sample| f64::from(*sample).to_le_bytes());
    let mut files = vec![
        Wav::integers(8, bytes),
        Wav::integers(16, words(2)),
        Wav::integers(24, words(3)),
        Wav::integers(32, words(4)),
        Wav::floats(32, singles.collect()),
        Wav::floats(64, doubles.collect()),
    ];
    for wav in &mut files {
        for extensible in [false, true] {
            wav.extensible = extensible;
            assert_eq!(samples_of(wav), expected(), "{} bits", wav.bits);
        }
    }
}

#[test]
fn samples_narrower_than_their_bytes_stand_at_the_top() {
    let wav = Wav {
        frame_bytes: Some(3),
        ..Wav::integers(20, words(3))
    };
    assert_eq!(samples_of(&wav), expected());
    let wav = Wav {
        frame_bytes: Some(4),
        ..Wav::integers(24, words(4))
    };
    assert_eq!(samples_of(&wav), expected());
}

#[test]
fn channels_come_apart_in_order() {
    let data = (0..8_i16 * 5).flat_map(i16::to_le_bytes).collect();
    let wav = Wav {
        channels: 8,
        extensible: true,
        ..Wav::integers(16, data)
    };
    let scratch = Scratch::holding(&wav.bytes());
    let decoded = decode_whole(scratch.path());
    assert_eq!(decoded.info.format, InputFormat::Wav);
    assert_eq!(decoded.channels.len(), 8);
    for (channel, samples) in decoded.channels.iter().enumerate() {
        for (frame, sample) in samples.iter().enumerate() {
            let step = (sample * 32_768.0) as usize;
            assert_eq!(step, frame * 8 + channel);
        }
    }
}

#[test]
fn a_header_written_before_its_sound_ends_with_the_file() {
    for size in [0, u32::MAX, 0x7fff_f000, 0x8000_0000] {
        for riff_size in [0, u32::MAX, size.wrapping_add(36)] {
            let wav = Wav {
                riff_size: Some(riff_size),
                data_size: Some(size),
                ..Wav::integers(16, words(2))
            };
            assert_eq!(samples_of(&wav), expected(), "{size:#x} {riff_size:#x}");
        }
    }
}

#[test]
fn a_file_that_stops_before_its_data_does_is_heard_as_far_as_it_goes() {
    for lost in [1, 2, 5] {
        let mut wav = Wav::integers(16, words(2));
        let stated = wav.data.len();
        wav.data_size = Some(stated as u32);
        wav.data.truncate(stated - lost);
        let scratch = Scratch::holding(&wav.bytes());
        let decoded = decode_heard(scratch.path());
        let whole = (stated - lost) / 2;
        assert_eq!(decoded.channels[0], expected()[..whole]);
        let reason = format!("the file is cut short, {lost} bytes are missing");
        assert_eq!(
            decoded.finding(),
            (
                FindingKind::Cut,
                whole,
                Some(stated / 2 - whole),
                &reason[..]
            )
        );
        let refused = decode_strictly(scratch.path()).expect("opens");
        assert_eq!(refused.frames(), whole);
        assert!(
            matches!(&refused.error, Some(DecodeError::Damaged { reason: told, .. }) if *told == reason)
        );
    }
}

#[test]
fn the_first_look_tells_how_a_long_file_ends() {
    let mut wav = Wav::integers(16, vec![1; 2 * 44_100 * 10]);
    wav.data_size = Some(wav.data.len() as u32);
    wav.data.truncate(2 * 44_100 * 8);
    let scratch = Scratch::holding(&wav.bytes());
    let seen = probe(scratch.path(), &TWO_HOURS).expect("the beginning is sound");
    assert_eq!(seen.info.duration_s, Some(8.0));
    assert_eq!(seen.findings.len(), 1);
    assert_eq!(seen.findings[0].duration_s, Some(2.0));
    assert_eq!(decode_heard(scratch.path()).findings, seen.findings);
}

#[test]
fn the_size_of_the_file_in_the_place_of_the_datas_is_no_damage() {
    for less in [0, 8] {
        let mut wav = Wav::integers(16, words(2));
        wav.data_size = Some(wav.bytes().len() as u32 - less);
        assert_eq!(samples_of(&wav), expected());
    }
}

#[test]
fn rf64_takes_its_size_from_ds64() {
    let data = words(2);
    let mut sizes = 0_u64.to_le_bytes().to_vec();
    sizes.extend((data.len() as u64).to_le_bytes());
    sizes.extend([0; 12]);
    for riff in [*b"RF64", *b"BW64"] {
        let wav = Wav {
            riff,
            riff_size: Some(u32::MAX),
            chunks: chunk(*b"ds64", &sizes),
            data_size: Some(u32::MAX),
            trailer: chunk(*b"LIST", b"INFOISFT\x04\x00\x00\x00test"),
            ..Wav::integers(16, data.clone())
        };
        assert_eq!(samples_of(&wav), expected());
    }
}

#[test]
fn rf64_with_a_smaller_size_where_nothing_ends_is_as_long_as_ds64_says() {
    let data = words(2);
    let mut sizes = 0_u64.to_le_bytes().to_vec();
    sizes.extend((data.len() as u64).to_le_bytes());
    sizes.extend([0; 12]);
    let wav = Wav {
        riff: *b"RF64",
        riff_size: Some(u32::MAX),
        chunks: chunk(*b"ds64", &sizes),
        data_size: Some(4),
        ..Wav::integers(16, data)
    };
    // The last frame is cut off, so that the file has less than either says.
    let mut bytes = wav.bytes();
    bytes.truncate(bytes.len() - 2);
    let decoded = decode_heard(Scratch::holding(&bytes).path());
    assert_eq!(decoded.frames(), expected().len() - 1);
    // A chunk that follows the smaller size ends the sound there.
    let chunks = chunk(*b"LIST", &[]);
    let ends = Wav {
        data: [&wav.data[..4], &chunks].concat(),
        ..wav
    };
    assert_eq!(
        decode_whole(Scratch::holding(&ends.bytes()).path()).frames(),
        2
    );
}

#[test]
fn rf64_that_was_streamed_ends_with_the_file() {
    let wav = Wav {
        riff: *b"RF64",
        riff_size: Some(u32::MAX),
        chunks: chunk(*b"ds64", &[0; 28]),
        data_size: Some(u32::MAX),
        ..Wav::integers(16, words(2))
    };
    assert_eq!(samples_of(&wav), expected());
}

#[test]
fn chunks_around_the_data_are_stepped_over() {
    let mut chunks = chunk(*b"JUNK", &[0; 28]);
    chunks.extend(chunk(*b"bext", &[7; 603]));
    let wav = Wav {
        chunks,
        trailer: chunk(*b"id3 ", &id3v2(51)),
        ..Wav::integers(16, words(2))
    };
    assert_eq!(samples_of(&wav), expected());
}

#[test]
fn a_file_without_a_frame_is_empty() {
    for wav in [
        Wav::integers(16, Vec::new()),
        Wav {
            trailer: chunk(*b"LIST", b"INFOISFT\x04\x00\x00\x00test"),
            ..Wav::integers(16, Vec::new())
        },
    ] {
        let scratch = Scratch::holding(&wav.bytes());
        assert!(matches!(
            probe(scratch.path(), &TWO_HOURS),
            Err(DecodeError::Empty)
        ));
    }
}

#[test]
fn a_sample_that_is_no_number_or_an_absurd_one_is_zero() {
    for strange in [f32::NAN, f32::NEG_INFINITY, 1e25] {
        let mut samples = vec![0.25_f32; 30_000];
        samples[22_050] = strange;
        samples[22_051] = strange;
        let data = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
        let scratch = Scratch::holding(&Wav::floats(32, data).bytes());
        let decoded = decode_heard(scratch.path());
        samples[22_050..22_052].fill(0.0);
        assert_eq!(decoded.channels[0], samples);
        let (kind, at, length, reason) = decoded.finding();
        assert_eq!(
            (kind, at, length),
            (FindingKind::NotFinite, 22_050, Some(2))
        );
        assert!(reason.contains("no finite number"), "{reason}");
    }
    let data = [f32::NAN, 0.5].repeat(3_000).into_iter().chain([f32::NAN]);
    let data = data.flat_map(f32::to_le_bytes).collect();
    let scratch = Scratch::holding(&Wav::floats(32, data).bytes());
    let error = decode(scratch.path()).expect("opens").error;
    assert!(
        matches!(&error, Some(DecodeError::Damaged { reason, .. }) if reason.contains("less than half")),
        "{error:?}"
    );
}

/// The fixtures hold a chirp of two channels, written by libsndfile 1.2 as what their names say, 2,205 frames of 22,050 Hz, and what
/// libsndfile reads out of each as 16 bits: blocks are filled up, and how much of IMA's last one counts stands nowhere.
#[test]
fn telephone_recordings_are_what_libsndfile_hears_in_them() {
    for (name, frames) in [
        ("a_law", 2_205),
        ("mu_law", 2_205),
        ("ima_adpcm", 2 * 2_041),
        ("ms_adpcm", 2_205),
    ] {
        let coded = decode_whole(&fixture(&format!("chirp_{name}.wav")));
        let plain = decode_whole(&fixture(&format!("chirp_{name}_as_16.wav")));
        assert_eq!(coded.frames(), frames, "{name}");
        for (coded, plain) in coded.channels.iter().zip(&plain.channels) {
            assert!(*coded == plain[..frames], "{name}");
        }
        assert_eq!(coded.channels.len(), 2, "{name}");
    }
}

#[test]
fn blocks_of_differences_that_are_cut_or_broken_are_heard_as_far_as_they_go() {
    for (name, head) in [("ima_adpcm", 2), ("ms_adpcm", 0)] {
        let whole = decode_whole(&fixture(&format!("chirp_{name}.wav"))).channels;
        let bytes = std::fs::read(fixture(&format!("chirp_{name}.wav"))).expect("the fixture");
        // All but 70 bytes of the second block.
        let scratch = Scratch::holding(&bytes[..bytes.len() - (2_048 - 70)]);
        let cut = decode_heard(scratch.path());
        let heard = cut.frames();
        assert!(heard > 2_050 && heard < whole[0].len(), "{name}: {heard}");
        assert_eq!(cut.channels[0], whole[0][..heard]);
        let (kind, at, missing, _) = cut.finding();
        assert_eq!(
            (kind, at, missing),
            (FindingKind::Cut, heard, Some(whole[0].len() - heard))
        );

        // The second block: a place or weights that are none.
        let data = bytes
            .windows(4)
            .position(|name| name == b"data")
            .expect("data")
            + 8;
        let block_bytes = usize::from(u16::from_le_bytes([bytes[32], bytes[33]]));
        let mut broken = bytes.clone();
        broken[data + block_bytes + head] = 0xf0;
        let scratch = Scratch::holding(&broken);
        let decoded = decode_heard(scratch.path());
        let (kind, at, length, _) = decoded.finding();
        assert_eq!(kind, FindingKind::Damaged);
        let length = length.expect("known");
        assert_eq!(decoded.channels[1][..at], whole[1][..at]);
        assert!(
            decoded.channels[1][at..at + length]
                .iter()
                .all(|sample| *sample == 0.0)
        );
        assert_eq!(decoded.channels[1][at + length..], whole[1][at + length..]);
    }
}

#[test]
fn encodings_that_are_not_read_are_named() {
    for format in [0x31, 0x55, 0x161] {
        let wav = Wav {
            format,
            ..Wav::integers(16, words(2))
        };
        let scratch = Scratch::holding(&wav.bytes());
        let error = decode(scratch.path()).err().expect("is refused");
        assert!(
            error.to_string().contains(&format!("{format:#06x}")),
            "{error}"
        );
    }
}

#[test]
fn limits_hold_by_the_header_alone() {
    let refusal = |change: &dyn Fn(&mut Wav)| {
        let mut wav = Wav::integers(16, words(2));
        change(&mut wav);
        let scratch = Scratch::holding(&wav.bytes());
        probe(scratch.path(), &TWO_HOURS).expect_err("is refused")
    };
    for found in [0, 9, 65_535] {
        assert!(matches!(
            refusal(&|wav| wav.channels = found),
            DecodeError::Channels { found: seen } if seen == u32::from(found)
        ));
    }
    for found in [0, 1, 7_999, 192_001, 4_000_000_000] {
        assert!(matches!(
            refusal(&|wav| wav.sample_rate_hz = found),
            DecodeError::SampleRate { found_hz } if found_hz == found
        ));
    }
    let second = Scratch::holding(&Wav::integers(8, vec![128; 44_101]).bytes());
    let limits = vocalhost_audio::AudioLimits {
        max_duration_s: 1.0,
    };
    assert!(matches!(
        decode_within(second.path(), limits),
        Err(DecodeError::TooLong { .. })
    ));
}
