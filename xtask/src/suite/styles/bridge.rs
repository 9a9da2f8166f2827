//! What lies between a program in C and a subroutine in Fortran: arrays in the form that the style has, and copies.

use super::driver::{Numbers, main_program};
use super::forms::{Language, Shape};
use super::fortran::{allocatable, arguments, broken, element_type, extents};
use super::notation::{Array, Kernel};

/// The module `bridge`.
pub fn module(kernel: &Kernel, shape: Shape) -> String {
    let sizes: Vec<String> = kernel.sizes.iter().map(|size| size.name.clone()).collect();
    let values: Vec<String> = kernel.values.iter().map(|value| value.name.clone()).collect();
    let flats: Vec<String> = kernel.arrays.iter().map(|array| format!("{}_flat", array.name)).collect();
    let mut text = "module bridge\n  use styles\n  implicit none\n".to_owned();
    match shape {
        Shape::Module => {}
        Shape::Component => text += "  type(problem) :: self\n",
        _ => kernel.arrays.iter().for_each(|array| text += &broken(1, &allocatable(array))),
    }
    text += "contains\n";
    let head = |name: &str, given: &[String]| {
        let line = format!("subroutine {name}({}) bind(C, name=\"{name}\")", given.join(", "));
        broken(1, &line) + &broken(2, &format!("integer, value :: {}", sizes.join(", ")))
    };
    let flat = |array: &Array, intent: &str| {
        let (element, name) = (element_type(array.element), &array.name);
        broken(2, &format!("{element}, intent({intent}) :: {name}_flat({})", extents(array).join(", ")))
    };
    let place = |array: &Array| match shape {
        Shape::Component => format!("self%{}", array.name),
        _ => array.name.clone(),
    };
    let given = [&sizes[..], &flats[..]].concat();
    text += &head("load_arrays", &given);
    kernel.arrays.iter().for_each(|array| text += &flat(array, "in"));
    for array in &kernel.arrays {
        let (name, place) = (&array.name, place(array));
        text += &broken(2, &format!("if (.not. allocated({place})) allocate({place}({}))", extents(array).join(", ")));
        text += &broken(2, &format!("{place} = {name}_flat"));
    }
    text += "  end subroutine\n";
    text += &head("store_arrays", &given);
    kernel.arrays.iter().for_each(|array| text += &flat(array, "out"));
    for array in &kernel.arrays {
        text += &broken(2, &format!("{}_flat = {}", array.name, place(array)));
    }
    text += "  end subroutine\n";
    text += &head("call_kernel", &[&sizes[..], &values[..]].concat());
    for value in &kernel.values {
        text += &broken(2, &format!("{}, value :: {}", element_type(value.element), value.name));
    }
    let leading = |array: &Array| extents(array)[0].clone();
    text += &broken(2, &format!("call kernel({})", arguments(kernel, shape, &leading).join(", ")));
    text + "  end subroutine\nend module\n"
}

/// The program in C.
pub fn program(numbers: Numbers<'_>) -> String {
    let kernel = numbers.kernel;
    let flats: Vec<String> = kernel.arrays.iter().map(|array| format!("{}_flat", array.name)).collect();
    let types = |count: usize, kind: &str| vec![kind.to_owned(); count];
    let declared = [types(kernel.sizes.len(), "int"), types(flats.len(), "void *")].concat().join(", ");
    let values =
        kernel.values.iter().map(|value| super::c_storage::element_type(value.element, Language::C).to_owned());
    let called = [types(kernel.sizes.len(), "int"), values.collect()].concat().join(", ");
    let numbered = kernel.values.iter().map(|value| value.number.clone()).collect::<Vec<_>>();
    let given = [numbers.sizes(), flats].concat().join(", ");
    let own = format!(
        "void load_arrays({declared});\nvoid store_arrays({declared});\nvoid call_kernel({called});\n\
         static void load(void) {{ load_arrays({given}); }}\n\
         static void call(void) {{ call_kernel({}); }}\n\
         static void store(void) {{ store_arrays({given}); }}\n",
        [numbers.sizes(), numbered].concat().join(", ")
    );
    main_program(numbers, Language::Fortran, &own)
}
