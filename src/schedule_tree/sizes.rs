//! How large tiles are.

use crate::machine::Machine;
use std::fmt;
use std::str::FromStr;

/// The extent of tiles along each member of a band, in iterations, at one or several levels: tiles of tiles, as for
/// caches and registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileSizes {
    /// Outermost level first; none is empty.
    levels: Vec<Vec<u32>>,
}

impl TileSizes {
    /// One level. The first size is for the outermost member of each band, and so on; members beyond the list get the
    /// last one. A size of 0 counts as 1.
    pub fn new(sizes: &[u32]) -> Self {
        Self::nested(&[sizes.to_vec()])
    }

    /// What is taken where no size is given: one level of tiles that fit the nearest cache.
    pub fn for_machine(machine: &Machine) -> Self {
        Self::new(&[machine.tile_size()])
    }

    /// Several levels, the outermost first, each as for [`Self::new`]; an empty list is no level. Any sizes make legal
    /// tiles; where one is no multiple of the one inside it, inner tiles are cut at the edges of outer ones.
    pub fn nested(levels: &[Vec<u32>]) -> Self {
        let level = |sizes: &Vec<u32>| sizes.iter().map(|size| (*size).max(1)).collect();
        TileSizes { levels: levels.iter().filter(|sizes| !sizes.is_empty()).map(level).collect() }
    }

    /// The levels, outermost first, by their numbers: 1 is the innermost.
    pub fn levels(&self) -> impl Iterator<Item = u32> + use<> {
        (1..=u32::try_from(self.levels.len()).unwrap_or(u32::MAX)).rev()
    }

    /// The size for a member at a level, or 1 at a level that there is not.
    pub fn at(&self, level: u32, member: usize) -> u32 {
        let index = usize::try_from(level).ok().and_then(|level| self.levels.len().checked_sub(level));
        let sizes = index.and_then(|index| self.levels.get(index));
        sizes.and_then(|sizes| sizes.get(member).or(sizes.last())).copied().unwrap_or(1)
    }

    /// No tile is longer than the one around it.
    pub fn is_descending(&self) -> bool {
        let members = self.levels.iter().map(Vec::len).max().unwrap_or_default().max(1);
        let levels: Vec<u32> = self.levels().collect();
        levels.windows(2).all(|pair| (0..members).all(|member| self.at(pair[0], member) >= self.at(pair[1], member)))
    }
}

impl Default for TileSizes {
    /// One level, for [`Machine::generic`].
    fn default() -> Self {
        Self::for_machine(&Machine::generic())
    }
}

/// `256/32,8`: levels with `/` between, sizes with commas between.
impl fmt::Display for TileSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, sizes) in self.levels.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "/" })?;
            for (j, size) in sizes.iter().enumerate() {
                write!(f, "{}{size}", if j == 0 { "" } else { "," })?;
            }
        }
        Ok(())
    }
}

impl FromStr for TileSizes {
    type Err = String;

    /// Reads what is displayed. Levels go from the largest tiles to the smallest; a size beyond all domains counts as
    /// the largest there is.
    ///
    /// # Errors
    /// What a size or the list of levels has to be.
    fn from_str(text: &str) -> Result<Self, String> {
        let size = |text: &str| match text.trim().parse::<i64>() {
            Ok(size) if size > 0 => Ok(u32::try_from(size).unwrap_or(u32::MAX)),
            _ => Err(format!("a list of whole numbers from 1 to {}", i64::MAX)),
        };
        let level = |text: &str| text.split(',').map(size).collect::<Result<Vec<u32>, _>>();
        let sizes = Self::nested(&text.split('/').map(level).collect::<Result<Vec<_>, _>>()?);
        if sizes.is_descending() {
            Ok(sizes)
        } else {
            Err("a list of levels from the largest tiles to the smallest".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_size_of_a_level_is_repeated() {
        let sizes = TileSizes::nested(&[vec![256, 128], vec![8, 16, 64], Vec::new(), vec![2]]);
        assert_eq!(sizes.levels().collect::<Vec<_>>(), [3, 2, 1]);
        let at = |level| (0..4).map(|member| sizes.at(level, member)).collect::<Vec<_>>();
        assert_eq!((at(3), at(2), at(1)), (vec![256, 128, 128, 128], vec![8, 16, 64, 64], vec![2; 4]));
        assert_eq!((sizes.at(4, 0), TileSizes::new(&[]).levels().count()), (1, 0));
    }

    #[test]
    fn text_round_trips() {
        for text in ["32", "8,16", "256/32,8", "64,64/8/4,1"] {
            assert_eq!(text.parse::<TileSizes>().unwrap().to_string(), text);
        }
        assert_eq!(TileSizes::default().to_string(), "32");
        for text in ["", "0", "8,", "8/", "x", "8/16", "8,8/8,16", "16,4/8"] {
            assert!(text.parse::<TileSizes>().is_err(), "{text}");
        }
    }
}
