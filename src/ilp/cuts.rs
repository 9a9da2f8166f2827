//! Gomory's cuts: from the rational minimum to the integer one.

use super::Budget;
use super::number::{Number, Overflow};
use super::pivot::Status;
use super::tableau::{CUT, Tableau};

impl<N: Number> Tableau<N> {
    /// Moves the vertex to the integer lexicographic minimum.
    pub(super) fn settle_integer(&mut self, budget: &mut Budget) -> Result<Status, Overflow> {
        loop {
            let status = self.settle(budget)?;
            if status != Status::Optimal {
                return Ok(status);
            }
            let Some(variable) = self.fractional() else { return Ok(Status::Optimal) };
            let cut = self.cut(variable)?;
            self.add_inequality(cut.into_iter().enumerate().map(|(i, a)| (i as u32, a)), CUT);
        }
    }

    /// The first variable without an integer value.
    fn fractional(&self) -> Option<usize> {
        let (denominator, numerators) = self.point().split_first()?;
        numerators.iter().position(|x| !x.is_multiple_of(denominator))
    }

    /// A row that every integer point satisfies and the vertex does not.
    ///
    /// On the cone `x_i = f + Σ d_k s_k`, where the slacks `s_k` are integers wherever the variables are. Then `Σ
    /// frac(d_k) s_k − frac(−f)` is an integer above −1, so it is not negative; at the vertex it is. With the slacks
    /// written out it is `x_i − ⌈f⌉ − Σ ⌊d_k⌋ s_k`, which has integer coefficients.
    fn cut(&self, variable: usize) -> Result<Vec<N>, Overflow> {
        let point = self.point();
        let mut cut = vec![N::zero(); 1 + self.variables];
        // −⌈f⌉ = ⌊−f⌋
        cut[0] = point[1 + variable].negated()?.div_floor(&point[0]);
        cut[1 + variable] = N::one();
        for &ray in &self.rays {
            let vector = self.arena.vector(ray.vector);
            let entry = &vector[1 + variable];
            if entry.is_zero() {
                continue;
            }
            let row = self.row_of(ray);
            let growth = self.arena.value(row, ray.vector)?;
            let floor = entry.div_floor(&growth);
            if floor.is_zero() {
                continue;
            }
            for (&i, a) in row.index.iter().zip(row.coefficient) {
                cut[i as usize] = cut[i as usize].minus_product(&floor, a)?;
            }
        }
        Ok(cut)
    }
}
