//! The marks that carry decisions in a schedule tree. They survive saving and loading.

use std::fmt;
use std::str::FromStr;

/// A mark node's meaning. The text of the mark is its [`fmt::Display`] form.
///
/// Marks stack: other marks may stand between a mark and the band below that it speaks of. A band that is split later
/// repeats [`Mark::Tile`] or [`Mark::Point`] above its second part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// `parallel` or `parallel private(A, B)`: the first member of the band right below runs in parallel; each of its
    /// iterations has its own copy of the named arrays.
    Parallel {
        /// Names of the arrays with private copies.
        private: Vec<String>,
    },
    /// `vector`: the last member of the band right below carries no dependence.
    Vector,
    /// `tile`, or `tile 2`, `tile 3` and so on for tiles of tiles: the band right below iterates over tiles.
    Tile {
        /// Counted from 1 at the innermost tiles; larger ones are further out.
        level: u32,
    },
    /// `point`: the band right below iterates over the points of a tile.
    Point,
    /// `register`: the band right below iterates over blocks of points whose accumulators fit into registers, tiles of
    /// their own kind.
    Register,
    /// `block`: the band right below iterates over the points of such a block.
    Block,
    /// `staggered`: the band right below iterates over the rows of a block, each an iteration of the loop around behind the one
    /// before.
    Staggered,
    /// `rest`: what is below has the tiles that several statements share, where those that one of them has alone come before, or
    /// the pivots of a strip of iterations; few instances.
    Rest,
    /// `wavefront`: the first member of the band right below is a sum of former members (Pluto paper, Algorithm 2;
    /// unified report, 2.3).
    Wavefront,
    /// `kernel`: the subtree below runs on a GPU; what is around it runs on the host and launches it (ppcg report,
    /// section 5).
    Kernel,
    /// `grid *,256`: the first members of the band right below, as many as there are sizes, run over the blocks of a
    /// kernel: value `v` of a member in block `v`, or in block `v mod n` where `n` is at most the number given for it.
    /// The last of them is x (ppcg report, section 5.1).
    Grid {
        /// One number for each axis, at most two; 0, as text `*`, where each value has a block of its own.
        sizes: Vec<u32>,
    },
    /// `threads 16,32`: likewise over the threads of each block, along at most three axes, as many as a block can have. Two threads of a block are in
    /// no order, whatever loops around the band they both go through.
    Threads {
        /// One number for each axis, none of them 0.
        sizes: Vec<u32>,
    },
    /// `shared`: each block copies tiles of what the subtree below reads to shared memory before it goes through it, as
    /// far as they fit (ppcg report, section 5.1); a mark `threads` stands below.
    Shared,
    /// `packed A(1, 0), B[R2](0, 1)`: before the subtree below is executed, what it reads of these arrays is copied to
    /// buffers of its own, a tile each (Shirako and Sarkar 2019, at the level of tiles).
    Packed {
        /// The arrays, or some of their references; none twice.
        arrays: Vec<PackedArray>,
    },
    /// `thread x N`: neighbouring iterations of member `N` of the band right below, counted from 0, access neighbours
    /// in memory, so that it is to run over threads `x` (unified report, 4.8).
    ThreadX {
        /// The member.
        member: usize,
    },
}

/// The layout of an array's tiles in buffers of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedArray {
    /// Its name.
    pub name: String,
    /// A reference, where only the tile that it reads from is packed.
    pub reference: Option<String>,
    /// Its dimensions in the order that they have in the buffer, outermost first; each once.
    pub order: Vec<usize>,
}

impl fmt::Display for PackedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order: Vec<String> = self.order.iter().map(usize::to_string).collect();
        f.write_str(&self.name)?;
        if let Some(reference) = &self.reference {
            write!(f, "[{reference}]")?;
        }
        write!(f, "({})", order.join(", "))
    }
}

impl FromStr for PackedArray {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (name, order) = text.trim().strip_suffix(')').and_then(|text| text.split_once('(')).ok_or(())?;
        let order = order.split(',').map(|dimension| dimension.trim().parse().map_err(|_| ()));
        let order = order.collect::<Result<Vec<usize>, ()>>()?;
        let is_permutation = (0..order.len()).all(|dimension| order.contains(&dimension));
        let (name, reference) = match name.strip_suffix(']') {
            Some(name) => name.split_once('[').map(|(name, reference)| (name, Some(reference))).ok_or(())?,
            None => (name, None),
        };
        let is_name = |text: &str| !text.is_empty() && !text.contains(['[', ']']);
        if !is_name(name) || reference.is_some_and(|reference| !is_name(reference)) || !is_permutation {
            return Err(());
        }
        Ok(PackedArray { name: name.to_owned(), reference: reference.map(str::to_owned), order })
    }
}

/// What stands behind the word `packed`.
fn packed(text: &str) -> Option<Vec<PackedArray>> {
    let mut arrays: Vec<PackedArray> = Vec::new();
    for one in text.split_inclusive(')') {
        let array: PackedArray = one.trim_start_matches(',').parse().ok()?;
        let is_same = |known: &PackedArray| known.name == array.name && known.reference == array.reference;
        if arrays.iter().any(is_same) {
            return None;
        }
        arrays.push(array);
    }
    (!arrays.is_empty()).then_some(arrays)
}

impl Mark {
    /// Innermost tiles.
    pub const TILE: Mark = Mark::Tile { level: 1 };

    /// The numbers of blocks or threads along the axes of a mark that assigns members to them, x last.
    pub fn axes(&self) -> Option<&[u32]> {
        match self {
            Mark::Grid { sizes } | Mark::Threads { sizes } => Some(sizes),
            _ => None,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::Parallel { private } if private.is_empty() => f.write_str("parallel"),
            Mark::Parallel { private } => write!(f, "parallel private({})", private.join(", ")),
            Mark::Vector => f.write_str("vector"),
            Mark::Tile { level: 1 } => f.write_str("tile"),
            Mark::Tile { level } => write!(f, "tile {level}"),
            Mark::Point => f.write_str("point"),
            Mark::Register => f.write_str("register"),
            Mark::Block => f.write_str("block"),
            Mark::Staggered => f.write_str("staggered"),
            Mark::Rest => f.write_str("rest"),
            Mark::Wavefront => f.write_str("wavefront"),
            Mark::Kernel => f.write_str("kernel"),
            Mark::Shared => f.write_str("shared"),
            Mark::Packed { arrays } => {
                let arrays: Vec<String> = arrays.iter().map(PackedArray::to_string).collect();
                write!(f, "packed {}", arrays.join(", "))
            }
            Mark::ThreadX { member } => write!(f, "thread x {member}"),
            Mark::Grid { sizes } => write!(f, "grid {}", numbers(sizes)),
            Mark::Threads { sizes } => write!(f, "threads {}", numbers(sizes)),
        }
    }
}

/// Some GPU can have a block of so many threads, x last.
fn is_a_block(sizes: &[u32]) -> bool {
    let all: u64 = sizes.iter().map(|size| u64::from(*size)).fold(1, u64::saturating_mul);
    (1..=1024).contains(&all) && (sizes.len() < 3 || sizes[0] <= 64)
}

/// With commas between, 0 as `*`.
fn numbers(sizes: &[u32]) -> String {
    let text = |size: &u32| if *size == 0 { "*".to_owned() } else { size.to_string() };
    sizes.iter().map(text).collect::<Vec<_>>().join(",")
}

/// What [`numbers`] wrote, if there are at most so many.
fn sizes(text: &str, most: usize) -> Option<Vec<u32>> {
    let size = |text: &str| match text {
        "*" => Some(0),
        number => number.parse().ok().filter(|number| *number > 0),
    };
    let sizes: Vec<u32> = text.split(',').map(size).collect::<Option<_>>()?;
    (sizes.len() <= most).then_some(sizes)
}

impl FromStr for Mark {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "parallel" => return Ok(Mark::Parallel { private: Vec::new() }),
            "vector" => return Ok(Mark::Vector),
            "tile" => return Ok(Mark::TILE),
            "point" => return Ok(Mark::Point),
            "register" => return Ok(Mark::Register),
            "block" => return Ok(Mark::Block),
            "staggered" => return Ok(Mark::Staggered),
            "rest" => return Ok(Mark::Rest),
            "wavefront" => return Ok(Mark::Wavefront),
            "kernel" => return Ok(Mark::Kernel),
            "shared" => return Ok(Mark::Shared),
            _ => {}
        }
        if let Some(level) = text.strip_prefix("tile ").and_then(|level| level.parse().ok()).filter(|level| *level > 1)
        {
            return Ok(Mark::Tile { level });
        }
        if let Some(arrays) = text.strip_prefix("packed ").and_then(packed) {
            return Ok(Mark::Packed { arrays });
        }
        if let Some(member) = text.strip_prefix("thread x ").and_then(|member| member.parse().ok()) {
            return Ok(Mark::ThreadX { member });
        }
        if let Some(sizes) = text.strip_prefix("grid ").and_then(|list| sizes(list, 2)) {
            return Ok(Mark::Grid { sizes });
        }
        if let Some(sizes) =
            text.strip_prefix("threads ").and_then(|list| sizes(list, 3)).filter(|sizes| is_a_block(sizes))
        {
            return Ok(Mark::Threads { sizes });
        }
        let names =
            text.strip_prefix("parallel private(").and_then(|rest| rest.strip_suffix(')')).ok_or_else(|| {
                format!("`{text}` is no mark of polyrs: expected parallel, vector, tile, point, register, block, staggered, wavefront, kernel, grid, threads, shared, packed, thread x")
            })?;
        Ok(Mark::Parallel { private: names.split(',').map(|name| name.trim().to_owned()).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        let marks = ["parallel", "parallel private(a, b)", "vector", "tile", "tile 3", "point", "wavefront"];
        for text in marks.into_iter().chain([
            "register",
            "shared",
            "block",
            "staggered",
            "kernel",
            "thread x 1",
            "packed A(1, 0)",
            "packed A(1, 0), B(0)",
            "packed A[R1](1, 0), A[R2](0, 1)",
            "grid 256",
            "grid *,7",
            "threads 4,4,32",
        ]) {
            assert_eq!(text.parse::<Mark>().unwrap().to_string(), text);
        }
        for text in [
            "paralel",
            "tile 1",
            "packed",
            "packed A",
            "packed A()",
            "packed A(1)",
            "packed A(0, 0)",
            "packed A(0), A(0)",
            "packed A[](0)",
            "packed A]R[(0)",
            "packed A(0) B",
            "tile 0",
            "tile x",
            "tiles",
            "grid",
            "grid 0",
            "grid 1,2,3",
            "threads 1,",
            "threads 1,2,3,4",
            "threads *",
            "threads 33,32",
            "threads 65,1,1",
        ] {
            assert!(text.parse::<Mark>().is_err(), "{text}");
        }
    }
}
