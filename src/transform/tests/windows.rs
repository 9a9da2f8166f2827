//! Windows that are moved across pictures, with loops so short that compilers make no loops of them.

use super::*;

/// `for i, j: r[i][j] = 0; for p, q < 5: r[i][j] += f[p][q] * picture[...]`, with the length of the picture's rows and its subscripts.
fn window(length: &str, subscripts: &str) -> Scop {
    parsed(&text(length, subscripts))
}

fn parsed(text: &str) -> Scop {
    Scop::parse(&crate::isl::Ctx::new(), text).unwrap()
}

fn text(length: &str, subscripts: &str) -> String {
    format!(
        r#"scop: "window"
parameters: [n]
context: "[n] -> {{ : n > 0 }}"
arrays:
  picture: {{ kind: memory, element: f64, extent: ["?", {length}] }}
  f: {{ kind: memory, element: f64, extent: [5, 5] }}
  r: {{ kind: memory, element: f64, extent: ["?", {length}] }}
statements:
  Z:
    domain: "[n] -> {{ Z[i, j] : 0 <= i, j < n }}"
    accesses:
      - must_write R0: "{{ Z[i, j] -> r[i, j] }}"
  S:
    domain: "[n] -> {{ S[i, j, p, q] : 0 <= i, j < n and 0 <= p, q < 5 }}"
    accesses:
      - read R1: "{{ S[i, j, p, q] -> r[i, j] }}"
      - read R2: "{{ S[i, j, p, q] -> picture[{subscripts}] }}"
      - read R3: "{{ S[i, j, p, q] -> f[p, q] }}"
      - must_write R4: "{{ S[i, j, p, q] -> r[i, j] }}"
schedule:
  domain: "[n] -> {{ Z[i, j] : 0 <= i, j < n; S[i, j, p, q] : 0 <= i, j < n and 0 <= p, q < 5 }}"
  child:
    schedule: "[{{ Z[i, j] -> [(i)]; S[i, j, p, q] -> [(i)] }}]"
    child:
      schedule: "[{{ Z[i, j] -> [(j)]; S[i, j, p, q] -> [(j)] }}]"
      child:
        sequence:
          - filter: "{{ Z[i, j] }}"
          - filter: "{{ S[i, j, p, q] }}"
            child:
              schedule: "[{{ S[i, j, p, q] -> [(p)] }}]"
              child:
                schedule: "[{{ S[i, j, p, q] -> [(q)] }}]"
live_out: "{{ r[i, j] }}"
"#
    )
}

/// 8 doubles at a time, of which a line has as many, and takes 32 operations' 64ths each.
fn machine() -> Machine {
    Machine::parse("cores: 1\nline-cost: 4\nvector-bits: 512\nvector-registers: 32\ncaches: 48K, 2M, 32M/2").unwrap()
}

/// What the code as it is costs.
fn as_it_is(scop: &Scop) -> u64 {
    let Scheduled { constraints, deps, .. } = scheduled(scop, true);
    let tree = crate::schedule::original(&scop.schedule, &constraints).unwrap();
    let options = crate::transform::CpuOptions { parallel: false, ..Default::default() };
    cost(scop, &crate::transform::cpu(scop, &deps, &tree, options, &machine()).unwrap().tree, &machine()).unwrap()
}

#[test]
fn a_window_brings_one_new_element_a_step() {
    // The operation and the element, 8 each, and from memory one of 25.
    assert_eq!(as_it_is(&window("n + 4", "i + p, j + q")), 8 + 8 + 32 / 25);
    assert_eq!(as_it_is(&window("2004", "i + p, j + q")), 8 + 8 + 32 / 25);
    // Of rows of 8 MiB a core's own cache holds none until the next step down: all five come from memory.
    assert_eq!(as_it_is(&window("1048576", "i + p, j + q")), 8 + 8 + 5 * 32 / 25);
    // The rows of a window are not those of the one below.
    assert_eq!(as_it_is(&window("n + 4", "5i + p, j + q")), 8 + 8 + 5 * 32 / 25);
    // Two columns further right, a window brings two elements of each row, and every second one is picked from vectors.
    assert_eq!(as_it_is(&window("n + 4", "5i + p, 2j + q")), 8 + 2 * 8 + 5 * 2 * 32 / 25);
}

#[test]
fn a_window_has_its_values_in_registers_as_far_as_these_go() {
    let small = text("n + 4", "i + p, j + q");
    let large = small.replace("p, q < 5", "p, q < 7").replace("[5, 5]", "[7, 7]");
    assert_ne!(small, large);
    assert_eq!(as_it_is(&parsed(&large)), 8 + 8 + 8, "49 are loaded again and again");
}

#[test]
fn what_is_updated_in_memory_is_stored_in_each_round() {
    let begun = text("n + 4", "i + p, j + q");
    // What a program has in a variable begins somewhere.
    let other = begun
        .replace("Z[i, j] -> r[i, j] }", "Z[i, j] -> s[i, j] }")
        .replace("statements:", "  s: { kind: memory, element: f64, extent: [\"?\", \"?\"] }\nstatements:");
    assert_ne!(begun, other);
    assert_eq!(as_it_is(&parsed(&other)), 8 + 8 + 8 + 32 / 25);
}

#[test]
fn a_window_that_is_moved_down_shares_no_lines() {
    // A step of the loop that makes vectors goes to other lines.
    let columns = as_it_is(&window("n + 4", "j + q, i + p"));
    assert!(columns >= 8 + 64 + 100, "{columns}");
}

#[test]
fn tiles_of_a_window_are_long_along_the_rows_of_a_picture() {
    let reach = |scop: &Scop, machine: &Machine| {
        let Scheduled { deps, tree, .. } = scheduled(scop, true);
        let sizes = TileSizes::for_machine(machine);
        let tiled = interchange(scop, &tile(&tree, &sizes).unwrap(), machine).unwrap();
        let long = Some(LongTiles { rows: 256, threads: 1, packed: false });
        let conflicts = Conflicts::new(scop, &deps).unwrap();
        let cut = register_tile(scop, &tiled, &conflicts, &sizes, long, machine).unwrap();
        assert!(keeps(&cut, &deps.flow) && keeps(&cut, &deps.dep_false), "{cut}");
        assert_eq!((count(&cut, &Mark::Register), count(&cut, &Mark::Block)), (1, 2), "{cut}");
        let all = bands(&cut);
        let tiles = all.iter().find(|band| marks_above(band).unwrap() == [Mark::TILE]).unwrap();
        let points = all.iter().rfind(|band| marks_above(band).unwrap() == [Mark::Block]).unwrap();
        let (tiles, points) = (Band::read(tiles).unwrap(), Band::read(points).unwrap());
        let of = |number: usize| {
            let inside = points.members[number].clone().sub(tiles.members[number].clone()).unwrap();
            inside.max_val().unwrap().as_i64().unwrap().unwrap() + 1
        };
        [of(0), of(1)]
    };
    let scop = window("n + 4", "i + p, j + q");
    assert_eq!(reach(&scop, &machine()), [32, 2048]);
    let small = Machine { caches: Machine::generic().caches, ..machine() };
    assert_eq!(reach(&scop, &small)[1], i64::from(small.tile_columns()));
}
