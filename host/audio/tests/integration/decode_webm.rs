//! The fixtures hold the chirp of `recording::chirp`, 24,123 frames of it; a second channel has half of its level the
//! other way round. They come from ffmpeg 5.1 of Debian, without tags of their own:
//! `ffmpeg -i chirp.wav -c:a libopus -b:a 64k chirp_opus.webm` (mono, 48 kHz, all lengths stated),
//! `-c:a libopus -b:a 96k -cluster_time_limit 100 -f webm -live 1 pipe:1` (stereo, six clusters of unknown length in a segment of
//! unknown length, as a browser records), `-c:a libvorbis -q:a 5` (stereo, 44.1 kHz) and the same live, and
//! `video_opus.webm` with a VP8 track in front. `sines51_opus.webm` has one sine per channel of 5.1, of 300, 500, 700,
//! 60, 900 and 1,100 Hz in the order of WAVE, with `-mapping_family 1`; `sines51_vorbis.webm` has them for a tenth of a second.

use std::fs;

use vocalhost_audio::{AudioLimits, DecodeError, FindingKind, InputFormat, probe};

use super::recording::{
    Decoded, Scratch, TWO_HOURS, chirp, decode, decode_heard, decode_strictly, decode_whole,
    decode_within, fixture, id3v2, lag,
};
use super::webm::{Block, Cut, Opus, Webm, element, uint};

const FRAMES: usize = 24_123;

/// What Vorbis makes of it: whole blocks, since this container does not say where the last one ends.
const VORBIS_FRAMES: usize = 24_192;

/// The level of the difference between two sounds below the second, in dB.
fn distance_db(sound: &[f32], wanted: &[f32]) -> f64 {
    let energy = |samples: &mut dyn Iterator<Item = f64>| samples.map(|x| x * x).sum::<f64>();
    let pairs = || sound.iter().zip(wanted);
    let error = energy(&mut pairs().map(|(a, b)| f64::from(a - b)));
    10.0 * (error / energy(&mut pairs().map(|(_, b)| f64::from(*b)))).log10()
}

fn assert_chirps(decoded: &Decoded, frames: usize, near_db: f64) {
    assert_eq!(decoded.info.format, InputFormat::Webm);
    assert_eq!(decoded.frames(), frames);
    let wanted = chirp(decoded.info.sample_rate_hz, FRAMES);
    for (channel, gain) in decoded.channels.iter().zip([1.0, -0.5]) {
        let wanted: Vec<f32> = wanted.iter().map(|sample| gain * sample).collect();
        assert_eq!(lag(channel, &wanted), 0);
        let distance = distance_db(channel, &wanted);
        assert!(distance < near_db, "{distance} dB");
    }
}

#[test]
fn opus_comes_back_at_its_place_and_length() {
    let decoded = decode_whole(&fixture("chirp_opus.webm"));
    assert_eq!(
        (decoded.info.channels, decoded.info.sample_rate_hz),
        (1, 48_000)
    );
    assert_chirps(&decoded, FRAMES, -15.0);
}

#[test]
fn a_live_recording_of_unknown_length_is_read_to_its_end() {
    let decoded = decode_whole(&fixture("chirp_opus_live.webm"));
    assert_eq!(decoded.info.channels, 2);
    assert_chirps(&decoded, FRAMES, -15.0);
    assert_eq!(
        probe(&fixture("chirp_opus_live.webm"), &TWO_HOURS)
            .expect("probes")
            .info
            .frames,
        Some(FRAMES as u64)
    );
}

#[test]
fn vorbis_comes_back_at_its_place() {
    for name in ["chirp_vorbis.webm", "chirp_vorbis_live.webm"] {
        let decoded = decode_whole(&fixture(name));
        assert_eq!(
            (decoded.info.channels, decoded.info.sample_rate_hz),
            (2, 44_100)
        );
        assert_chirps(&decoded, VORBIS_FRAMES, -15.0);
    }
}

#[test]
fn pictures_beside_the_sound_are_passed_over() {
    assert_chirps(&decode_whole(&fixture("video_opus.webm")), FRAMES, -15.0);
}

#[test]
fn surround_has_the_order_of_wave() {
    let decoded = decode_whole(&fixture("sines51_opus.webm"));
    assert_eq!(decoded.info.channels, 6);
    let sines = [300.0, 500.0, 700.0, 60.0, 900.0, 1_100.0];
    let level = |samples: &[f32], hz: f64| {
        let step = std::f64::consts::TAU * hz / 48_000.0;
        let mut sums = (0.0, 0.0);
        for (n, sample) in samples.iter().enumerate() {
            sums.0 += f64::from(*sample) * (step * n as f64).cos();
            sums.1 += f64::from(*sample) * (step * n as f64).sin();
        }
        2.0 * sums.0.hypot(sums.1) / samples.len() as f64
    };
    for (channel, samples) in decoded.channels.iter().enumerate() {
        let levels = sines.map(|hz| level(samples, hz));
        let loudest = (0..6).max_by(|a, b| levels[*a].total_cmp(&levels[*b]));
        assert_eq!(loudest, Some(channel), "{levels:?}");
        assert!((levels[channel] - 0.3).abs() < 0.05, "{levels:?}");
    }
}

#[test]
fn vorbis_of_more_than_two_channels_is_refused() {
    let refused = probe(&fixture("sines51_vorbis.webm"), &TWO_HOURS);
    let reason = refused.expect_err("it would be wrong").to_string();
    assert!(reason.contains("Vorbis of 6 channels"), "{reason}");
}

#[test]
fn tags_in_front_change_nothing() {
    let mut tagged = id3v2(5_000);
    tagged.extend(fs::read(fixture("chirp_opus.webm")).expect("the fixture"));
    let scratch = Scratch::holding(&tagged);
    assert_chirps(&decode_whole(scratch.path()), FRAMES, -15.0);
}

#[test]
fn every_way_to_write_blocks_gives_the_same_sound() {
    let opus = Opus::chirping(30);
    let plain = decode_bytes(&Webm::of(&opus).bytes());
    assert_eq!(plain.frames(), 30 * 960 - 312);
    for block in [Block::Grouped, Block::Xiph, Block::Ebml] {
        for cut in [Cut::Stated, Cut::Unknown] {
            let webm = Webm {
                block,
                cut,
                blocks_per_cluster: 3,
                ..Webm::of(&opus)
            };
            let decoded = decode_bytes(&webm.bytes());
            assert_eq!(decoded.channels, plain.channels, "{block:?} {cut:?}");
        }
    }
}

#[test]
fn padding_is_taken_off_where_the_container_says() {
    let opus = Opus::chirping(10);
    let whole = decode_bytes(
        &Webm {
            pre_skip: 0,
            delay_ns: Some(0),
            ..Webm::of(&opus)
        }
        .bytes(),
    );
    assert_eq!(whole.frames(), 9_600);
    let stated = Webm {
        // 104 frames at 48 kHz, as a muxer writes it that takes 16 kHz for the rate of Opus.
        delay_ns: Some(2_166_667),
        ..Webm::of(&opus)
    };
    assert_eq!(
        decode_bytes(&stated.bytes()).channels[0],
        whole.channels[0][312..],
        "the header of Opus goes over the container's word"
    );
    let trimmed = decode_bytes(
        &Webm {
            // 20 ms and one frame in front; half a packet behind.
            pre_skip: 0,
            delay_ns: Some(20_020_833),
            discard_ns: 10_000_000,
            ..Webm::of(&opus)
        }
        .bytes(),
    );
    assert_eq!(trimmed.channels[0], whole.channels[0][961..9_120]);
    let nothing = Webm {
        pre_skip: 0,
        delay_ns: Some(u64::MAX),
        ..Webm::of(&opus)
    };
    assert!(matches!(
        decode(Scratch::holding(&nothing.bytes()).path()),
        Err(DecodeError::Empty)
    ));
}

#[test]
fn the_gain_in_the_header_of_opus_is_applied() {
    let opus = Opus::chirping(5);
    let plain = decode_bytes(&Webm::of(&opus).bytes());
    let louder = Webm {
        // 6.02 dB in steps of 1/256 dB.
        gain_q8: 1_541,
        ..Webm::of(&opus)
    };
    let doubled: Vec<f32> = plain.channels[0]
        .iter()
        .map(|sample| 2.0 * sample)
        .collect();
    assert!(distance_db(&decode_bytes(&louder.bytes()).channels[0], &doubled) < -60.0);
}

#[test]
fn silence_that_an_encoder_did_not_send_keeps_its_length() {
    let mut opus = Opus::chirping(12);
    // The first byte alone says how long the packet is.
    for unsent in [0, 1, 5, 6, 7] {
        opus.packets[unsent].truncate(1);
    }
    let decoded = decode_bytes(&Webm::of(&opus).bytes());
    assert!(decoded.error.is_none(), "{:?}", decoded.error);
    assert_eq!(decoded.frames(), 12 * 960 - 312);
    let sound = &decoded.channels[0];
    assert!(sound[..960].iter().all(|sample| *sample == 0.0));
    assert!(sound[9 * 960..].iter().any(|sample| sample.abs() > 0.2));
}

#[test]
fn a_recording_of_unknown_length_may_end_behind_an_element_and_not_inside_one() {
    let opus = Opus::chirping(10);
    let unknown = |cut| Webm {
        cut,
        ..Webm::of(&opus)
    };
    let live = unknown(Cut::Unknown).bytes();
    // A block is the header of its element, its own and the packet.
    let last = 9 + 4 + opus.packets[9].len();
    let interrupted = decode_bytes(&live[..live.len() - last]);
    assert!(interrupted.error.is_none(), "{:?}", interrupted.error);
    assert_eq!(interrupted.frames(), 9 * 960 - 312);

    // As recorders that measure their clusters write, and the length of the whole later.
    let segment = b"\x18\x53\x80\x67";
    let mut measured = unknown(Cut::Stated).bytes();
    let at = measured.windows(4).position(|found| found == segment);
    let size = at.expect("a segment") + 4;
    measured[size..size + 8].copy_from_slice(b"\x01\xff\xff\xff\xff\xff\xff\xff");
    assert_eq!(decode_bytes(&measured).frames(), 10 * 960 - 312);

    let cuts = [1, last - 13, last - 1].map(|missing| (&live, missing));
    for (bytes, missing) in cuts.into_iter().chain([(&measured, last)]) {
        let bytes = &bytes[..bytes.len() - missing];
        let decoded = decode_bytes(bytes);
        assert_eq!(decoded.frames(), 9 * 960 - 312, "{missing}");
        let (kind, at, length, reason) = decoded.finding();
        assert_eq!(
            (kind, at, length),
            (FindingKind::Cut, decoded.frames(), None)
        );
        assert!(reason.contains("cut short"), "{reason}");
        let refused = decode_strictly(Scratch::holding(bytes).path()).expect("opens");
        assert_eq!(refused.channels, decoded.channels);
        assert!(matches!(refused.error, Some(DecodeError::Damaged { .. })));
    }
}

#[test]
fn a_file_that_is_shorter_than_it_says_is_heard_as_far_as_it_goes() {
    for name in ["chirp_opus.webm", "chirp_vorbis.webm"] {
        let bytes = fs::read(fixture(name)).expect("the fixture");
        let whole = decode_whole(&fixture(name)).channels;
        let scratch = Scratch::holding(&bytes[..bytes.len() * 3 / 4]);
        let decoded = decode_heard(scratch.path());
        let heard = decoded.frames();
        assert!(heard > 1_000 && heard < FRAMES, "{name}: {heard}");
        assert_eq!(decoded.channels[0], whole[0][..heard]);
        let missing = bytes.len() - bytes.len() * 3 / 4;
        let (kind, at, _, reason) = decoded.finding();
        assert_eq!((kind, at), (FindingKind::Cut, heard));
        assert!(
            reason.contains(&format!("{missing} bytes are missing")),
            "{reason}"
        );
    }
}

#[test]
fn a_broken_packet_is_silence_of_its_length() {
    let mut opus = Opus::chirping(10);
    let whole = decode_bytes(&Webm::of(&opus).bytes()).channels.remove(0);
    // Two frames of equal size in an odd number of bytes.
    opus.packets[6] = vec![(opus.packets[6][0] & !3) | 1, 0, 0, 0];
    let decoded = decode_bytes(&Webm::of(&opus).bytes());
    assert_eq!(decoded.frames(), whole.len());
    let (kind, at, length, reason) = decoded.finding();
    let hole = 6 * 960 - 312;
    assert_eq!((kind, at, length), (FindingKind::Damaged, hole, Some(960)));
    assert!(reason.contains("Opus"), "{reason}");
    let sound = &decoded.channels[0];
    assert_eq!(sound[..hole], whole[..hole]);
    assert!(sound[hole..hole + 960].iter().all(|sample| *sample == 0.0));
    assert!(
        distance_db(&sound[hole + 2 * 960..], &whole[hole + 2 * 960..]) < -20.0,
        "what follows is where it was"
    );
}

#[test]
fn bytes_that_make_no_sense_are_silence_as_long_as_the_clock_says() {
    let opus = Opus::chirping(40);
    for block in [Block::Simple, Block::Grouped] {
        for (cut, blocks_per_cluster) in [(Cut::Stated, 100), (Cut::Unknown, 100), (Cut::Stated, 4)]
        {
            let webm = Webm {
                block,
                cut,
                blocks_per_cluster,
                has_times: true,
                ..Webm::of(&opus)
            };
            let bytes = webm.bytes();
            let whole = decode_bytes(&bytes).channels.remove(0);
            let at = |packet: usize| {
                let bytes = bytes.windows(opus.packets[packet].len());
                let mut found = bytes
                    .enumerate()
                    .filter(|(_, at)| *at == opus.packets[packet]);
                found.next().expect("the packet").0
            };
            // From inside of one packet into the next but two: its header is gone, and those of two more.
            let mut broken = bytes.clone();
            broken[at(10) - 12..at(12) + 5].fill(0x05);
            let decoded = decode_bytes(&broken);
            let (kind, begin, length, _) = decoded.finding();
            assert_eq!((kind, begin), (FindingKind::Damaged, 10 * 960 - 312));
            assert_eq!(decoded.channels[0][..begin], whole[..begin]);
            if blocks_per_cluster == 4 {
                // The clock of a cluster is in its head, which is lost: the bytes tell.
                assert!(decoded.frames().abs_diff(whole.len()) <= 960);
                continue;
            }
            assert_eq!(decoded.frames(), whole.len(), "{block:?} {cut:?}");
            assert_eq!(length, Some(3 * 960), "{block:?} {cut:?}");
            let behind = 15 * 960;
            let distance = distance_db(&decoded.channels[0][behind..], &whole[behind..]);
            assert!(distance < -20.0, "{distance} dB");
        }
    }
}

#[test]
fn lies_about_lengths_hide_no_sound() {
    let opus = Opus::chirping(10);
    let whole = Webm {
        cut: Cut::Unknown,
        ..Webm::of(&opus)
    };
    let heard = 10 * 960 - 312;
    let garbage = [&whole.bytes()[..], &[0; 500]].concat();
    // An element that nobody knows, of 2^48 bytes; a block of a gigabyte.
    let lies = [
        &b"\xc5\x03\x00\x00\x00\x00\x00\x00rest"[..],
        b"\xa3\x08\x40\x00\x00\x00\x81\x00\x00\x80rest",
    ];
    let files = lies.map(|lie| [&whole.bytes()[..], lie].concat());
    for bytes in files.into_iter().chain([garbage, whole.bytes().repeat(2)]) {
        let decoded = decode_bytes(&bytes);
        let (kind, at, _, _) = decoded.finding();
        assert_eq!((kind, at), (FindingKind::Cut, heard));
        assert_eq!(decoded.frames(), heard);
    }

    // A cluster that says that it is shorter than it is.
    let mut short = Webm::of(&opus).bytes();
    let cluster = short.windows(4).position(|id| id == b"\x1f\x43\xb6\x75");
    short[cluster.expect("a cluster") + 11] ^= 0x40;
    let decoded = decode_bytes(&short);
    assert_eq!(decoded.frames(), heard, "{:?}", decoded.findings);
}

#[test]
fn what_is_broken_in_front_of_the_tracks_is_not_needed() {
    let opus = Opus::chirping(10);
    let whole = Webm::of(&opus);
    for strange in [
        // A table of places whose size makes no sense, and bytes that are no element.
        &b"\x11\x4d\x9b\x74\x01\x00\xff\xff\xff\xff\xff\xff"[..],
        b"\x00\x01\x02\x03",
    ] {
        let webm = Webm {
            before_tracks: strange.to_vec(),
            ..whole.clone()
        };
        assert_eq!(decode_bytes(&webm.bytes()).frames(), 10 * 960 - 312);
    }
}

#[test]
fn what_is_no_sound_for_us_says_so() {
    let opus = Opus::chirping(3);
    let refusal = |webm: Webm| {
        let scratch = Scratch::holding(&webm.bytes());
        probe(scratch.path(), &TWO_HOURS)
            .expect_err("is refused")
            .to_string()
    };
    let of = || Webm::of(&opus);
    let cases = [
        (
            Webm {
                doc_type: "midi",
                track_type: 1,
                codec: "S_MIDI",
                ..of()
            },
            "an EBML file other than WebM",
        ),
        (
            Webm {
                codec: "A_AAC",
                ..of()
            },
            "coded as A_AAC",
        ),
        (
            Webm {
                track_type: 1,
                codec: "V_VP9",
                ..of()
            },
            "no track of sound",
        ),
        (
            Webm {
                track_extra: element(&[0x6d, 0x80], b""),
                ..of()
            },
            "encrypted",
        ),
        (
            Webm {
                codec: "A_VORBIS",
                ..of()
            },
            "header of Vorbis",
        ),
        (
            Webm {
                blocks_on_track: 2,
                ..of()
            },
            "holds no sound",
        ),
    ];
    for (webm, wanted) in cases {
        let message = refusal(webm);
        assert!(message.contains(wanted), "{message}");
    }
    let scratch = Scratch::holding(&element(&[0x1a, 0x45, 0xdf, 0xa3], &uint(&[0x42, 0x86], 1)));
    assert!(probe(scratch.path(), &TWO_HOURS).is_err());
}

#[test]
fn opus_whose_header_makes_no_sense_is_heard_as_two_channels() {
    let opus = Opus::chirping(3);
    for channels in [0, 6, 9] {
        let webm = Webm {
            channels,
            ..Webm::of(&opus)
        };
        let decoded = decode_bytes(&webm.bytes());
        assert_eq!((decoded.info.channels, decoded.frames()), (2, 3 * 960));
    }
}

#[test]
fn matroska_is_read_like_webm() {
    let opus = Opus::chirping(3);
    let matroska = Webm {
        doc_type: "matroska",
        ..Webm::of(&opus)
    };
    assert_eq!(decode_bytes(&matroska.bytes()).frames(), 3 * 960 - 312);
}

#[test]
fn a_length_over_the_limit_is_refused_before_decoding() {
    let limits = AudioLimits {
        max_duration_s: 0.4,
    };
    assert!(matches!(
        probe(&fixture("chirp_vorbis_live.webm"), &limits),
        Err(DecodeError::TooLong { .. })
    ));
    assert!(matches!(
        decode_within(&fixture("chirp_opus_live.webm"), limits),
        Err(DecodeError::TooLong { .. })
    ));
}

fn decode_bytes(bytes: &[u8]) -> Decoded {
    decode_heard(Scratch::holding(bytes).path())
}
