//! The lexicographic dual simplex method: from vertex to vertex until all constraints hold.

use super::Budget;
use super::number::{Number, Overflow, RowRef};
use super::tableau::Tableau;
use std::cmp::Ordering;

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// The vertex is the minimum.
    Optimal,
    /// No point satisfies the constraints.
    Infeasible,
    /// The budget is spent; the state is consistent and the search can go on from it.
    Budget,
}

/// Where a row's value at the vertex has to go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Up to zero; the ray stays, as the row's own.
    Inequality(u32),
    /// To zero from wherever it is; the ray leaves the cone.
    Equality,
}

impl<N: Number> Tableau<N> {
    /// Moves the vertex to the rational lexicographic minimum.
    pub(super) fn settle(&mut self, budget: &mut Budget) -> Result<Status, Overflow> {
        while !self.infeasible && self.eliminated < self.equalities.len() {
            if !budget.take() {
                return Ok(Status::Budget);
            }
            let found = self.pivot(Goal::Equality, budget)?;
            if found {
                self.eliminated += 1;
            }
        }
        while !self.infeasible {
            let Some(row) = self.violated()? else { return Ok(Status::Optimal) };
            if !budget.take() {
                return Ok(Status::Budget);
            }
            // What it took to find the row; each has a few entries.
            budget.count((self.variables + 4 * self.inequalities.len()) as u64);
            self.pivot(Goal::Inequality(row as u32), budget)?;
        }
        Ok(Status::Infeasible)
    }

    /// The first constraint that the vertex violates, if there is one. Variables come first, then rows as they were
    /// added: this order needs fewer pivots, and keeps numbers smaller, than the last row, the next row or the row
    /// violated most.
    fn violated(&self) -> Result<Option<usize>, Overflow> {
        let vertex = self.arena.vector(self.vertex);
        if let Some(variable) = vertex[1..].iter().position(N::is_negative) {
            return Ok(Some(variable));
        }
        let (support, bits) = (self.arena.support(self.vertex), self.arena.bits(self.vertex));
        for row in self.variables..self.inequalities.len() {
            if self.inequalities.may_fall(row, support)
                && N::dot(self.inequalities.row(row), vertex, bits)?.is_negative()
            {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Moves the vertex along one ray, the one that takes it up least, until the row is zero. When no ray leads there,
    /// the problem is infeasible and the answer is false.
    fn pivot(&mut self, goal: Goal, budget: &mut Budget) -> Result<bool, Overflow> {
        let row = match goal {
            Goal::Inequality(row) => self.inequalities.row(row as usize),
            Goal::Equality => self.equalities.row(self.eliminated),
        };
        let mut value = self.arena.value(row, self.vertex)?;
        let mut values = std::mem::take(&mut self.values);
        let evaluated = self.evaluate(row, &mut values);
        self.values = values;
        evaluated?;
        if goal == Goal::Equality && self.must_turn(&value) {
            value = value.negated()?;
            for v in &mut self.values {
                *v = v.negated()?;
            }
        }
        let Some(chosen) = self.least_ray()? else {
            if goal == Goal::Equality && value.is_zero() {
                // Neither the vertex nor a ray leaves it: it holds already.
                return Ok(true);
            }
            self.infeasible = true;
            self.explain(goal);
            return Ok(false);
        };
        budget.count(self.cells(chosen));
        self.replace(chosen, &value)?;
        match goal {
            Goal::Inequality(row) => self.rays[chosen].owner = row,
            Goal::Equality => self.arena.release(self.rays.swap_remove(chosen).vector),
        }
        Ok(true)
    }

    /// What it takes to evaluate a row at the rays and to replace those on which it is not zero.
    fn cells(&self, chosen: usize) -> u64 {
        let replaced = self.values.iter().filter(|value| !value.is_zero()).count();
        ((replaced + 1) * (1 + self.variables) + 4 * self.rays.len()) as u64 * self.values[chosen].weight()
    }

    /// The row's values at the rays.
    fn evaluate(&self, row: RowRef<'_, N>, values: &mut Vec<N>) -> Result<(), Overflow> {
        values.clear();
        for ray in &self.rays {
            values.push(self.arena.value(row, ray.vector)?);
        }
        Ok(())
    }

    /// An equality is met from below. At zero it may be met from either side, so that some ray has to lead up.
    fn must_turn(&self, value: &N) -> bool {
        match value.sign() {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => !self.values.iter().any(N::is_positive),
        }
    }

    /// Of the rays along which the row grows, the one that is least when scaled to a growth of 1.
    fn least_ray(&self) -> Result<Option<usize>, Overflow> {
        let mut best: Option<usize> = None;
        for (ray, value) in self.values.iter().enumerate() {
            if value.is_positive() && best.map_or(Ok(true), |best| self.is_less(ray, best))? {
                best = Some(ray);
            }
        }
        Ok(best)
    }

    /// One ray, scaled, is less than another. They are linearly independent, so never the same.
    fn is_less(&self, ray: usize, other: usize) -> Result<bool, Overflow> {
        let (u, v) = (&self.values[ray], &self.values[other]);
        let entries = self.arena.vector(self.rays[ray].vector).iter().zip(self.arena.vector(self.rays[other].vector));
        for (x, y) in entries {
            let signs = (x.sign(), y.sign());
            if signs == (Ordering::Equal, Ordering::Equal) {
                continue;
            }
            let order = if signs.0 == signs.1 { N::compare_products(x, v, y, u)? } else { signs.0.cmp(&signs.1) };
            if order != Ordering::Equal {
                return Ok(order == Ordering::Less);
            }
        }
        Ok(false)
    }

    /// Makes the row zero at the vertex and at all rays but the chosen one.
    fn replace(&mut self, chosen: usize, value: &N) -> Result<(), Overflow> {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.clear();
        let replaced = self.combine(chosen, value, &mut fresh);
        if replaced.is_err() {
            // The vertex and the rays still name the old vectors.
            for &slot in &fresh {
                self.arena.release(slot);
            }
        } else {
            let mut fresh = fresh.iter();
            if !value.is_zero() {
                self.arena.release(self.vertex);
                self.vertex = *fresh.next().expect("the vertex was combined");
            }
            for ((index, ray), value) in self.rays.iter_mut().enumerate().zip(&self.values) {
                if index != chosen && !value.is_zero() {
                    self.arena.release(ray.vector);
                    ray.vector = *fresh.next().expect("the ray was combined");
                }
            }
        }
        self.fresh = fresh;
        replaced
    }

    /// The new vertex, if it moves, and then the new rays that differ from the old ones.
    fn combine(&mut self, chosen: usize, value: &N, fresh: &mut Vec<u32>) -> Result<(), Overflow> {
        let (growth, along) = (&self.values[chosen], self.rays[chosen].vector);
        if !value.is_zero() {
            let (p, c) = N::lowest_terms(growth, value)?;
            fresh.push(self.arena.subtract(&p, self.vertex, &c, along)?);
        }
        for (index, value) in self.values.iter().enumerate() {
            if index != chosen && !value.is_zero() {
                let (p, c) = N::lowest_terms(growth, value)?;
                fresh.push(self.arena.subtract(&p, self.rays[index].vector, &c, along)?);
            }
        }
        Ok(())
    }

    /// Names the inequalities that rule out every point: the row itself, and those along whose rays it falls.
    fn explain(&mut self, goal: Goal) {
        self.conflict.clear();
        if let Goal::Inequality(row) = goal {
            self.conflict.extend(self.label(row as usize));
        }
        for (ray, value) in self.rays.iter().zip(&self.values) {
            if value.is_negative() {
                let label = self.label(ray.owner as usize);
                self.conflict.extend(label);
            }
        }
        self.conflict.sort_unstable();
        self.conflict.dedup();
    }
}
