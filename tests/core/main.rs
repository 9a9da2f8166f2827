//! Tests of the core as its users see it, and of the house itself: one program, so that the core is linked once.

mod checkers;
mod closeness;
mod clusters;
mod contractions;
mod documents;
mod gpu;
mod gpu_mapping;
mod gpu_threads;
mod held;
mod import_cycles;
mod isl_inputs;
mod joint;
mod layouts;
mod left_looking;
mod papers;
mod post_tile;
mod random_strategies;
mod readers;
mod redistributions;
mod reductions;
mod regions;
mod schedules;
mod scop_files;
mod strategies;
mod unified;
mod walls;
