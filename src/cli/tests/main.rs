//! Tests of the command `polyrs`, as one program.

mod by_hand;
mod command;
mod draw;
mod reduce;
