//! isl notation without the parameters in front.

use super::diagnose;
use super::error::{ParseError, Position};
use super::limits;
use super::yaml::{Data, Node};
use crate::isl::{self, DimType};

/// The parameters of a text: what isl notation in it may leave out.
#[derive(Debug, Clone)]
pub(super) struct Parameters {
    names: Vec<String>,
}

impl Parameters {
    /// These parameters, in this order.
    pub fn new(names: Vec<String>) -> Self {
        Self { names }
    }

    /// `[n, m] -> `, or nothing when there is no parameter.
    fn prefix(&self) -> String {
        if self.names.is_empty() { String::new() } else { format!("[{}] -> ", self.names.join(", ")) }
    }

    /// The space `[n, m] -> { : }`.
    pub fn space(&self, ctx: &isl::Ctx) -> isl::Result<isl::Space> {
        self.names.iter().try_fold(isl::Space::unit(ctx)?, |space, name| space.add_param_id(isl::Id::new(ctx, name)?))
    }

    /// The text of an isl object that has exactly these parameters, without them.
    pub fn strip(&self, text: &str) -> String {
        // isl leaves room for the tuple that a parameter domain does not have.
        text.strip_prefix(&self.prefix()).unwrap_or(text).replace("{  :", "{ :").replace("{ :  }", "{ : }")
    }

    /// The text with the parameters in front, unless it brings its own.
    pub fn complete(&self, text: &str) -> String {
        if has_parameters(text) { text.to_owned() } else { format!("{}{text}", self.prefix()) }
    }

    /// The parameters of a space are among these.
    pub fn check(&self, space: &isl::Space, at: Position) -> Result<(), ParseError> {
        for name in space.dim_names(DimType::Param).map_err(|e| at.isl(e))? {
            if !self.names.contains(&name) {
                let known = if self.names.is_empty() { "none".to_owned() } else { self.names.join(", ") };
                let error = at.error(format!("`{name}` is not among the parameters ({known})"));
                return Err(error.help(format!("add `{name}` to `parameters`")));
            }
        }
        Ok(())
    }

    /// Reads isl notation with one of isl's readers; `what` names what is expected.
    pub fn read<T>(
        &self,
        source: &Source<'_>,
        node: &Node,
        what: &str,
        reader: impl Fn(&isl::Ctx, &str) -> isl::Result<T>,
    ) -> Result<T, ParseError> {
        let text = text_of(node, what)?;
        if let Some(excess) = limits::excess(text) {
            return Err(node.place_in(source.text, excess.solid_before).error(excess.message));
        }
        reader(source.ctx, &self.complete(text)).map_err(|error| {
            if error.is_exhausted() {
                return node.at.isl(error);
            }
            let complaint = format!("this is not {what} in isl notation");
            match diagnose::find(text, &self.names) {
                Some(found) => {
                    let at = node.place_in(source.text, found.solid_before);
                    at.error(format!("{complaint}: {}", found.message))
                }
                // isl's own words say more only where they are not about the grammar alone.
                None if error.message.contains("syntax error") => node.at.error(complaint),
                None => node.at.error(format!("{complaint}: {}", error.message)),
            }
        })
    }
}

/// A text being read and the context that it is read into.
pub(super) struct Source<'t> {
    pub ctx: &'t isl::Ctx,
    pub text: &'t str,
}

/// The text of a scalar.
pub(super) fn text_of<'n>(node: &'n Node, what: &str) -> Result<&'n str, ParseError> {
    match &node.data {
        Data::Text(text) => Ok(text),
        _ => {
            let hint = "put quotes around isl notation, or YAML takes its braces and brackets for its own";
            Err(node.at.error(format!("expected {what}, found {}", node.kind())).help(hint))
        }
    }
}

/// isl notation starts with `[n, m] ->`.
fn has_parameters(text: &str) -> bool {
    let Some((inside, rest)) = text.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    rest.trim_start().starts_with("->")
        && inside.chars().all(|c| c.is_alphanumeric() || "_', =-".contains(c) || c.is_whitespace())
}

/// A name that isl notation can hold as that of a tuple or a parameter.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_told_from_tuples() {
        let p = Parameters::new(vec!["n".into(), "m".into()]);
        assert_eq!(p.complete("{ S[i] }"), "[n, m] -> { S[i] }");
        assert_eq!(p.complete("[k] -> { S[i] }"), "[k] -> { S[i] }");
        assert_eq!(p.complete("[{ S[i] -> [(i)] }]"), "[n, m] -> [{ S[i] -> [(i)] }]");
        assert_eq!(p.complete("[] -> { S[i] }"), "[] -> { S[i] }");
        assert_eq!(p.strip("[n, m] -> { S[i] }"), "{ S[i] }");
        assert_eq!(Parameters::new(Vec::new()).complete("{ S[i] }"), "{ S[i] }");
    }
}
