//! What can be asked for.

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// It.
    pub text: String,
    /// The column that it begins at, in characters, from 1.
    pub column: usize,
}

/// A step: a change of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// `interchange i j`: two loops change places.
    Interchange {
        /// One.
        one: Word,
        /// The other.
        other: Word,
    },
    /// `tile i j 32 64`: loops over tiles around loops.
    Tile {
        /// The loops that are cut, each with the length of a tile.
        loops: Vec<(Word, u32)>,
    },
    /// `fuse S0.i S1.i`: two loops that follow one another become one.
    Fuse {
        /// One.
        one: Word,
        /// The other.
        other: Word,
    },
    /// `distribute i [between S0 S1]`: a loop for each part of its body.
    Distribute {
        /// The loop.
        of: Word,
        /// Two loops only: the second one begins with the part that has the second statement.
        between: Option<(Word, Word)>,
    },
    /// `skew j by 2*i`: the iterations of a loop depend on those of another.
    Skew {
        /// The loop.
        of: Word,
        /// How often the other one is added.
        factor: i64,
        /// The other one.
        by: Word,
    },
    /// `shift S1.i by 1`: iterations are later.
    Shift {
        /// The loop, perhaps of one statement.
        of: Word,
        /// By how much: a sum of numbers, and of parameters with factors.
        by: Vec<(i64, Option<Word>)>,
    },
    /// `parallel i`: iterations run at the same time.
    Parallel {
        /// The loop.
        of: Word,
    },
    /// `register i 4 j 16`: blocks whose points update registers.
    Register {
        /// The loops, the outer one first, with the extents of blocks.
        loops: Vec<(Word, u32)>,
    },
    /// `pack A at k [order 1 0]`: what is read of an array is copied to a buffer before.
    Pack {
        /// The array.
        array: Word,
        /// The loop before which it is copied.
        at: Word,
        /// The dimensions in the order of the buffer; their own without.
        order: Option<Vec<usize>>,
    },
}

/// Which tree to begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// The region's own.
    Original,
    /// What the optimizer chooses.
    Scheduled,
    /// A candidate, as `polyrs candidates` lists them.
    Candidate(Word),
    /// A tree in a file.
    File(Word),
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Change the tree.
    Step(Step),
    /// Begin anew.
    Start(Start),
    /// List the loops.
    Show,
    /// Print the tree.
    Tree,
    /// Print the code.
    Code,
    /// Say what it costs.
    Cost,
    /// Prove it again, and run it at small sizes.
    Check,
    /// Take the last change back.
    Undo,
    /// Take all changes back.
    Reset,
    /// Write the tree to a file.
    Save(Word),
    /// Print the commands that led here.
    Script,
    /// Say what commands do.
    Help(Option<Word>),
    /// End.
    Quit,
}
