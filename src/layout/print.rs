//! Maps in the words in which they are read ([`super::Layout::parse`]).

use super::directive::ORIGINAL;
use super::expansion::Expansion;
use super::kept::Kept;
use super::map::{Layout, LayoutMap, Pad};
use super::redistribution::Redistribution;
use super::reduction::PartialSums;
use crate::codegen::Expr;
use crate::isl::{self, DimType};
use crate::scop::Scop;

impl Layout {
    /// The maps as directives, one after the other.
    ///
    /// # Errors
    /// Those of isl.
    pub fn to_text(&self, scop: &Scop) -> isl::Result<String> {
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let maps = self.maps.iter().map(|map| map.to_text(scop, &parameters));
        let redistributed = self.redistributions.iter().flat_map(|one| one.to_texts(scop, &parameters));
        let expanded = |one: &Expansion| format!("expand({}, {})", scop.arrays[one.array].name, one.loops);
        let reduced = self.partial_sums.iter().map(|one| one.to_text(scop));
        let expanded = self.expansions.iter().map(expanded);
        let kept = |one: &Kept| format!("keep({}, {})", scop.arrays[one.array].name, one.iterations);
        // One says it of all statements.
        let mut kept: Vec<String> = self.kept.iter().map(kept).collect();
        kept.dedup();
        Ok(maps.chain(redistributed).chain(expanded).chain(reduced).chain(kept).collect::<Vec<_>>().join(" "))
    }
}

impl Redistribution {
    fn to_texts(&self, scop: &Scop, parameters: &[String]) -> Vec<String> {
        let maps = self.maps.iter().map(|map| map.to_text(scop, parameters));
        let back = self.back.iter().map(|array| format!("map(redist: {} -> {ORIGINAL})", scop.arrays[*array].name));
        maps.chain(back).map(|map| format!("before {}: {map}", scop.statement(self.before).name)).collect()
    }
}

impl PartialSums {
    fn to_text(&self, scop: &Scop) -> String {
        let block = if self.block == 1 { String::new() } else { format!(", block {}", self.block) };
        format!("reduce({}, {}, loop {}{block})", scop.arrays[self.array].name, self.parts, self.split + 1)
    }
}

impl LayoutMap {
    fn to_text(&self, scop: &Scop, parameters: &[String]) -> String {
        let padded = |(one, pad): (&Expr, &Pad)| match pad {
            Pad::By(0) => self.expression(one, parameters),
            Pad::By(more) => format!("{} pad {more}", self.expression(one, parameters)),
            Pad::To(multiple) => format!("{} align {multiple}", self.expression(one, parameters)),
        };
        let address: Vec<String> = self.address.iter().zip(&self.pads).map(padded).collect();
        let (word, name) = (self.transfer.word(), &scop.arrays[self.array].name);
        let clause = if self.contraction { "contract" } else { "map" };
        format!("{clause}({word}: {name}({}) -> ({}))", self.subscripts.join(", "), address.join(", "))
    }

    fn expression(&self, expr: &Expr, parameters: &[String]) -> String {
        let operand = |one: &Expr| match one {
            Expr::Const(_) | Expr::Parameter(_) | Expr::Iterator(_) => self.expression(one, parameters),
            _ => format!("({})", self.expression(one, parameters)),
        };
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::Parameter(position) => parameters[*position].clone(),
            Expr::Iterator(subscript) => self.subscripts[subscript.0].clone(),
            Expr::Add(a, b) => format!("{} + {}", operand(a), operand(b)),
            Expr::Mul(factor, a) => format!("{factor}*{}", operand(a)),
            Expr::FloorDiv(a, divisor) => format!("{}/{divisor}", operand(a)),
            Expr::Mod(a, divisor) => format!("{}%{divisor}", operand(a)),
            // No address has them.
            Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => "?".to_owned(),
        }
    }
}
