//! From LLVM IR to [`code`](super::code).
//!
//! | file | what |
//! |---|---|
//! | `reader.rs` | a clone as data, and where its parts are in LLVM |
//! | `instruction.rs` | what one instruction does |
//! | `host.rs` | the C++ that it calls |

pub mod instruction;
pub mod reader;
