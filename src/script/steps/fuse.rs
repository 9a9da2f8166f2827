//! Two loops that follow one another become one.

use super::super::command::Word;
use super::super::error::{NotDone, Wrong};
use super::super::names::Names;
use super::super::nest::{Loop, Nest, Node, Part};

/// Makes one loop of two that are the outermost ones of two parts of a sequence. It is where the first one was; what was
/// between them comes after it.
pub(super) fn fuse(nest: &mut Nest, names: &Names, words: [&Word; 2]) -> Result<(), NotDone> {
    let [one, other] = [names.find(words[0])?.named, names.find(words[1])?.named];
    let common = one.path.iter().zip(&other.path).take_while(|(a, b)| a == b).count();
    let at = |column: usize, message: String| Wrong::at(column, message);
    if one.path == other.path {
        let message = format!("`{}` and `{}` are one loop already", words[0].text, words[1].text);
        return Err(at(words[1].column, message).into());
    }
    if common == one.path.len() || common == other.path.len() {
        let message = format!("`{}` and `{}` do not follow one another: one is in the other", one.label, other.label);
        return Err(at(words[1].column, message).into());
    }
    for (named, word) in [(one, words[0]), (other, words[1])] {
        if named.path.len() != common + 1 {
            let message = format!("`{}` is in a loop that is not around both", named.label);
            return Err(at(word.column, message).help("fuse the loops around them first").into());
        }
    }
    if one.kind != other.kind {
        let message = format!("`{}` and `{}` run over different things", one.label, other.label);
        let help = format!("one is a {}, the other a {}", one.kind.word(), other.kind.word());
        return Err(at(words[1].column, message).help(help).into());
    }
    let (first, second) = (one.path[common].min(other.path[common]), one.path[common].max(other.path[common]));
    let place = nest.root.at_mut(&one.path[..common]);
    let Node::Parts { ordered, parts } = place else { return Err(Wrong::new("there is no such loop").into()) };
    let late = parts.remove(second);
    let early = std::mem::replace(&mut parts[first], Part { filter: late.filter.clone(), node: Node::Leaf });
    parts[first] = fused(early, late)?;
    let (ordered, parts) = (*ordered, std::mem::take(parts));
    *place = if ordered || parts.len() < 2 { Node::sequence(parts)? } else { Node::Parts { ordered, parts } };
    Ok(())
}

/// Two parts that are loops as one.
fn fused(early: Part, late: Part) -> Result<Part, NotDone> {
    let is_split = early.statements()?.intersection(&late.statements()?).next().is_some();
    let (Node::Loop(first), Node::Loop(second)) = (early.node, late.node) else {
        return Err(Wrong::new("there is no such loop").into());
    };
    // Where instances of a statement are in both, the functions say which is which only together with the filters.
    let whole = |filter: &crate::isl::UnionSet| if is_split { Ok(filter.clone()) } else { filter.clone().universe() };
    let member = first.member.clone().intersect_domain(whole(&early.filter)?)?;
    let member = member.union_add(second.member.clone().intersect_domain(whole(&late.filter)?)?)?;
    let mut names = first.names.clone();
    names.extend(second.names.clone());
    let parallel = first.parallel.clone().zip(second.parallel.clone()).map(|(mut private, others)| {
        private.extend(others.into_iter().filter(|array| !first.parallel.iter().flatten().any(|known| known == array)));
        private
    });
    let filter = early.filter.clone().union(late.filter.clone())?;
    let bodies =
        vec![Part { filter: early.filter, node: *first.body }, Part { filter: late.filter, node: *second.body }];
    let body = Box::new(Node::sequence(bodies)?);
    Ok(Part { filter, node: Node::Loop(Loop { names, kind: first.kind, parallel, member, body }) })
}
