//! The function that is raised, as plain data: all decisions can be made, and tested, without LLVM.
//!
//! | file | what |
//! |---|---|
//! | `function.rs` | the function: values, blocks, loops, instructions |
//! | `ids.rs` | values, blocks and loops by number |
//! | `operation.rs` | operations on numbers, and their flags |
//! | `scev.rs` | integers as scalar evolution describes them |

pub mod function;
pub mod ids;
pub mod operation;
pub mod scev;
