//! Hashes: values of uninterpreted functions, and numbers that a seed decides.

/// A bijection of 64-bit numbers that spreads every bit (the finaliser of splitmix64), shifted so that 0 moves too.
pub(super) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The hash of a text.
pub(super) fn hash_text(start: u64, text: &str) -> u64 {
    text.bytes().fold(start, |h, byte| mix(h ^ u64::from(byte)))
}
