//! What an AST executes, and what a schedule says should be executed, at given parameter values.

use crate::codegen::{Ast, Axis, Call, Comparison, Cond, Expr, IteratorId, Node, SharedTile};
use crate::isl::{self, DimType};
use crate::scop::{Scop, Statement};
use std::cell::Cell;
use std::collections::BTreeSet;

/// An instance: the statement's position and its vector.
pub type Instance = (usize, Vec<i64>);

/// A scop of statements without accesses: `text` holds the domains in one isl union set.
pub fn scop(ctx: &isl::Ctx, domain: &str, context: &str, schedule: &str) -> Scop {
    let domain = isl::UnionSet::parse(ctx, domain).unwrap();
    let context = isl::Set::parse(ctx, context).unwrap();
    let mut statements: Vec<Statement> = domain
        .set_list()
        .unwrap()
        .to_vec()
        .unwrap()
        .into_iter()
        .map(|domain| Statement {
            name: domain.tuple_name().unwrap().unwrap(),
            domain,
            accesses: Vec::new(),
            side_effect: true,
            may_trap: false,
            copy: false,
            reduction: None,
            block: None,
            parts: 1,
            text: String::new(),
        })
        .collect();
    statements.sort_by(|a, b| a.name.cmp(&b.name));
    let live_out = isl::UnionSet::empty(context.space().unwrap()).unwrap();
    let schedule = isl::Schedule::parse(ctx, schedule).unwrap();
    Scop { name: "test".into(), context, arrays: Vec::new(), statements, schedule, live_out }
}

/// The instances in the order of the AST.
pub fn executed(ast: &Ast, parameters: &[i64]) -> Vec<Instance> {
    run(ast, parameters).trace
}

/// The greatest magnitude of any number computed on the way, loop steps included.
pub fn greatest_number(ast: &Ast, parameters: &[i64]) -> i64 {
    run(ast, parameters).greatest.get()
}

/// A block or a thread: its number along an axis, and how many there are at most.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number {
    pub number: i64,
    pub most: Option<i64>,
}

/// Who executes an instance of a kernel, x last.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub blocks: Vec<Number>,
    pub threads: Vec<Number>,
}

/// The instances in the order of the AST, and who executes them; nobody outside of kernels.
pub fn placed(ast: &Ast, parameters: &[i64]) -> Vec<(Instance, Option<Place>)> {
    let run = run(ast, parameters);
    run.trace.into_iter().zip(run.places).collect()
}

/// Elements of arrays: a name and subscripts.
pub type Elements = BTreeSet<(String, Vec<i64>)>;

/// What is copied to shared memory; what is read from there; and what of it was not copied.
pub fn tiles(ast: &Ast, parameters: &[i64]) -> (Elements, Elements, Elements) {
    let run = run(ast, parameters);
    (run.copied, run.read, run.missing)
}

fn run<'a>(ast: &'a Ast, parameters: &'a [i64]) -> Run<'a> {
    let iterators = vec![None; ast.n_iterators];
    let mut run = Run {
        parameters,
        iterators,
        trace: Vec::new(),
        places: Vec::new(),
        place: None,
        tiles: &[],
        copied: Elements::new(),
        read: Elements::new(),
        missing: Elements::new(),
        greatest: Cell::new(0),
    };
    run.node(&ast.root);
    run
}

struct Run<'a> {
    parameters: &'a [i64],
    iterators: Vec<Option<i64>>,
    trace: Vec<Instance>,
    /// Who executes each of them.
    places: Vec<Option<Place>>,
    /// Who is at hand.
    place: Option<Place>,
    /// The tiles around.
    tiles: &'a [SharedTile],
    copied: Elements,
    read: Elements,
    missing: Elements,
    greatest: Cell<i64>,
}

impl<'a> Run<'a> {
    fn node(&mut self, node: &'a Node) {
        match node {
            Node::Block(children) => children.iter().for_each(|child| self.node(child)),
            Node::For(node) => {
                let lower = node.lower.iter().map(|e| self.expr(e)).max().unwrap();
                let upper = node.upper.iter().map(|e| self.expr(e)).min().unwrap();
                let mut value = lower;
                while value < upper {
                    self.iterators[node.iterator.0] = Some(value);
                    self.node(&node.body);
                    value += node.step;
                    self.greatest.set(self.greatest.get().max(value));
                }
                self.iterators[node.iterator.0] = None;
            }
            Node::If(node) => {
                if self.cond(&node.cond) {
                    self.node(&node.then);
                } else if let Some(otherwise) = &node.otherwise {
                    self.node(otherwise);
                }
            }
            Node::Kernel(kernel) => {
                self.place = Some(Place::default());
                self.threads(&kernel.axes().collect::<Vec<_>>(), kernel.blocks.len(), &kernel.body);
                self.place = None;
            }
            Node::Shared(shared) => {
                if self.place.as_ref().is_some_and(|place| place.threads.iter().all(|thread| thread.number == 0)) {
                    for tile in &shared.tiles {
                        self.copy(tile, &mut Vec::new());
                    }
                }
                let around = std::mem::replace(&mut self.tiles, &shared.tiles);
                self.node(&shared.body);
                self.tiles = around;
            }
            Node::Call(call) => {
                self.look_up(call);
                let args = call.args.iter().map(|e| self.expr(e)).collect();
                self.trace.push((call.statement.0, args));
                self.places.push(self.place.clone());
            }
        }
    }

    /// Copies the elements of a tile that start with these subscripts.
    fn copy(&mut self, tile: &SharedTile, subscripts: &mut Vec<i64>) {
        let position = subscripts.len();
        let Some(origin) = tile.origin.get(position) else {
            if self.has(tile, subscripts) {
                self.copied.insert((tile.array.clone(), subscripts.clone()));
            }
            return;
        };
        let first = self.expr(origin);
        for subscript in first..first + tile.extent[position] {
            subscripts.push(subscript);
            self.copy(tile, subscripts);
            subscripts.pop();
        }
    }

    /// An element is in a tile.
    fn has(&mut self, tile: &SharedTile, subscripts: &[i64]) -> bool {
        let mut is_inside = true;
        for (position, subscript) in subscripts.iter().enumerate() {
            let first = self.expr(&tile.origin[position]);
            is_inside &= (first..first + tile.extent[position]).contains(subscript);
            self.iterators[tile.element[position].0] = Some(*subscript);
        }
        is_inside && self.cond(&tile.exists)
    }

    /// Looks for what a call reads from tiles.
    fn look_up(&mut self, call: &Call) {
        for tile in self.tiles {
            for (_, subscripts) in tile.reads.iter().filter(|(statement, _)| *statement == call.statement) {
                let argument = |IteratorId(position)| call.args.get(position).cloned();
                let composed = subscripts.iter().map(|one| one.substitute(&argument).unwrap());
                let element: Vec<i64> = composed.map(|subscript| self.expr(&subscript)).collect();
                let element = (tile.array.clone(), element);
                if !self.has(tile, &element.1) {
                    self.missing.insert(element.clone());
                }
                self.read.insert(element);
            }
        }
    }

    /// All blocks and threads of a kernel, one after the other; so many of the axes are of blocks.
    fn threads(&mut self, axes: &[&Axis], blocks: usize, body: &'a Node) {
        let Some((axis, rest)) = axes.split_first() else { return self.node(body) };
        let needed = axis.extent.iter().map(|e| self.expr(e)).max();
        let count = needed.into_iter().chain(axis.most).min().expect("a bound");
        let outer = self.place.clone();
        for number in 0..count {
            self.iterators[axis.iterator.0] = Some(number);
            let mut place = outer.clone().expect("a kernel");
            let numbers = if blocks > 0 { &mut place.blocks } else { &mut place.threads };
            numbers.push(Number { number, most: axis.most });
            self.place = Some(place);
            self.threads(rest, blocks.saturating_sub(1), body);
        }
        self.place = outer;
        self.iterators[axis.iterator.0] = None;
    }

    fn expr(&self, expr: &Expr) -> i64 {
        let value = self.value(expr);
        self.greatest.set(self.greatest.get().max(value.abs()));
        value
    }

    fn value(&self, expr: &Expr) -> i64 {
        match expr {
            Expr::Const(value) => *value,
            Expr::Parameter(position) => self.parameters[*position],
            Expr::Iterator(id) => self.iterators[id.0].expect("an iterator is used in its loop"),
            Expr::Add(a, b) => self.expr(a) + self.expr(b),
            Expr::Mul(factor, a) => factor * self.expr(a),
            Expr::FloorDiv(a, divisor) => self.expr(a).div_euclid(*divisor),
            Expr::Mod(a, divisor) => self.expr(a).rem_euclid(*divisor),
            Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => panic!("{expr:?} was not legalized"),
        }
    }

    fn cond(&self, cond: &Cond) -> bool {
        match cond {
            Cond::Compare(comparison, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                match comparison {
                    Comparison::Eq => a == b,
                    Comparison::Le => a <= b,
                    Comparison::Lt => a < b,
                    Comparison::Ge => a >= b,
                    Comparison::Gt => a > b,
                }
            }
            Cond::And(list) => list.iter().all(|c| self.cond(c)),
            Cond::Or(list) => list.iter().any(|c| self.cond(c)),
        }
    }
}

/// The instances of the scop in the order of a schedule, with the time of each: by isl's flat schedule map alone.
pub fn expected(scop: &Scop, schedule: &isl::Schedule, parameters: &[i64]) -> Vec<(Vec<i64>, Instance)> {
    let mut all = Vec::new();
    let order = schedule.map().unwrap();
    for (position, statement) in scop.statements.iter().enumerate() {
        let mut set = statement.domain.clone().intersect_params(scop.context.clone()).unwrap();
        let space = scop.context.space().unwrap();
        set = set.align_params(space).unwrap();
        for (i, value) in parameters.iter().enumerate() {
            set = set.fix_si(DimType::Param, i, i32::try_from(*value).unwrap()).unwrap();
        }
        for args in points(set) {
            let mut name = statement.domain.clone().align_params(scop.context.space().unwrap()).unwrap();
            for (i, value) in parameters.iter().enumerate() {
                name = name.fix_si(DimType::Param, i, i32::try_from(*value).unwrap()).unwrap();
            }
            for (i, value) in args.iter().enumerate() {
                name = name.fix_si(DimType::SET, i, i32::try_from(*value).unwrap()).unwrap();
            }
            let time = name.to_union_set().unwrap().apply(order.clone()).unwrap();
            let time = time.as_set().unwrap().sample_point().unwrap().multi_val().unwrap();
            let time = (0..time.size().unwrap()).map(|i| time.at(i as i32).unwrap().to_i64().unwrap()).collect();
            all.push((time, (position, args)));
        }
    }
    all.sort();
    all
}

/// All points of a set whose parameters are fixed.
pub fn points(set: isl::Set) -> Vec<Vec<i64>> {
    let n = set.dim(DimType::SET).unwrap();
    let mut prefixes = vec![(Vec::new(), set)];
    for dim in 0..n {
        let mut longer = Vec::new();
        for (prefix, set) in prefixes {
            if set.is_empty().unwrap() {
                continue;
            }
            let low = set.clone().dim_min_val(dim as i32).unwrap().to_i64().unwrap();
            let high = set.clone().dim_max_val(dim as i32).unwrap().to_i64().unwrap();
            for value in low..=high {
                let fixed = set.clone().fix_si(DimType::SET, dim, i32::try_from(value).unwrap()).unwrap();
                if !fixed.is_empty().unwrap() {
                    let mut prefix: Vec<i64> = prefix.clone();
                    prefix.push(value);
                    longer.push((prefix, fixed));
                }
            }
        }
        prefixes = longer;
    }
    prefixes.into_iter().filter(|(_, set)| !set.is_empty().unwrap()).map(|(point, _)| point).collect()
}
