//! An effect reaches nothing outside and cannot tell two runs apart.

use vocalhost_audio::{Block, Stage as _};

use super::rig::{about_to, sound};

#[test]
fn files_network_environment_and_input_are_out_of_reach() {
    let mut stage = about_to("look-around");
    let answer = stage
        .process(sound(2, 256))
        .expect("looking around is no crime");
    assert_eq!(&answer.channel(0)[..9], [0.0; 9]);
}

#[test]
fn two_runs_cannot_be_told_apart() {
    let run = || -> Vec<Block> {
        let mut stage = about_to("fingerprint");
        (0..3)
            .map(|_| stage.process(sound(2, 256)).expect("processes"))
            .collect()
    };
    let first = run();
    assert_eq!(first, run());
    let [clock, elapsed, hash, ..] = first[0].channel(0) else {
        panic!("the block has 256 frames");
    };
    assert_eq!((*clock, *elapsed), (0.0, 0.0), "clocks stand still");
    assert!(*hash != 0.0, "the hash was computed");
}
