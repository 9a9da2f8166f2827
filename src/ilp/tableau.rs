//! The tableau of one width: state, rows, snapshots.

use super::arena::{Arena, Slot};
use super::number::{Number, RowRef};
use super::rows::{Rows, widened};
use num_bigint::BigInt;

/// The label of a row that the solver made itself.
pub(super) const CUT: u32 = u32::MAX;

/// An edge of the cone that leaves the vertex.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ray {
    /// The direction.
    pub(super) vector: Slot,
    /// The constraint whose slack grows along the ray, while those of all other rays stay: see [`Tableau::row_of`].
    pub(super) owner: u32,
}

/// What [`Tableau::pop`] needs.
#[derive(Debug)]
struct Snapshot {
    vertex: Slot,
    rays: Vec<Ray>,
    inequalities: usize,
    equalities: usize,
    eliminated: usize,
    infeasible: bool,
}

/// Vertex, rays and rows; the module's documentation has the invariants.
#[derive(Debug)]
pub(super) struct Tableau<N> {
    pub(super) variables: usize,
    pub(super) arena: Arena<N>,
    /// Entry 0 is the positive denominator, entry `1 + i` the numerator of variable `i`.
    pub(super) vertex: Slot,
    /// Their vectors have entry 0 zero.
    pub(super) rays: Vec<Ray>,
    /// `variables` rows for `x_i ≥ 0`, then what was added.
    pub(super) inequalities: Rows<N>,
    /// For each added inequality the caller's number for it, or [`CUT`].
    labels: Vec<u32>,
    pub(super) equalities: Rows<N>,
    /// So many equalities hold all over the cone.
    pub(super) eliminated: usize,
    pub(super) infeasible: bool,
    /// The labels of the last conflict.
    pub(super) conflict: Vec<u32>,
    snapshots: Vec<Snapshot>,
    /// The values of a row at the rays, kept to save allocations.
    pub(super) values: Vec<N>,
    /// New vectors of a pivot, likewise.
    pub(super) fresh: Vec<Slot>,
}

impl<N: Number> Tableau<N> {
    /// The non-negative orthant: its vertex is 0, its rays are the axes.
    pub(super) fn new(variables: usize) -> Tableau<N> {
        let mut arena = Arena::new(1 + variables);
        let vertex = arena.insert_unit(0);
        let rays = (0..variables).map(|i| Ray { vector: arena.insert_unit(1 + i), owner: i as u32 }).collect();
        let mut inequalities = Rows::new(variables + 64);
        for i in 0..variables {
            inequalities.push(std::iter::once((1 + i as u32, N::one())));
        }
        Tableau {
            variables,
            arena,
            vertex,
            rays,
            inequalities,
            labels: Vec::new(),
            equalities: Rows::new(16),
            eliminated: 0,
            infeasible: false,
            conflict: Vec::new(),
            snapshots: Vec::new(),
            values: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// Adds `row ≥ 0`.
    pub(super) fn add_inequality(&mut self, entries: impl Iterator<Item = (u32, N)>, label: u32) {
        self.inequalities.push(entries);
        self.labels.push(label);
    }

    /// Adds `row = 0`; it takes effect with the next search.
    pub(super) fn add_equality(&mut self, entries: impl Iterator<Item = (u32, N)>) {
        self.equalities.push(entries);
    }

    /// The inequality whose slack a ray makes grow.
    pub(super) fn row_of(&self, ray: Ray) -> RowRef<'_, N> {
        self.inequalities.row(ray.owner as usize)
    }

    /// The caller's number for an inequality: none for variables and cuts.
    pub(super) fn label(&self, inequality: usize) -> Option<u32> {
        let added = inequality.checked_sub(self.variables)?;
        Some(self.labels[added]).filter(|&label| label != CUT)
    }

    /// The vertex, its denominator first.
    pub(super) fn point(&self) -> &[N] {
        self.arena.vector(self.vertex)
    }

    /// The number of snapshots.
    pub(super) fn depth(&self) -> usize {
        self.snapshots.len()
    }

    /// Remembers the state.
    pub(super) fn push(&mut self) {
        self.arena.retain(self.vertex);
        for ray in &self.rays {
            self.arena.retain(ray.vector);
        }
        self.snapshots.push(Snapshot {
            vertex: self.vertex,
            rays: self.rays.clone(),
            inequalities: self.inequalities.len(),
            equalities: self.equalities.len(),
            eliminated: self.eliminated,
            infeasible: self.infeasible,
        });
    }

    /// Goes back to the last remembered state and forgets it. False: there is none.
    pub(super) fn pop(&mut self) -> bool {
        let Some(snapshot) = self.snapshots.pop() else { return false };
        self.arena.release(self.vertex);
        for ray in &self.rays {
            self.arena.release(ray.vector);
        }
        self.vertex = snapshot.vertex;
        self.rays = snapshot.rays;
        self.inequalities.truncate(snapshot.inequalities);
        self.labels.truncate(snapshot.inequalities - self.variables);
        self.equalities.truncate(snapshot.equalities);
        self.eliminated = snapshot.eliminated;
        self.infeasible = snapshot.infeasible;
        true
    }

    /// The same state, without the snapshots, in a wider type.
    pub(super) fn widened<M: Number>(&self) -> Tableau<M> {
        let mut arena = Arena::new(1 + self.variables);
        let mut copy = |slot: Slot| arena.insert(widened(self.arena.vector(slot)).into_iter());
        let vertex = copy(self.vertex);
        let rays = self.rays.iter().map(|ray| Ray { vector: copy(ray.vector), owner: ray.owner }).collect();
        Tableau {
            variables: self.variables,
            arena,
            vertex,
            rays,
            inequalities: self.inequalities.widened(),
            labels: self.labels.clone(),
            equalities: self.equalities.widened(),
            eliminated: self.eliminated,
            infeasible: self.infeasible,
            conflict: self.conflict.clone(),
            snapshots: Vec::new(),
            values: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// The sign of a form without a constant at the vertex.
    pub(super) fn form_is_zero(&self, form: &[(usize, i64)]) -> bool {
        let point = self.point();
        let mut sum = 0i128;
        for &(variable, coefficient) in form {
            let value = &point[1 + variable];
            if value.is_zero() {
                continue;
            }
            let product = i64::try_from(value.to_big()).ok().map(|value| i128::from(value) * i128::from(coefficient));
            match product.and_then(|product| sum.checked_add(product)) {
                Some(next) => sum = next,
                None => return self.wide_form_is_zero(form),
            }
        }
        sum == 0
    }

    fn wide_form_is_zero(&self, form: &[(usize, i64)]) -> bool {
        let point = self.point();
        let sum: BigInt = form.iter().map(|&(variable, coefficient)| point[1 + variable].to_big() * coefficient).sum();
        sum == BigInt::ZERO
    }
}
