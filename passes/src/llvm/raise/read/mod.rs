//! From LLVM IR to [`code`](super::code).
//!
//! | file | what |
//! |---|---|
//! | `reader.rs` | a clone as data, and where its parts are in LLVM |
//! | `instruction.rs` | what one instruction does |

pub mod instruction;
pub mod reader;
