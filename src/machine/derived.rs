//! What follows from a description: the constants of the algorithms.

use super::Machine;

/// The size of the elements that sizes of tiles and strips are chosen for: those of most arrays, and of the largest.
const ELEMENT: u64 = 8;

/// The matrices that a nest uses at a time: a product reads two and writes a third.
const MATRICES: u64 = 3;

impl Machine {
    /// The size of the nearest cache in bytes.
    pub fn nearest_cache(&self) -> u64 {
        self.caches.first().map_or(0, |cache| cache.bytes)
    }

    /// The extent of tiles in iterations where none is given: the greatest power of two `T` for which three blocks of
    /// `T` times `T` elements, of the matrices that a nest uses at a time, are in the nearest cache together.
    ///
    /// 32 for 32 KiB and for 48 KiB, 64 for 128 KiB. Never below 4: shorter loops cost more than they bring nearer.
    pub fn tile_size(&self) -> u32 {
        let fits = |size: u64| MATRICES * size * size * ELEMENT <= self.nearest_cache();
        (3..16).map(|power| 1u32 << power).take_while(|size| fits((*size).into())).last().unwrap_or(4)
    }

    /// The extent of tiles in iterations along the rows of blocks for registers, for so many threads that share the rows:
    /// the greatest power of two, 256 at most, for which two blocks of so many rows, each a tile wide, are in half of a
    /// core's own cache. What the rows share is in the nearest cache, as a tile of another matrix.
    ///
    /// 256 for 512 KiB and more; 128 for each of two threads, so that there are enough tiles for all. Never less than
    /// other tiles have.
    pub fn tile_rows(&self, threads: u32) -> u32 {
        const LONGEST: u32 = 256;
        let least = self.tile_size();
        let fits = |rows: u32| 2 * u64::from(rows) * u64::from(least) * ELEMENT <= self.own_cache() / 2;
        let lengths =
            (2..9).map(|power| 1u32 << power).take_while(|rows| fits(*rows) && *rows <= LONGEST / threads.max(1));
        lengths.last().unwrap_or(least).max(least)
    }

    /// The extent of tiles in iterations along rows of which several stay near until the next ones need them: the greatest power of two
    /// for which what a tile has of two matrices takes half of a core's own cache. At least that of other tiles.
    ///
    /// 512 for 512 KiB, 2048 for 2 MiB.
    pub fn tile_columns(&self) -> u32 {
        let least = self.tile_size();
        let fits = |columns: u32| 2 * u64::from(columns) * u64::from(least) * ELEMENT <= self.own_cache() / 2;
        let lengths = (2..20).map(|power| 1u32 << power).take_while(|columns| fits(*columns));
        lengths.last().unwrap_or(least).max(least)
    }

    /// The length of strips in iterations: the greatest power of two for which a part of a row that long, of each of
    /// eight arrays, is in the nearest cache, where it stays while the loop outside the strip passes over it. So many
    /// are the three matrices of [`Machine::tile_size`], their next rows, which are fetched ahead, and some vectors.
    ///
    /// 512 for 32 KiB and for 48 KiB. Never below 64: starting the inner loop must cost nothing beside it.
    pub fn strip_length(&self) -> u32 {
        const ARRAYS: u64 = 8;
        let fits = |length: u64| ARRAYS * length * ELEMENT <= self.nearest_cache();
        (7..20).map(|power| 1u32 << power).take_while(|length| fits((*length).into())).last().unwrap_or(64)
    }

    /// `h_lim` (unified report, 4.7): how much the references of a component may weigh. Each has a register and counts
    /// as much as its statement has loops, which are three where registers are short.
    ///
    /// 48 for 16 registers, 96 for 32.
    pub fn register_limit(&self) -> i64 {
        const LOOPS: i64 = 3;
        LOOPS.saturating_mul(self.vector_registers.into())
    }

    /// The elements of some bytes each that a vector holds, at least one.
    pub fn lanes(&self, bytes: u32) -> u32 {
        (self.vector_bits / 8 / bytes.max(1)).max(1)
    }

    /// Data of this size stays in the nearest cache whatever the order of the loops: there is room for as many such
    /// arrays as a nest uses at a time.
    pub fn fits_nearest_cache(&self, bytes: u64) -> bool {
        MATRICES.saturating_mul(bytes) <= self.nearest_cache()
    }

    /// Half of the last cache, in bytes.
    pub fn last_cache_share(&self) -> u64 {
        self.caches.last().map_or(0, |last| last.bytes / 2)
    }

    /// Data of this size leaves room for as much again in the last cache.
    pub fn fits_last_cache(&self, bytes: u64) -> bool {
        bytes <= self.last_cache_share()
    }

    /// The same machine for data that a core's own cache holds: it comes along rows as fast as vectors take it.
    pub fn with_data_in_own_cache(&self) -> Machine {
        Machine { line_cost: 0, row_start: 0, ..self.clone() }
    }

    /// The same machine for data that the last cache holds. The first line of a row takes as much less than from memory as any
    /// other.
    pub fn with_data_in_last_cache(&self) -> Machine {
        let line_cost = self.last_line_cost.min(self.line_cost);
        let row_start = u64::from(self.row_start) * u64::from(line_cost) / u64::from(self.line_cost.max(1));
        Machine { line_cost, row_start: u32::try_from(row_start).unwrap_or(self.row_start), ..self.clone() }
    }

    /// The largest cache that a core has for itself, in bytes; the nearest one where all are shared.
    pub fn own_cache(&self) -> u64 {
        let own = self.caches.iter().filter(|cache| cache.cores == 1).map(|cache| cache.bytes);
        own.max().unwrap_or_else(|| self.nearest_cache())
    }

    /// The elements of this size in a row that stays in the nearest cache: what rows are taken to be where nothing is
    /// known of sizes.
    pub fn near_row(&self, bytes: u32) -> u64 {
        self.nearest_cache() / MATRICES / u64::from(bytes.max(1))
    }

    /// A loop with this much work, in operations, ends sooner when all cores share it. The work is that of one time
    /// that the loop runs.
    ///
    /// On one core no work does; with two and a start of 6000 operations it takes more than 12000.
    pub fn pays_for_threads(&self, work: u64) -> bool {
        let saved = work - work / u64::from(self.cores.max(1));
        saved > self.parallel_start
    }

    /// The least work of a loop, in operations on single elements, that ends sooner when all cores share it, where work
    /// is vector loops on doubles in the nearest cache, the fastest code there is: an estimate while the program runs
    /// decides by this.
    ///
    /// 96000 for two cores with vectors of 512 bits and a start of 6000 operations. No number, that is the greatest,
    /// for one core.
    pub fn parallel_threshold(&self) -> u64 {
        const NEVER: u64 = i64::MAX.unsigned_abs();
        let (cores, lanes) = (u64::from(self.cores), u64::from(self.lanes(8)));
        // The start is saved when all but one of the cores' shares take as long.
        let work = self.parallel_start.saturating_mul(lanes).saturating_mul(cores).checked_div(cores.saturating_sub(1));
        work.unwrap_or(NEVER).min(NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(text: &str) -> Machine {
        Machine::parse(text).unwrap()
    }

    #[test]
    fn tiles_and_strips_fit_the_nearest_cache() {
        let sizes = |cache: &str| {
            let machine = machine(&format!("caches: {cache}"));
            (machine.tile_size(), machine.strip_length())
        };
        assert_eq!((sizes("32K"), sizes("48K")), ((32, 512), (32, 512)));
        assert_eq!((sizes("16K"), sizes("8K"), sizes("1K")), ((16, 256), (16, 128), (4, 64)));
        assert_eq!((sizes("64K"), sizes("128K, 4M/4")), ((32, 1024), (64, 2048)));
        assert_eq!(sizes("16777215G").0, 1 << 15, "no size is unbounded");
    }

    #[test]
    fn tiles_are_long_along_rows_of_blocks() {
        let rows = |cache: &str, threads| machine(&format!("caches: {cache}")).tile_rows(threads);
        assert_eq!([1, 2, 4, 8, 64].map(|threads| rows("32K, 1M", threads)), [256, 128, 64, 32, 32]);
        assert_eq!((rows("32K, 256K", 1), rows("32K, 64K", 1), rows("32K", 1)), (256, 64, 32));
        assert_eq!((rows("1K", 1), rows("1K", 64)), (8, 4), "never less than tiles have");
        let columns = |cache: &str| machine(&format!("caches: {cache}")).tile_columns();
        assert_eq!((columns("32K"), columns("32K, 512K"), columns("48K, 2M, 480M/2")), (32, 512, 2048));
        assert_eq!((columns("1K"), machine("caches: 1K").tile_size()), (8, 4));
        assert_eq!((columns("64"), machine("caches: 64").tile_size()), (4, 4), "never less than tiles have");
        assert_eq!(columns("16777215G"), 1 << 19, "no size is unbounded");
    }

    #[test]
    fn vectors_hold_what_their_width_says() {
        let lanes = |bits| [1, 2, 4, 8, 16].map(|bytes| machine(&format!("vector-bits: {bits}")).lanes(bytes));
        assert_eq!((lanes(64), lanes(128)), ([8, 4, 2, 1, 1], [16, 8, 4, 2, 1]));
        assert_eq!((lanes(256), lanes(512)), ([32, 16, 8, 4, 2], [64, 32, 16, 8, 4]));
    }

    #[test]
    fn room_follows_registers_and_caches() {
        assert_eq!(Machine::generic().register_limit(), 48);
        assert_eq!(machine("vector-registers: 32").register_limit(), 96);
        let small = machine("caches: 3000, 1M");
        assert!(small.fits_nearest_cache(1000) && !small.fits_nearest_cache(1001));
        assert_eq!((small.near_row(8), small.near_row(1), small.near_row(2000)), (125, 1000, 0));
    }

    #[test]
    fn threads_pay_for_much_work_on_several_cores() {
        let pays = |text: &str, work| machine(text).pays_for_threads(work);
        assert!(!pays("cores: 1", u64::MAX));
        assert!(!pays("cores: 2\nparallel-start: 10000", 20_000) && pays("cores: 2\nparallel-start: 10000", 20_002));
        assert!(pays("cores: 8\nparallel-start: 10000", 12_000));
        let threshold = |text: &str| machine(text).parallel_threshold();
        assert_eq!(threshold("cores: 2\nvector-bits: 512\nparallel-start: 6000"), 96_000);
        assert_eq!(threshold("cores: 4\nvector-bits: 64\nparallel-start: 6000"), 8_000);
        assert_eq!((threshold("parallel-start: 0"), threshold("cores: 1")), (0, i64::MAX.unsigned_abs()));
        assert!(!pays("cores: 2\nparallel-start: 0", 0) && pays("cores: 2\nparallel-start: 0", 2));
    }
}
