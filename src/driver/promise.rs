//! What other rows of arrays promise, before a region is analysed with them.
//!
//! Rows decide what an order of loops costs, and hardly which orders there are: dependences do that, and they stay what they are. So the
//! orders that were found for a region are priced with other rows, without tiles and copies. Where they cost nearly what they did,
//! something else stands in the way of the region, and it would be scheduled for nothing. Most stencils and products are like this, which
//! a lower bound that knows no dependences does not see: of PolyBench's, those predicted to
//! gain nothing were scheduled once, and gained nothing.
//!
//! Where arrays are expanded, or have windows, instances depend on others than before, and there are other orders. Then those count that
//! were found with that and with the arrays' own rows.

use super::options::Options;
use super::orders::by_rows;
use crate::cost::{Threads, cost_of_order};
use crate::isl::{self, Schedule};
use crate::scop::Scop;
use std::cell::OnceCell;

/// A region whose orders are known.
pub(super) struct Known {
    scop: Scop,
    /// Its orders, without tiles.
    orders: Vec<Schedule>,
    /// What the best of them costs.
    own: OnceCell<u64>,
}

impl Known {
    /// A region with orders that were found for it, without tiles.
    pub fn new(scop: Scop, orders: Vec<Schedule>) -> Known {
        Known { scop, orders, own: OnceCell::new() }
    }

    /// Orders cost nearly as much with other rows, of which `relaid` has the region's statements.
    ///
    /// # Errors
    /// Those of isl.
    pub fn gains_nothing(&self, relaid: &Scop, options: &Options) -> isl::Result<bool> {
        let own = match self.own.get() {
            Some(own) => *own,
            None => {
                let own = self.cost(&self.scop, options)?;
                *self.own.get_or_init(|| own)
            }
        };
        let other = self.cost(relaid, options)?;
        tracing::debug!(own, other, "orders with other rows");
        Ok(other > own - own / 10)
    }

    /// What the best order costs a region, along its rows; 0 if there is none.
    fn cost(&self, scop: &Scop, options: &Options) -> isl::Result<u64> {
        let threads = if options.parallel { Threads::Several } else { Threads::One };
        let mut least = None;
        for order in &self.orders {
            let order = by_rows(scop, order, &options.machine)?;
            let cost = cost_of_order(scop, &order, &options.machine, threads)?;
            least = least.into_iter().chain([cost]).min();
        }
        Ok(least.unwrap_or(0))
    }
}
