//! The vectors that the iterations of a loop become.
//!
//! LLVM keeps vectors of `2^n` elements in registers, whatever the machine's have, but takes others apart, element by
//! element, where they stay alive from one iteration of a loop to the next. So a row of 20 floats is two vectors, of 16 and 4,
//! and of a row of 28 the second one has 16 as well, of which nobody looks at the last four: no operation that this is done for
//! faults or has an effect. What fills no register is one vector, as long as it has to be: it takes a register anyway.

/// The bits of a register that are filled before what is left gets a vector of its own; smaller registers are filled as well then.
const REGISTER: u32 = 512;

/// Some iterations of a vector loop, done at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// The first of them.
    pub first: i64,
    /// How many there are.
    pub count: i64,
    /// The elements of the vectors, at least as many.
    pub lanes: i64,
}

impl Piece {
    /// All of a loop at a time, whatever its length.
    pub fn whole(extent: i64) -> Piece {
        Piece { first: 0, count: extent, lanes: extent }
    }

    /// One iteration.
    pub fn one() -> Piece {
        Piece::whole(1)
    }
}

/// The pieces of a loop of some length, in order, for elements of so many bits.
pub(super) fn pieces(extent: i64, bits: u32) -> Vec<Piece> {
    let register = i64::from(REGISTER.checked_div(bits).unwrap_or(1).max(1));
    let mut all = Vec::new();
    let mut first = 0;
    while first < extent {
        let rest = extent - first;
        let below = 1 << rest.ilog2();
        let lanes = if rest < register && below < rest { 2 * below } else { below };
        let count = rest.min(lanes);
        all.push(Piece { first, count, lanes });
        first += count;
    }
    all
}

/// The elements of a row that has room for all of its pieces.
pub(super) fn padded(extent: i64, bits: u32) -> i64 {
    pieces(extent, bits).last().map_or(extent, |last| last.first + last.lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_powers_of_two_and_the_last_one_fills_a_register_at_most() {
        let of = |extent, bits| pieces(extent, bits).iter().map(|piece| (piece.count, piece.lanes)).collect::<Vec<_>>();
        assert_eq!(of(16, 32), [(16, 16)]);
        assert_eq!(of(28, 32), [(16, 16), (12, 16)]);
        assert_eq!(of(28, 64), [(16, 16), (8, 8), (4, 4)]);
        assert_eq!(of(5, 32), [(5, 8)]);
        assert_eq!(of(48, 32), [(32, 32), (16, 16)]);
        assert_eq!(
            [(28, 32), (24, 32), (23, 64), (1, 8), (3, 8)].map(|(extent, bits)| padded(extent, bits)),
            [32, 24, 24, 1, 4]
        );
        for (extent, bits) in (1..200).flat_map(|extent| [8, 16, 32, 64].map(|bits| (extent, bits))) {
            let all = pieces(extent, bits);
            assert_eq!(all.iter().map(|piece| piece.count).sum::<i64>(), extent);
            for (piece, next) in all.iter().zip(&all[1..]) {
                assert!(piece.first + piece.count == next.first && piece.count == piece.lanes, "{extent}");
            }
            assert!(all.iter().all(|piece| piece.lanes.count_ones() == 1
                && piece.count <= piece.lanes
                && 2 * piece.count > piece.lanes));
        }
    }
}
