//! Sizes and offsets of the fields of a layout, as text: in one field of memory (section 4.3), and as nested structures
//! (4.4).
//!
//! A sequence is as large as its children together, a band as its child times its length, a leaf as one element. (The
//! paper's length is the greatest value and a padding of at least 1; its Figure 7 has lengths without padding. Here a
//! dimension that begins at 0 is as long as the greatest value and 1, and what a map pads it by.) The offset of an
//! element is the sum over its dimensions: what is before it in a sequence, or the child's size times the position.

use super::Error;
use super::map::{LayoutMap, Transfer};
use super::tree::{Path, Tree};
use crate::codegen::{self, Expr};
use crate::isl::DimType;
use crate::scop::{ElementKind, ElementType, Scop};
use std::fmt::Write;

/// The fields of a layout with their names.
pub struct Field<'a> {
    scop: &'a Scop,
    maps: &'a [LayoutMap],
    root: Named,
    paths: Vec<Path>,
    parameters: Vec<String>,
    /// Leaves count elements, as all have one type; else they count bytes.
    in_elements: bool,
}

/// A node of the tree with its name: `band_1_0`, of which the length is `len_1_0`.
enum Named {
    Sequence { suffix: String, children: Vec<Named> },
    Band { suffix: String, length: Expr, child: Box<Named> },
    Leaf { element: ElementType },
}

impl Named {
    fn of(scop: &Scop, maps: &[LayoutMap], tree: &Tree, suffix: &str) -> Result<Self, Error> {
        Ok(match tree {
            Tree::Leaf(all) => {
                let types = all.iter().map(|&map| scop.arrays[maps[map].array].element);
                let element = types.max_by_key(|element| element.bits);
                Named::Leaf { element: element.unwrap_or(ElementType { kind: ElementKind::Other, bits: 8 }) }
            }
            Tree::Sequence(children) => {
                let named =
                    |(number, child): (usize, &Tree)| Self::of(scop, maps, child, &format!("{suffix}_{number}"));
                let children = children.iter().enumerate().map(named).collect::<Result<_, _>>()?;
                Named::Sequence { suffix: suffix.to_owned(), children }
            }
            Tree::Band { length, child } => {
                let length = codegen::expression(scop, length)?;
                // A sequence has the name of the band around it, a band another one.
                let below = match **child {
                    Tree::Band { .. } => format!("{suffix}_0"),
                    _ => suffix.to_owned(),
                };
                let child = Box::new(Self::of(scop, maps, child, &below)?);
                Named::Band { suffix: suffix.to_owned(), length, child }
            }
        })
    }

    /// What the node's size is called.
    fn size(&self, in_elements: bool) -> String {
        match self {
            Named::Sequence { suffix, .. } if suffix.is_empty() => "seq_root".to_owned(),
            Named::Sequence { suffix, .. } => format!("seq{suffix}"),
            Named::Band { suffix, .. } => format!("band{suffix}"),
            Named::Leaf { .. } if in_elements => "1".to_owned(),
            Named::Leaf { element } => element.bytes().to_string(),
        }
    }

    fn children(&self) -> Vec<&Named> {
        match self {
            Named::Sequence { children, .. } => children.iter().collect(),
            Named::Band { child, .. } => vec![child],
            Named::Leaf { .. } => Vec::new(),
        }
    }
}

impl<'a> Field<'a> {
    /// The fields that maps of one place make: those of a layout, or of a redistribution.
    ///
    /// # Errors
    /// As [`super::Layout::parse`].
    pub fn of(scop: &'a Scop, maps: &'a [LayoutMap]) -> Result<Self, Error> {
        let (tree, paths) = Tree::of(scop, maps)?;
        // The band at the root is the only child of nothing.
        let suffix = if matches!(tree, Tree::Sequence(_)) { "" } else { "_0" };
        let root = Named::of(scop, maps, &tree, suffix)?;
        let parameters = scop.context.space()?.dim_names(DimType::Param)?;
        let mut types = maps.iter().map(|map| scop.arrays[map.array].element);
        let first = types.next();
        let in_elements = types.all(|other| Some(other) == first);
        Ok(Field { scop, maps, root, paths, parameters, in_elements })
    }

    /// Definitions of lengths and sizes, and accesses in one field of memory: the paper's Figure 7.
    pub fn linear(&self) -> String {
        let mut text = String::from("// Lengths of dimensions\n");
        self.lengths(&self.root, &mut text);
        text.push_str("// Sizes of nodes\n");
        self.sizes(&self.root, &mut text);
        let size = self.root.size(self.in_elements);
        let _ = match self.in_elements {
            true => writeln!(text, "// {size} elements\n// Accesses"),
            false => writeln!(text, "// {size} bytes\n// Accesses"),
        };
        for (map, path) in self.maps.iter().zip(&self.paths) {
            let _ = writeln!(text, "{} field[{}]", self.head(map), self.offset(map, path));
        }
        self.copies(&mut text);
        text
    }

    /// Types and accesses of nested structures: the paper's Figure 8. The order of fields in memory is not promised.
    pub fn nested(&self) -> String {
        let mut text = String::from("// Structures\n");
        self.structures(&self.root, &mut text);
        text.push_str("// Variables\n");
        let roots = match &self.root {
            Named::Sequence { children, .. } => children.iter().collect(),
            other => vec![other],
        };
        for (number, root) in roots.into_iter().enumerate() {
            let _ = writeln!(text, "{};", self.member(root, &format!("_{number}")));
        }
        text.push_str("// Accesses\n");
        for (map, path) in self.maps.iter().zip(&self.paths) {
            let _ = writeln!(text, "{} {}", self.head(map), self.place(map, path));
        }
        self.copies(&mut text);
        text
    }

    fn lengths(&self, node: &Named, text: &mut String) {
        if let Named::Band { suffix, length, .. } = node {
            let _ = writeln!(text, "long len{suffix} = {};", length.to_text(&self.parameters, &[]));
        }
        node.children().into_iter().for_each(|child| self.lengths(child, text));
    }

    fn sizes(&self, node: &Named, text: &mut String) {
        node.children().into_iter().for_each(|child| self.sizes(child, text));
        let sizes: Vec<String> = node.children().iter().map(|child| child.size(self.in_elements)).collect();
        let size = match node {
            Named::Leaf { .. } => return,
            Named::Sequence { .. } => sizes.join(" + "),
            Named::Band { suffix, .. } => format!("len{suffix} * {}", sizes.join("")),
        };
        let _ = writeln!(text, "long {} = {size};", node.size(self.in_elements));
    }

    fn head(&self, map: &LayoutMap) -> String {
        format!("#define _{}({})", self.scop.arrays[map.array].name, map.subscripts.join(","))
    }

    fn offset(&self, map: &LayoutMap, path: &Path) -> String {
        let mut terms: Vec<String> = Vec::new();
        let mut node = &self.root;
        for (one, step) in map.address.iter().zip(&path.0) {
            match (node, step) {
                (Named::Sequence { children, .. }, Some(child)) => {
                    terms.extend(children[..*child].iter().map(|before| before.size(self.in_elements)));
                    node = &children[*child];
                }
                (Named::Band { child, .. }, _) => {
                    let position = one.to_text(&self.parameters, &map.subscripts);
                    terms.push(match child.size(self.in_elements).as_str() {
                        "1" => format!("({position})"),
                        size => format!("({position}) * {size}"),
                    });
                    node = child;
                }
                _ => break,
            }
        }
        if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
    }

    /// The type of a node.
    fn type_of(&self, node: &Named) -> String {
        match node {
            Named::Sequence { suffix, .. } => format!("Seq{suffix}"),
            Named::Band { child, .. } => match self.type_of(child) {
                pointer if pointer.ends_with('*') => format!("{pointer}*"),
                inner => format!("{inner} *"),
            },
            Named::Leaf { element } => match (element.kind, element.bits) {
                (ElementKind::Float, 64) => "double".to_owned(),
                (ElementKind::Float, 32) => "float".to_owned(),
                (ElementKind::Int, bits @ (8 | 16 | 32 | 64)) => format!("int{bits}_t"),
                _ => format!("element_{element}"),
            },
        }
    }

    /// What a node is called where it stands in a structure.
    fn name(&self, node: &Named, suffix: &str) -> String {
        match node {
            Named::Sequence { suffix, .. } => format!("seq{suffix}"),
            Named::Band { suffix, .. } => format!("band{suffix}"),
            Named::Leaf { .. } => format!("leaf{suffix}"),
        }
    }

    fn member(&self, node: &Named, suffix: &str) -> String {
        let name = self.name(node, suffix);
        match self.type_of(node) {
            pointer if pointer.ends_with('*') => format!("{pointer}{name}"),
            other => format!("{other} {name}"),
        }
    }

    fn structures(&self, node: &Named, text: &mut String) {
        node.children().into_iter().for_each(|child| self.structures(child, text));
        let Named::Sequence { suffix, children } = node else { return };
        if suffix.is_empty() {
            return;
        }
        let members = children.iter().enumerate().map(|(number, child)| {
            let member = self.member(child, &format!("{suffix}_{number}"));
            format!("{member};")
        });
        let _ = writeln!(text, "typedef struct {{ {} }} Seq{suffix};", members.collect::<Vec<_>>().join(" "));
    }

    fn place(&self, map: &LayoutMap, path: &Path) -> String {
        let mut text = String::new();
        let mut node = &self.root;
        for (one, step) in map.address.iter().zip(&path.0) {
            match (node, step) {
                (Named::Sequence { children, suffix: own }, Some(child)) => {
                    node = &children[*child];
                    let point = if text.is_empty() { "" } else { "." };
                    let _ = write!(text, "{point}{}", self.name(node, &format!("{own}_{child}")));
                }
                (Named::Band { child, suffix: own, .. }, _) => {
                    if text.is_empty() {
                        let _ = write!(text, "band{own}");
                    }
                    let _ = write!(text, "[{}]", one.to_text(&self.parameters, &map.subscripts));
                    node = child;
                }
                _ => break,
            }
        }
        text
    }

    fn copies(&self, text: &mut String) {
        text.push_str("// Copies\n");
        for map in self.maps {
            let name = &self.scop.arrays[map.array].name;
            let subscripts: String = map.subscripts.iter().map(|one| format!("[{one}]")).collect();
            let new = format!("_{name}({})", map.subscripts.join(","));
            if map.transfer.is_in() {
                let _ = writeln!(text, "{new} = {name}{subscripts}; // before");
            }
            if map.transfer.is_out() {
                let _ = writeln!(text, "{name}{subscripts} = {new}; // after");
            }
            if map.transfer == Transfer::Redist {
                let _ = writeln!(text, "{new} = {name}{subscripts}; // here, from the layout before");
            }
        }
    }
}
