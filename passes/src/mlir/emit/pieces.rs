//! The vectors that the iterations of a loop become.
//!
//! LLVM keeps vectors of `2^n` elements in registers, whatever the machine's have, but takes others apart, element by
//! element, where they stay alive from one iteration of a loop to the next. So a row of 20 elements is two vectors, of 16
//! and 4, and one of 28 is one of 32, of which nobody looks at the last four: no operation that this is done for faults or
//! has an effect.

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

/// The pieces of a loop of some length, in order: a vector is more than three quarters full.
pub(super) fn pieces(extent: i64) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut first = 0;
    while first < extent {
        let rest = extent - first;
        let below = 1 << rest.ilog2();
        let is_nearly_full = 2 * rest > 3 * below;
        let (count, lanes) = if is_nearly_full { (rest, 2 * below) } else { (below, below) };
        all.push(Piece { first, count, lanes });
        first += count;
    }
    all
}

/// The elements of a row that has room for all of its pieces.
pub(super) fn padded(extent: i64) -> i64 {
    pieces(extent).last().map_or(extent, |last| last.first + last.lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_powers_of_two_and_mostly_full() {
        let of = |extent| pieces(extent).iter().map(|piece| (piece.count, piece.lanes)).collect::<Vec<_>>();
        assert_eq!(of(16), [(16, 16)]);
        assert_eq!(of(28), [(28, 32)]);
        assert_eq!(of(14), [(14, 16)]);
        assert_eq!(of(12), [(8, 8), (4, 4)]);
        assert_eq!(of(23), [(16, 16), (7, 8)]);
        assert_eq!([28, 24, 23, 1, 3].map(padded), [32, 24, 24, 1, 3]);
        for extent in 1..200 {
            let all = pieces(extent);
            assert_eq!(all.iter().map(|piece| piece.count).sum::<i64>(), extent);
            for (piece, next) in all.iter().zip(&all[1..]) {
                assert!(piece.first + piece.count == next.first && piece.count == piece.lanes, "{extent}");
            }
            assert!(all.iter().all(|piece| piece.lanes.count_ones() == 1 && 4 * piece.count > 3 * piece.lanes));
        }
    }
}
