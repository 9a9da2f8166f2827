//! What the core knows of an array.

use crate::isl::{self, DimType};
use std::fmt;
use std::str::FromStr;

/// Where an array lives, which decides what may be done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayKind {
    /// Memory that exists outside the region: never duplicated.
    Memory,
    /// A buffer made inside the region and not seen outside: may be given private copies.
    Local,
    /// An SSA value that crosses statements, of rank 0: may be given private copies, and kept out of memory.
    Scalar,
}

impl ArrayKind {
    /// The word used in the `.scop` text.
    pub fn word(self) -> &'static str {
        match self {
            ArrayKind::Memory => "memory",
            ArrayKind::Local => "local",
            ArrayKind::Scalar => "scalar",
        }
    }

    /// The kind that a word of the `.scop` text names.
    pub fn from_word(word: &str) -> Option<Self> {
        [ArrayKind::Memory, ArrayKind::Local, ArrayKind::Scalar].into_iter().find(|kind| kind.word() == word)
    }
}

/// The class of an element's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementKind {
    /// A floating-point number.
    Float,
    /// An integer or index.
    Int,
    /// Anything else, of which only the size is known.
    Other,
}

/// The type of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementType {
    /// The class.
    pub kind: ElementKind,
    /// The size in bits.
    pub bits: u32,
}

impl ElementType {
    /// The size in bytes, rounded up.
    pub fn bytes(self) -> u32 {
        self.bits.div_ceil(8)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.kind {
            ElementKind::Float => 'f',
            ElementKind::Int => 'i',
            ElementKind::Other => 'x',
        };
        write!(f, "{letter}{}", self.bits)
    }
}

/// The bits that types of floating-point numbers have.
const FLOATS: [u32; 9] = [4, 6, 8, 16, 19, 32, 64, 80, 128];

impl FromStr for ElementType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || format!("`{text}` is no element type: expected f, i or x and a number of bits, as in f64");
        let (letter, bits) = text.split_at_checked(1).ok_or_else(error)?;
        let kind = match letter {
            "f" => ElementKind::Float,
            "i" => ElementKind::Int,
            "x" => ElementKind::Other,
            _ => return Err(error()),
        };
        let bits = bits.parse().map_err(|_| error())?;
        if kind == ElementKind::Float && !FLOATS.contains(&bits) {
            let known = FLOATS.map(|bits| bits.to_string()).join(", ");
            return Err(format!("`{text}` is no element type: floating-point numbers have {known} bits"));
        }
        Ok(ElementType { kind, bits })
    }
}

/// Elements `{ A[a] }` with a subscript from 0 to below an extent `[p] -> { [(e)] }`.
///
/// # Errors
/// Those of isl.
pub fn below(elements: isl::Set, position: usize, extent: isl::PwAff) -> isl::Result<isl::Set> {
    let rank = elements.dim(DimType::SET)?;
    // { A[a] -> [a_position] }
    let subscript = elements.clone().identity()?.project_out(DimType::Out, position + 1, rank - position - 1)?;
    let subscript = subscript.project_out(DimType::Out, 0, position)?;
    let below = extent.values()?.apply(isl::Map::parse(elements.ctx(), "{ [e] -> [x] : 0 <= x < e }")?)?;
    subscript.intersect_range(below)?.domain()
}

/// An array; a scalar is an array of rank 0.
#[derive(Debug, Clone)]
pub struct Array {
    /// The name: the tuple name of its elements `A[a]`.
    pub name: String,
    /// The extent of each dimension as a function of the parameters, `[p] -> { [(e)] }`; `None` where it is not known.
    /// The length of the vector is the rank.
    pub extent: Vec<Option<isl::PwAff>>,
    /// The type of the elements.
    pub element: ElementType,
    /// Where it lives.
    pub kind: ArrayKind,
    /// How many of its first subscripts the region uses, where the first extent alone is not known: [`super::Scop::note_used`].
    pub used: Option<u64>,
}

impl Array {
    /// An array of which no more is known than its declaration says.
    pub fn new(
        name: impl Into<String>,
        extent: Vec<Option<isl::PwAff>>,
        element: ElementType,
        kind: ArrayKind,
    ) -> Self {
        Array { name: name.into(), extent, element, kind, used: None }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.extent.len()
    }

    /// The size in bytes; `None` where it is not known before the program runs, or fits no number.
    ///
    /// # Errors
    /// Those of isl.
    pub fn known_bytes(&self) -> isl::Result<Option<u64>> {
        self.bytes(|dimension| self.known_extent(dimension))
    }

    /// The bytes that the region uses at most, whatever the size; `None` where that is not known either.
    ///
    /// # Errors
    /// Those of isl.
    pub fn used_bytes(&self) -> isl::Result<Option<u64>> {
        self.bytes(|dimension| self.used_extent(dimension))
    }

    fn bytes(&self, length: impl Fn(usize) -> isl::Result<Option<u64>>) -> isl::Result<Option<u64>> {
        let mut bytes = u64::from(self.element.bytes());
        for dimension in 0..self.rank() {
            match length(dimension)?.and_then(|length| bytes.checked_mul(length)) {
                Some(product) => bytes = product,
                None => return Ok(None),
            }
        }
        Ok(Some(bytes))
    }

    /// The extent of a dimension, or what the region uses of it; `None` where neither is known.
    ///
    /// # Errors
    /// Those of isl.
    pub fn used_extent(&self, dimension: usize) -> isl::Result<Option<u64>> {
        let used = self.used.filter(|_| dimension == 0);
        Ok(self.known_extent(dimension)?.or(used))
    }

    /// The extent of a dimension; `None` where it is not known before the program runs, or negative.
    ///
    /// # Errors
    /// Those of isl.
    pub fn known_extent(&self, dimension: usize) -> isl::Result<Option<u64>> {
        let Some(extent) = self.extent[dimension].as_ref().filter(|extent| matches!(extent.isa_aff(), Ok(true))) else {
            return Ok(None);
        };
        let extent = extent.clone().as_aff()?;
        if !extent.is_cst()? {
            return Ok(None);
        }
        Ok(u64::try_from(extent.constant()?.to_i64()?).ok())
    }
}
