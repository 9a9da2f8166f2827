//! The text of a raised function: control flow.

use super::emitter::{Body, Emitter};
use super::needed::Needed;
use super::text;
use crate::llvm::raise::affine::describe::Description;
use crate::llvm::raise::affine::fits::Computed;
use crate::llvm::raise::affine::polynomial::{Dim, Polynomial};
use crate::llvm::raise::code::function::{Action, Code, Constant};
use crate::llvm::raise::code::ids::{BlockId, LoopId, ValueId};
use crate::llvm::raise::code::scev::Bound;
use crate::llvm::raise::delinearize::arrays::Arrays;
use crate::llvm::raise::refusal::{Obstacle, Reason, Step};
use crate::llvm::raise::structure::members::is_phi;
use crate::llvm::raise::structure::nodes::{Branch, ControlNode, loop_location};

/// Writes the body of a region's function.
///
/// # Errors
/// The obstacle.
pub fn emit(
    code: &Code,
    description: &Description,
    arrays: &Arrays,
    needed: &Needed,
    function: &str,
    nodes: &[ControlNode],
) -> Result<Body, Obstacle> {
    let mut emitter = Emitter::new(code, description, arrays, needed, function);
    emitter.nodes(nodes)?;
    for value in &needed.out {
        let stored = emitter.store_out(*value);
        stored.map_err(|reason| emitter.obstacle(reason, *value, nodes))?;
    }
    Ok(emitter.finish())
}

impl Emitter<'_> {
    fn nodes(&mut self, nodes: &[ControlNode]) -> Result<(), Obstacle> {
        nodes.iter().try_for_each(|node| self.node(node))
    }

    fn node(&mut self, node: &ControlNode) -> Result<(), Obstacle> {
        let here = |code: &Code, reason| Obstacle { reason, location: node.location(code), block: node.block(code) };
        match node {
            ControlNode::Straight { block, first, end, .. } => {
                let all = self.code.blocks[block.0].instructions[*first..*end].to_vec();
                for value in all {
                    self.instruction(value).map_err(|reason| self.obstacle(reason, value, &[]))?;
                }
                Ok(())
            }
            ControlNode::If { join, .. } => {
                let wanted = self.carried(*join);
                let names = self.condition(node, &wanted)?;
                for (phi, name) in wanted.iter().zip(names) {
                    self.names.insert(*phi, name);
                }
                self.affine_phis(*join).map_err(|reason| here(self.code, reason))
            }
            ControlNode::Loop { number, body, exit } => {
                self.for_loop(*number, body, *exit)?;
                self.affine_phis(*exit).map_err(|reason| here(self.code, reason))
            }
            ControlNode::Version { branch, join } => {
                let wanted = self.carried(*join);
                let names = self.branch_values(branch, *join, &wanted)?;
                self.names.extend(wanted.into_iter().zip(names));
                self.affine_phis(*join).map_err(|reason| here(self.code, reason))
            }
            ControlNode::Failure { .. } => Ok(()),
            ControlNode::Opaque { obstacle, .. } => Err(obstacle.clone()),
        }
    }

    /// The PHIs of a block that are needed and no affine functions.
    fn carried(&self, block: BlockId) -> Vec<ValueId> {
        let all = self.code.blocks[block.0].instructions.iter().take_while(|value| is_phi(self.code, **value));
        all.filter(|phi| self.needed.values.contains(phi) && !self.description.affine.contains_key(phi))
            .copied()
            .collect()
    }

    /// Computes the needed PHIs of a block that are affine functions.
    fn affine_phis(&mut self, block: BlockId) -> Step<()> {
        for value in self.code.blocks[block.0].instructions.clone() {
            let Some(polynomial) = self.description.affine.get(&value) else { continue };
            if !self.needed.values.contains(&value) || self.names.contains_key(&value) {
                continue;
            }
            self.uses(polynomial);
            let (index, result, kind) = (self.polynomial(polynomial)?, self.fresh(), self.kind(value)?);
            self.line(&format!("{result} = arith.index_cast {index} : index to {kind}"), None);
            self.names.insert(value, result);
        }
        Ok(())
    }

    /// Writes an affine polynomial of which the value fits, and its products need not.
    fn polynomial(&mut self, polynomial: &Polynomial) -> Step<String> {
        if polynomial.terms().all(|(monomial, coefficient)| monomial.is_empty() || coefficient == 1) {
            let (index, map) = (self.fresh(), text::map(std::slice::from_ref(polynomial)).ok_or(Reason::NotAffine)?);
            self.line(&format!("{index} = affine.apply {map}"), None);
            return Ok(index);
        }
        // The products of `affine.apply` must not wrap around.
        let mut sum: Option<String> = None;
        for (monomial, coefficient) in polynomial.terms() {
            let part = Polynomial::product(monomial.clone(), 1);
            let (part, factor) = match part.as_constant() {
                Some(_) => (None, coefficient),
                None => (Some(text::subscript(&part).ok_or(Reason::NotAffine)?), coefficient),
            };
            let factor = i64::try_from(factor).map_err(|_| Reason::NotAffine)?;
            let constant = self.fresh();
            self.line(&format!("{constant} = arith.constant {factor} : index"), None);
            let product = match part {
                Some(part) => self.binary("muli", &part, &constant),
                None => constant,
            };
            sum = Some(match sum {
                Some(sum) => self.binary("addi", &sum, &product),
                None => product,
            });
        }
        sum.ok_or(Reason::NotAffine)
    }

    fn binary(&mut self, operation: &str, left: &str, right: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = arith.{operation} {left}, {right} : index"), None);
        name
    }

    /// The value of a PHI when control comes from a block.
    fn incoming(&self, phi: ValueId, from: BlockId) -> Option<ValueId> {
        let instruction = self.code.instruction(phi)?;
        let Action::Phi(blocks) = &instruction.action else { return None };
        let position = blocks.iter().position(|block| *block == from)?;
        instruction.operands.get(position).copied()
    }

    /// Whether a value is computed in a loop.
    fn is_computed_in(&self, value: ValueId, number: LoopId) -> bool {
        let block = self.code.instruction(value).map(|instruction| instruction.block);
        block.is_some_and(|block| self.code.is_within(self.code.blocks[block.0].around, number))
    }

    fn for_loop(&mut self, number: LoopId, body: &[ControlNode], exit: BlockId) -> Result<(), Obstacle> {
        let code = self.code;
        let this = &code.loops[number.0];
        let location = loop_location(code, number);
        let here = |reason| Obstacle { reason, location: location.clone(), block: this.header };
        let broken = || here(Reason::Unstructured);
        let (preheader, latch) = (this.preheader.ok_or_else(broken)?, this.latch.ok_or_else(broken)?);
        // What goes around: PHIs, and what is used behind the loop but goes around nowhere. The latter starts as
        // anything, since a loop runs at least once.
        let mut around: Vec<(ValueId, Option<ValueId>, ValueId)> = Vec::new();
        for phi in self.carried(this.header) {
            let start = self.incoming(phi, preheader).ok_or_else(broken)?;
            around.push((phi, Some(start), self.incoming(phi, latch).ok_or_else(broken)?));
        }
        let mut behind = Vec::new();
        for phi in self.carried(exit) {
            let value = self.incoming(phi, latch).ok_or_else(broken)?;
            if !self.is_computed_in(value, number) {
                behind.push((phi, Err(value)));
                continue;
            }
            let position = around.iter().position(|(_, _, next)| *next == value).unwrap_or_else(|| {
                around.push((value, None, value));
                around.len() - 1
            });
            behind.push((phi, Ok(position)));
        }
        let mut starts = Vec::new();
        for (value, start, _) in &around {
            starts.push(match start {
                Some(start) => self.name(*start).map_err(here)?,
                None => self.constant(*value, Constant::Any).map_err(here)?,
            });
        }
        self.computed.push(Computed::Bounds(number));
        let results = self.head_of_loop(number, &around, &starts).map_err(here)?;
        self.indent += 1;
        self.affine_phis(this.header).map_err(here)?;
        self.nodes(body)?;
        if !around.is_empty() {
            let nexts: Step<Vec<String>> = around.iter().map(|(_, _, next)| self.name(*next)).collect();
            let yielded: Vec<ValueId> = around.iter().map(|(value, ..)| *value).collect();
            let text =
                format!("affine.yield {} : {}", nexts.map_err(here)?.join(", "), self.kinds(&yielded).map_err(here)?);
            self.line(&text, None);
        }
        self.indent -= 1;
        self.line("}", location.as_ref());
        for (phi, value) in behind {
            let name = match value {
                Ok(position) => results[position].clone(),
                Err(value) => self.name(value).map_err(here)?,
            };
            self.names.insert(phi, name);
        }
        Ok(())
    }

    /// Opens a loop; the names of its results.
    fn head_of_loop(
        &mut self,
        number: LoopId,
        around: &[(ValueId, Option<ValueId>, ValueId)],
        starts: &[String],
    ) -> Step<Vec<String>> {
        let range = self.description.ranges.get(&number).ok_or(Reason::Bound)?;
        range.lower.iter().chain(&range.upper).for_each(|bound| self.uses(bound));
        let lower = text::bounds(&range.lower, Bound::Lower).ok_or(Reason::Bound)?;
        let upper = text::bounds(&range.upper, Bound::Upper).ok_or(Reason::Bound)?;
        let mut line = format!("affine.for {} = {lower} to {upper}", text::dim_name(Dim::Loop(number)));
        if range.step != 1 {
            line += &format!(" step {}", range.step);
        }
        let mut results = Vec::new();
        if !around.is_empty() {
            let name = self.fresh();
            let mut pairs = Vec::new();
            for ((value, start, _), first) in around.iter().zip(starts) {
                let inner = self.fresh();
                pairs.push(format!("{inner} = {first}"));
                if start.is_some() {
                    self.names.insert(*value, inner);
                }
            }
            let values: Vec<ValueId> = around.iter().map(|(value, ..)| *value).collect();
            line += &format!(" iter_args({}) -> ({})", pairs.join(", "), self.kinds(&values)?);
            if around.len() == 1 {
                line = format!("{name} = {line}");
                results.push(name);
            } else {
                line = format!("{name}:{} = {line}", around.len());
                results = (0..around.len()).map(|position| format!("{name}#{position}")).collect();
            }
        }
        line += " {";
        self.line(&line, None);
        Ok(results)
    }

    /// A condition; the names of its results, one for each PHI.
    fn condition(&mut self, node: &ControlNode, wanted: &[ValueId]) -> Result<Vec<String>, Obstacle> {
        let ControlNode::If { block, condition, then, otherwise, join } = node else { return Ok(Vec::new()) };
        let location = node.location(self.code);
        let here = |reason| Obstacle { reason, location: location.clone(), block: *block };
        if let Some(names) = self.guarded_loop(node, wanted)? {
            return Ok(names);
        }
        if let Some(affine) = self.description.conditions.get(block)
            && affine.constraints.is_empty()
        {
            return self.branch_values(if affine.negated { otherwise } else { then }, *join, wanted);
        }
        let (head, dialect, swapped) = match self.description.conditions.get(block) {
            Some(affine) => {
                affine.constraints.iter().for_each(|constraint| self.uses(&constraint.polynomial));
                self.computed.push(Computed::Condition(*block));
                let set = text::set(affine).ok_or_else(|| here(Reason::NotAffine))?;
                (format!("affine.if {set}"), "affine", affine.negated)
            }
            None => (format!("scf.if {}", self.name(*condition).map_err(here)?), "scf", false),
        };
        let (first, second) = if swapped { (otherwise, then) } else { (then, otherwise) };
        let (mut head, mut results) = (head, Vec::new());
        if !wanted.is_empty() {
            let name = self.fresh();
            head = format!("{name}:{} = {head} -> ({})", wanted.len(), self.kinds(wanted).map_err(here)?);
            results = (0..wanted.len()).map(|position| format!("{name}#{position}")).collect();
        }
        self.line(&format!("{head} {{"), None);
        self.branch(first, *join, wanted, dialect)?;
        if !wanted.is_empty() || !second.nodes.is_empty() {
            self.line("} else {", None);
            self.branch(second, *join, wanted, dialect)?;
        }
        self.line("}", location.as_ref());
        Ok(results)
    }

    fn branch(&mut self, branch: &Branch, join: BlockId, wanted: &[ValueId], dialect: &str) -> Result<(), Obstacle> {
        self.indent += 1;
        let names = self.branch_values(branch, join, wanted)?;
        if !wanted.is_empty() {
            let kinds = self.kinds(wanted).map_err(|reason| self.obstacle(reason, wanted[0], &[]))?;
            self.line(&format!("{dialect}.yield {} : {kinds}", names.join(", ")), None);
        }
        self.indent -= 1;
        Ok(())
    }

    /// Writes a branch; what the PHIs of the block behind it are then.
    fn branch_values(&mut self, branch: &Branch, join: BlockId, wanted: &[ValueId]) -> Result<Vec<String>, Obstacle> {
        // A condition at the end of the branch may meet the other branch in the same block.
        if let Some((last @ ControlNode::If { join: inner, .. }, before)) = branch.nodes.split_last()
            && *inner == join
        {
            self.nodes(before)?;
            return self.condition(last, wanted);
        }
        if let Some((ControlNode::Version { branch, join: inner }, before)) = branch.nodes.split_last()
            && *inner == join
        {
            self.nodes(before)?;
            return self.branch_values(branch, join, wanted);
        }
        self.nodes(&branch.nodes)?;
        let mut names = Vec::new();
        for phi in wanted {
            let value = self.incoming(*phi, branch.from).ok_or(Reason::Unstructured);
            let name = value.and_then(|value| self.name(value));
            names.push(name.map_err(|reason| self.obstacle(reason, *phi, &[]))?);
        }
        Ok(names)
    }

    /// Whether a node has nothing that is needed.
    fn is_idle(&self, node: &ControlNode) -> bool {
        let ControlNode::Straight { block, first, end, .. } = node else {
            return matches!(node, ControlNode::Failure { .. });
        };
        self.code.blocks[block.0].instructions[*first..*end].iter().all(|value| {
            let stores = self.code.instruction(*value).is_some_and(|it| it.action.stores());
            !stores && !self.needed.values.contains(value)
        })
    }

    /// A condition that only says that a loop runs at all, as rotated loops have it: the loop alone does the same.
    fn guarded_loop(&mut self, node: &ControlNode, wanted: &[ValueId]) -> Result<Option<Vec<String>>, Obstacle> {
        let ControlNode::If { block, then, otherwise, .. } = node else { return Ok(None) };
        let Some(condition) = self.description.conditions.get(block) else { return Ok(None) };
        let (inner, empty) = if condition.negated { (otherwise, then) } else { (then, otherwise) };
        let work: Vec<&ControlNode> = inner.nodes.iter().filter(|node| !self.is_idle(node)).collect();
        let [ControlNode::Loop { number, exit, .. }] = work[..] else { return Ok(None) };
        if !empty.nodes.iter().all(|node| self.is_idle(node))
            || condition.constraints.iter().any(|constraint| constraint.equal)
        {
            return Ok(None);
        }
        let Some(range) = self.description.ranges.get(number) else { return Ok(None) };
        // The loop runs exactly if upper - lower - 1 >= 0 for all bounds.
        let runs = |upper: &Polynomial, lower| upper.sub(lower)?.sub(&Polynomial::constant(1));
        let pairs = range.upper.iter().flat_map(|upper| range.lower.iter().map(move |lower| (upper, lower)));
        let runs: Vec<_> = pairs.map(|(upper, lower)| runs(upper, lower)).collect();
        let asked: Vec<_> = condition.constraints.iter().map(|it| Some(it.polynomial.clone())).collect();
        if runs.len() != asked.len()
            || !asked.iter().all(|one| runs.contains(one))
            || !runs.iter().all(|one| asked.contains(one))
        {
            return Ok(None);
        }
        let this = &self.code.loops[number.0];
        let (Some(preheader), Some(latch)) = (this.preheader, this.latch) else { return Ok(None) };
        let mut sources = Vec::new();
        for phi in wanted {
            // Behind the loop the value is the last next one of a PHI, without it the first one.
            let first = self.incoming(*phi, empty.from);
            let last = self.incoming(*phi, inner.from);
            let carried = last.filter(|last| self.carried(*exit).contains(last)).and_then(|last| {
                // What is not computed in the loop is no result of it, and says nothing of a loop that does not run.
                let next = self.incoming(last, latch).filter(|next| self.is_computed_in(*next, *number))?;
                let phi = self.carried(this.header).into_iter().find(|phi| self.incoming(*phi, latch) == Some(next))?;
                (self.incoming(phi, preheader) == first).then_some(last)
            });
            match carried {
                Some(last) => sources.push(last),
                None => return Ok(None),
            }
        }
        self.computed.push(Computed::Unguarded(*number, *block));
        self.nodes(&inner.nodes)?;
        Ok(Some(sources.into_iter().filter_map(|last| self.names.get(&last).cloned()).collect()))
    }
}
