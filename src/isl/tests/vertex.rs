//! Whether there is an element at all is told right, by a point of the rational set (`cmake/isl-vertex.h`) or by isl's search.

use polyrs_isl::{Ctx, Set};

const SIDE: i64 = 5;

/// A condition `a x + b y + c z + d >= 0`, or `= 0`.
struct Condition {
    factors: [i64; 4],
    is_equation: bool,
}

impl Condition {
    fn random(random: &mut fastrand::Rng) -> Self {
        let factors = std::array::from_fn(|place| if place < 3 { random.i64(-4..=4) } else { random.i64(-9..=9) });
        Condition { factors, is_equation: random.u8(0..3) == 0 }
    }

    fn holds(&self, [x, y, z]: [i64; 3]) -> bool {
        let [a, b, c, d] = self.factors;
        let value = a * x + b * y + c * z + d;
        if self.is_equation { value == 0 } else { value >= 0 }
    }

    fn text(&self) -> String {
        let [a, b, c, d] = self.factors;
        format!("{a}x + {b}y + {c}z + {d} {} 0", if self.is_equation { "=" } else { ">=" })
    }
}

#[test]
fn sets_are_empty_where_none_of_their_points_is_an_integer() {
    let (ctx, mut random) = (Ctx::new(), fastrand::Rng::with_seed(1));
    let side = || -SIDE..=SIDE;
    let (mut empty, mut others) = (0, 0);
    for _ in 0..2_000 {
        let conditions: Vec<_> = (0..4).map(|_| Condition::random(&mut random)).collect();
        let points = side().flat_map(|x| side().flat_map(move |y| side().map(move |z| [x, y, z])));
        let expected = !points.into_iter().any(|point| conditions.iter().all(|one| one.holds(point)));
        let texts: Vec<_> = conditions.iter().map(Condition::text).collect();
        let bounds = ["x", "y", "z"].map(|name| format!("-{SIDE} <= {name} <= {SIDE}")).join(" and ");
        let text = format!("{{ [x, y, z] : {bounds} and {} }}", texts.join(" and "));
        assert_eq!(Set::parse(&ctx, &text).unwrap().is_empty().unwrap(), expected, "{text}");
        *if expected { &mut empty } else { &mut others } += 1;
    }
    assert!(empty > 200 && others > 200, "{empty} {others}");
}

#[test]
fn points_at_hand_take_no_search() {
    let ctx = Ctx::new();
    let text = "{ [t, i, j, k] : 32t <= i < 32t + 32 and 0 <= i < 4000 and j = 2i + k and 0 <= k <= i }";
    let set = Set::parse(&ctx, text).unwrap();
    let before = ctx.operations();
    assert!(!set.is_empty().unwrap());
    let taken = ctx.operations() - before;
    assert!(taken < 60, "{taken}");
}
