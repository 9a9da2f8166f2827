//! Where the variables of loops go.

use super::polynomial::Polynomial;

/// Where the variable of a loop goes.
#[derive(Clone, Debug)]
pub struct Range {
    /// The greatest of these is the first value. There is one, unless the step is 1.
    pub lower: Vec<Polynomial>,
    /// The least of these is behind the last one. None of them is below the first.
    pub upper: Vec<Polynomial>,
    /// How far it goes in each iteration.
    pub step: i64,
}

impl Range {
    /// The value in the last iteration, of a loop that runs at least once; nothing if that is no polynomial.
    pub fn last(&self) -> Option<Polynomial> {
        let [upper] = &self.upper[..] else { return None };
        let greatest = upper.sub(&Polynomial::constant(1))?;
        if self.step == 1 {
            return Some(greatest);
        }
        // Only whole steps are taken, so how far the loop gets is a quotient: a number if the room for them is one.
        let [lower] = &self.lower[..] else { return None };
        let room = greatest.sub(lower)?.as_constant().filter(|room| *room >= 0)?;
        lower.add(&Polynomial::constant(room - room.checked_rem(i128::from(self.step))?))
    }
}
