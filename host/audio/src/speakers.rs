/// The channel mask of WAVE (`SPEAKER_*` of the Windows multimedia headers) for the usual layout of so many channels: a centre, left and
/// right, and those that RFC 9639 (section 9.1.3) lists.
pub(super) fn usual(channels: usize) -> u32 {
    match channels {
        1 => 0x4,
        2 => 0x3,
        3 => 0x7,
        4 => 0x33,
        5 => 0x37,
        6 => 0x3f,
        7 => 0x70f,
        _ => 0x63f,
    }
}

/// The bits of the mask that the channels stand for, in order: of the stated mask, if it names as many of the 18 loudspeakers as there are
/// channels, otherwise of the usual layout. One or two channels need no mask.
pub(super) fn places(stated: Option<u32>, channels: usize) -> Vec<usize> {
    let bits = |mask: u32| (0..18).filter(move |bit| mask & (1 << bit) != 0);
    let stated = stated.filter(|_| channels > 2).map(bits);
    let named = stated.map(Iterator::collect::<Vec<_>>);
    let named = named.filter(|places| places.len() == channels);
    named.unwrap_or_else(|| bits(usual(channels)).collect())
}
