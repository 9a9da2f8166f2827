//! What would help where loops are no region: for records, and the pages that are made of them. A remark's text has
//! none of it.

use super::raise::Reason;

/// The reasons, in the order in which pages list them.
#[cfg(test)]
pub const ALL: &[Reason] = &[
    Reason::Count,
    Reason::Bound,
    Reason::Subscript,
    Reason::NotAffine,
    Reason::OtherRegion,
    Reason::Infinite,
    Reason::Unstructured,
    Reason::Exits,
    Reason::LoopUnderData,
    Reason::Instruction("a call"),
    Reason::Failure,
    Reason::Base,
    Reason::Shape,
    Reason::Sizes,
    Reason::Overlap,
    Reason::Wraps,
    Reason::Part,
    Reason::Lives,
    Reason::Moves,
    Reason::Length,
    Reason::Copy,
    Reason::Type,
    Reason::Idle,
    Reason::Single,
    Reason::Row,
];

/// What a programmer may do about a reason; nothing where nothing is known to help.
pub fn help(reason: &Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::Unstructured | Reason::Exits => {
            "leave the loop in one place only: move what decides on it in front of the loop, or go on without effect"
        }
        Reason::Count => {
            "compute the number of iterations before the loop, in a variable that the loop does not change"
        }
        Reason::Bound | Reason::NotAffine | Reason::Subscript => {
            "use sums of loop variables and of values that do not change in the loops; products of them are not affine"
        }
        Reason::OtherRegion => "compute bounds and subscripts before all of the loops, not in loops before",
        Reason::Infinite => "let the loop count with a signed integer, or with one as wide as pointers",
        Reason::Instruction(what) if what.contains("call") => {
            "have the function in the same file, so that it comes in line, or declare it to compute a number only \
             (__attribute__((const)))"
        }
        Reason::LoopUnderData => "move the condition into the innermost loop, or in front of all of them",
        Reason::Failure => "check before the loops what would be an error in them",
        Reason::Moves => "copy between two arrays",
        Reason::Length | Reason::Copy => "copy or set whole rows of arrays that have the same shape",
        Reason::Base => "take the pointer from an argument or a variable that does not change in the loops",
        Reason::Shape => "access the array in one shape, as A[i][j] or as A[i * n + j] with the same n everywhere",
        Reason::Sizes => "access the array as elements of one type",
        Reason::Overlap => "say that the arrays are apart: restrict",
        Reason::Lives => "declare the variables outside of the loops",
        Reason::Wraps => "count with signed integers, or with some that are as wide as pointers",
        Reason::Part => "load what does not change into a variable before the loops",
        Reason::Single => "threads (parallel=true), or single-loops=true",
        Reason::Row => "effort=high, or single-loops=true",
        Reason::Exhausted(_) => "smaller functions, or fewer statements in a nest",
        Reason::Instruction(_) | Reason::Type | Reason::Idle => return None,
    })
}
