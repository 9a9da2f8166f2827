//! Operations on numbers, and their flags.

/// An enumeration of which each member has a name.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident: $($member:ident = $text:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $member,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$member),*];

            /// The name.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$member => $text,)*
                }
            }
        }
    };
}

named! {
    /// An operation on integers, by its name in MLIR's arith dialect.
    IntOp:
    Add = "addi",
    Sub = "subi",
    Mul = "muli",
    Shl = "shli",
    And = "andi",
    Or = "ori",
    Xor = "xori",
    LShr = "shrui",
    AShr = "shrsi",
    SDiv = "divsi",
    UDiv = "divui",
    SRem = "remsi",
    URem = "remui",
}

named! {
    /// An operation on floating-point numbers, by its name in MLIR's arith dialect.
    FloatOp:
    Add = "addf",
    Sub = "subf",
    Mul = "mulf",
    Div = "divf",
    Rem = "remf",
    Neg = "negf",
}

named! {
    /// A conversion, by its name in MLIR's arith dialect.
    CastOp:
    Trunc = "trunci",
    ZExt = "extui",
    SExt = "extsi",
    FloatToSigned = "fptosi",
    FloatToUnsigned = "fptoui",
    SignedToFloat = "sitofp",
    UnsignedToFloat = "uitofp",
    FloatExt = "extf",
    FloatTrunc = "truncf",
    Bits = "bitcast",
}

named! {
    /// A comparison of integers, signed or unsigned, by its name in MLIR's arith dialect.
    Predicate:
    Eq = "eq",
    Ne = "ne",
    Slt = "slt",
    Sle = "sle",
    Sgt = "sgt",
    Sge = "sge",
    Ult = "ult",
    Ule = "ule",
    Ugt = "ugt",
    Uge = "uge",
}

named! {
    /// A comparison of floating-point numbers, ordered or unordered, by its name in MLIR's arith dialect.
    FloatPredicate:
    False = "false",
    Oeq = "oeq",
    Ogt = "ogt",
    Oge = "oge",
    Olt = "olt",
    Ole = "ole",
    One = "one",
    Ord = "ord",
    Uno = "uno",
    Ueq = "ueq",
    Ugt = "ugt",
    Uge = "uge",
    Ult = "ult",
    Ule = "ule",
    Une = "une",
    True = "true",
}

named! {
    /// An intrinsic that MLIR has an operation for, by LLVM's name without the suffix for types.
    Intrinsic:
    Abs = "abs",
    Ceil = "ceil",
    Copysign = "copysign",
    Cos = "cos",
    Ctpop = "ctpop",
    Exp = "exp",
    Exp2 = "exp2",
    Fabs = "fabs",
    Floor = "floor",
    Fma = "fma",
    Fmuladd = "fmuladd",
    Log = "log",
    Log10 = "log10",
    Log2 = "log2",
    Maximum = "maximum",
    Maxnum = "maxnum",
    Minimum = "minimum",
    Minnum = "minnum",
    Pow = "pow",
    Round = "round",
    Roundeven = "roundeven",
    Sin = "sin",
    Smax = "smax",
    Smin = "smin",
    Sqrt = "sqrt",
    Umax = "umax",
    Umin = "umin",
}

impl Intrinsic {
    /// The intrinsic of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.text() == name)
    }
}

named! {
    /// A flag of floating-point operations, by its name in LLVM and MLIR.
    FastFlag:
    Reassoc = "reassoc",
    NoNaNs = "nnan",
    NoInfs = "ninf",
    NoSignedZeros = "nsz",
    AllowReciprocal = "arcp",
    AllowContract = "contract",
    ApproxFunc = "afn",
}

/// The flags of a floating-point operation, in the order of [`FastFlag::ALL`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FastMath(pub Vec<FastFlag>);

impl FastMath {
    /// The names by commas; nothing if there are none.
    pub fn text(&self) -> Option<String> {
        let names: Vec<_> = self.0.iter().map(|flag| flag.text()).collect();
        (!names.is_empty()).then(|| names.join(","))
    }
}

/// The promises of an integer operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrapping {
    /// It does not wrap around as a signed number.
    pub nsw: bool,
    /// It does not wrap around as an unsigned number.
    pub nuw: bool,
}
