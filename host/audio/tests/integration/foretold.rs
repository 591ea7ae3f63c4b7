//! An MP3 that is read while it is written.

use std::fs;

use vocalhost_audio::{MP3_DEFAULT_KBPS, MP3_KBPS, Mp3Writer};

use super::recording::{Scratch, blocks, chirp, decode_whole};

/// More than the writer holds back, and longer than its table of contents has points for.
const SECONDS: f64 = 11.3;

/// Where the information frame may differ once the sound is known: the stereo mode of the last frame in the header, after which the side
/// information of one or two channels lies; the checksum of the sound, and the frame's own.
fn may_differ(channels: usize) -> Vec<usize> {
    let tag = [21, 36][channels - 1];
    let checksums = (tag + 152)..(tag + 156);
    [3].into_iter().chain(checksums).collect()
}

/// The file as it stands before its end, and as it is then.
fn written(kbps: u32, channels: &[Vec<f32>], sample_rate_hz: u32) -> [Vec<u8>; 2] {
    let scratch = Scratch::holding(&[]);
    let mut writer = Mp3Writer::create_at(kbps, scratch.path(), channels.len(), sample_rate_hz)
        .expect("creates");
    writer
        .foretell(channels[0].len() as u64)
        .expect("foretells");
    for block in blocks(channels) {
        writer.write(&block).expect("writes");
    }
    let before = fs::read(scratch.path()).expect("reads");
    writer.finish().expect("finishes");
    [before, fs::read(scratch.path()).expect("reads")]
}

#[test]
fn the_information_is_there_before_the_sound_but_for_checksums() {
    for (rate_hz, count, kbps) in [
        (44_100, 2, MP3_DEFAULT_KBPS),
        (44_100, 1, MP3_KBPS[0]),
        (48_000, 2, MP3_KBPS[5]),
        (32_000, 1, MP3_DEFAULT_KBPS),
        (22_050, 2, MP3_DEFAULT_KBPS),
        (96_000, 1, MP3_DEFAULT_KBPS),
    ] {
        // Lengths around which one more frame begins.
        for more in [0, 575, 577, 1_151] {
            let frames = (SECONDS * f64::from(rate_hz)) as usize / 1_152 * 1_152 + more;
            let channels = vec![chirp(rate_hz, frames); count];
            let [before, after] = written(kbps, &channels, rate_hz);
            let at = format!("{frames} frames at {rate_hz} Hz, {count} channels, {kbps} kbit/s");
            assert!(before.len() > 60_000, "{at}: {}", before.len());
            let differing = before.iter().zip(&after).enumerate();
            let differing = differing.filter(|(_, (before, after))| before != after);
            let differing: Vec<usize> = differing.map(|(at, _)| at).collect();
            let may_differ = may_differ(count);
            assert!(
                differing.iter().all(|at| may_differ.contains(at)),
                "{at}: {differing:?}"
            );
        }
    }
}

#[test]
fn what_was_read_while_it_was_written_gives_the_same_samples() {
    for more in [0, 1_000] {
        let channels = vec![chirp(44_100, 300_000 + more), vec![0.25; 300_000 + more]];
        let [before, after] = written(MP3_DEFAULT_KBPS, &channels, 44_100);
        let read = [&before[..1_000], &after[1_000..]].concat();
        let [read, after] = [read, after].map(|file| {
            let file = Scratch::holding(&file);
            decode_whole(file.path())
        });
        assert_eq!(read.frames(), 300_000 + more);
        assert_eq!(read.channels, after.channels);
    }
}

#[test]
fn foretelling_changes_nothing_in_the_end_even_where_the_sound_is_shorter_than_was_said() {
    let channels = vec![chirp(44_100, 100_000); 2];
    let files = [None, Some(100_000), Some(3)].map(|said| {
        let scratch = Scratch::holding(&[]);
        let mut writer = Mp3Writer::create(scratch.path(), 2, 44_100).expect("creates");
        if let Some(frames) = said {
            writer.foretell(frames).expect("foretells");
        }
        for block in blocks(&channels) {
            writer.write(&block).expect("writes");
        }
        writer.finish().expect("finishes");
        fs::read(scratch.path()).expect("reads")
    });
    assert!(files[0] == files[1] && files[1] == files[2]);
}
