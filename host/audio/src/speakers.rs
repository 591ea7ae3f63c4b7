/// The channel mask of WAVE (`SPEAKER_*` of the Windows multimedia headers) of the usual layout of so many channels: centre, left
/// and right, and those that RFC 9639 (section 9.1.3) lists.
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

/// The bits of the mask that channels stand for, in their order: of the one that a file states, if it names as many of the 18
/// loudspeakers as there are channels, or of the usual layout. Of one or two channels nobody has to say where they belong.
pub(super) fn places(stated: Option<u32>, channels: usize) -> Vec<usize> {
    let bits = |mask: u32| (0..18).filter(move |bit| mask & (1 << bit) != 0);
    let stated = stated.filter(|_| channels > 2).map(bits);
    let named = stated.map(Iterator::collect::<Vec<_>>);
    let named = named.filter(|places| places.len() == channels);
    named.unwrap_or_else(|| bits(usual(channels)).collect())
}
