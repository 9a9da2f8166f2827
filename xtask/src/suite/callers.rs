//! Kernels as functions of the host: their LLVM IR with the numbers of block and thread in variables, and C that calls
//! them for all blocks and threads.
//!
//! The threads of a block run one after the other, and where a kernel has barriers, from one to the next (`fibers.h`).

use anyhow::{Context, Result, bail};
use std::fmt::Write as _;

/// A kernel: its name, and the types of its parameters in C.
#[derive(Debug, PartialEq)]
pub struct Kernel {
    pub name: String,
    parameters: Vec<&'static str>,
    /// Whether threads wait for each other.
    waits: bool,
    /// What the threads of a block share.
    shared: Vec<Shared>,
}

/// An array that the threads of a block share: its name, the type of its elements in C, and how many there are.
#[derive(Clone, Debug, PartialEq)]
struct Shared {
    name: String,
    element: &'static str,
    count: usize,
}

/// What waits for all threads of a block.
const BARRIER: &str = "@llvm.nvvm.barrier.cta.sync.aligned.all(";

/// How arrays are marked that the threads of a block share.
const SHARED: &str = "addrspace(3)";

/// The kernels that LLVM IR defines.
///
/// # Errors
/// What a kernel has cannot be read, or the host has no such thing.
pub fn kernels(ir: &str) -> Result<Vec<Kernel>> {
    let arrays = shared(ir)?;
    let mut all = Vec::new();
    let mut lines = ir.lines();
    while let Some(line) = lines.find(|line| line.starts_with("define ptx_kernel void @")) {
        let told = || format!("cannot read {line}");
        let (name, rest) = line.split_once('@').and_then(|(_, rest)| rest.split_once('(')).with_context(told)?;
        let (list, _) = rest.rsplit_once(") ").with_context(told)?;
        let types = list.split(", ").filter(|parameter| !parameter.is_empty());
        let parameters = types.map(|parameter| c_type(parameter.split(' ').next().unwrap_or_default()));
        let parameters = parameters.collect::<Result<_>>().with_context(told)?;
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
        let uses = |array: &&Shared| {
            let name = format!("@{}", array.name);
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "_.$-".contains(c));
            body.iter().any(|line| line.split(&name).skip(1).any(ends))
        };
        let shared = arrays.iter().filter(uses).cloned().collect();
        let waits = body.iter().any(|line| line.contains(BARRIER));
        all.push(Kernel { name: name.to_owned(), parameters, waits, shared });
    }
    Ok(all)
}

/// The arrays that threads of blocks share: `@NAME = internal addrspace(3) global [8 x double] undef`.
fn shared(ir: &str) -> Result<Vec<Shared>> {
    let mut all = Vec::new();
    for line in ir.lines().filter(|line| line.starts_with('@') && line.contains(SHARED)) {
        let read = || {
            let (name, rest) = line[1..].split_once(" = ")?;
            let kind = rest.split_once(" global [")?.1.split_once(']')?.0;
            let (count, element) = kind.split_once(" x ")?;
            Some((name, count.parse().ok()?, element))
        };
        let told = || format!("cannot read {line}");
        let (name, count, element) = read().with_context(told)?;
        all.push(Shared { name: name.to_owned(), element: c_type(element).with_context(told)?, count });
    }
    Ok(all)
}

fn c_type(llvm: &str) -> Result<&'static str> {
    Ok(match llvm {
        "ptr" => "void *",
        "double" => "double",
        "float" => "float",
        "half" => "_Float16",
        "bfloat" => "__bf16",
        "i64" => "int64_t",
        "i32" => "int32_t",
        "i16" => "int16_t",
        "i8" => "int8_t",
        "i1" => "_Bool",
        other => bail!("the host has no type {other} for kernels"),
    })
}

/// The LLVM IR of kernels as the host's compiler takes it.
pub fn host_code(ir: &str, kernels: &[Kernel]) -> String {
    let mut host = ir.replace("ptx_kernel ", "");
    for (register, _) in REGISTERS {
        host = host.replace(&format!("@llvm.nvvm.read.ptx.sreg.{register}("), &format!("@\"stub.{register}\"("));
    }
    host = host.replace(BARRIER, "@\"stub.barrier\"(");
    for kernel in kernels {
        host = host.replace(&format!("@{}(", kernel.name), &format!("@\"stub.{}\"(", kernel.name));
    }
    // Who waits comes back when others have run.
    host = host.replace("convergent nocallback nounwind", "convergent nounwind");
    // Several threads of the host may run kernels.
    host = host.replace(&format!(" internal {SHARED} global "), " thread_local global ");
    host.replace(&format!("ptr {SHARED}"), "ptr")
}

/// The registers that kernels read, and what is in them.
const REGISTERS: [(&str, &str); 12] = [
    ("ctaid.x", "place[0]"),
    ("ctaid.y", "place[1]"),
    ("ctaid.z", "place[2]"),
    ("tid.x", "place[3]"),
    ("tid.y", "place[4]"),
    ("tid.z", "place[5]"),
    ("nctaid.x", "size[0]"),
    ("nctaid.y", "size[1]"),
    ("nctaid.z", "size[2]"),
    ("ntid.x", "size[3]"),
    ("ntid.y", "size[4]"),
    ("ntid.z", "size[5]"),
];

/// C with a function for each kernel that runs all its blocks and threads, as the stand-in wants them.
pub fn callers(kernels: &[Kernel]) -> String {
    // A program has them once, however many modules it has.
    let mut c = String::from("#define ONCE __attribute__((weak))\n");
    c += "ONCE _Thread_local unsigned place[6] __asm__(\"stub.place\"), size[6] __asm__(\"stub.size\");\n";
    c += include_str!("fibers.h");
    for (register, value) in REGISTERS {
        let symbol = register.replace('.', "_");
        // Writing to a string does not fail.
        let _ = writeln!(c, "ONCE unsigned {symbol}(void) __asm__(\"stub.{register}\");");
        let _ = writeln!(c, "unsigned {symbol}(void) {{ return {value}; }}");
    }
    for kernel in kernels {
        c += &caller(kernel);
    }
    c
}

/// The function of a kernel.
fn caller(Kernel { name, parameters, waits, shared }: &Kernel) -> String {
    let arguments = parameters.iter().enumerate();
    let arguments: Vec<String> = arguments.map(|(number, kind)| format!("*({kind} *)arguments[{number}]")).collect();
    let mut c = String::new();
    for Shared { name, element, count } in shared {
        let _ = writeln!(c, "extern _Thread_local {element} array_{name}[{count}] __asm__(\"{name}\");");
    }
    let _ = write!(
        c,
        "void body_{name}({}) __asm__(\"stub.{name}\");\n\
         static void thread_{name}(void **arguments) {{ (void)arguments, body_{name}({}); }}\n\
         void {name}(void **arguments, const unsigned grid[3], const unsigned block[3], unsigned shared) {{\n\
         (void)shared;\n\
         for (int axis = 0; axis < 3; axis++)\n  size[axis] = grid[axis], size[axis + 3] = block[axis];\n",
        parameters.join(", "),
        arguments.join(", ")
    );
    let over = |axes: [usize; 3]| {
        axes.map(|axis| format!("for (place[{axis}] = 0; place[{axis}] < size[{axis}]; place[{axis}]++)\n"))
    };
    c += &over([2, 1, 0]).concat();
    c += "{\n";
    for Shared { name, .. } in shared {
        // What a block does not write must not be what the one before it left.
        let _ = writeln!(c, "  memset(array_{name}, 0xff, sizeof array_{name});");
    }
    if *waits {
        let _ = writeln!(c, "  stub_run(thread_{name}, arguments);\n}}\n}}");
    } else {
        let _ = writeln!(c, "{}  thread_{name}(arguments);\n}}\n}}", over([5, 4, 3]).concat());
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_read_with_their_parameters() {
        let ir = "declare void @x(i32)\ndefine ptx_kernel void @f_1(i64 %0, ptr %1, double %2) #0 !reqd !1 {\n";
        let parameters = vec!["int64_t", "void *", "double"];
        let expected = Kernel { name: "f_1".to_owned(), parameters, waits: false, shared: Vec::new() };
        assert_eq!(kernels(ir).unwrap(), [expected]);
        assert!(kernels("define ptx_kernel void @f_1(<2 x float> %0) {").is_err());
    }

    /// Two kernels, of which the first has memory that its threads share, and a barrier.
    const SHARING: &str = "@__wg_f_1 = internal addrspace(3) global [8 x float] undef\n\
                           @__wg_f_10 = internal addrspace(3) global [2 x i64] undef\n\n\
                           define ptx_kernel void @f(ptr %0) #0 {\n  \
                           store float 1.0, ptr addrspace(3) @__wg_f_1, align 4\n  \
                           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  ret void\n}\n\n\
                           define ptx_kernel void @g(ptr %0) #0 {\n  \
                           %2 = load i64, ptr addrspace(3) @__wg_f_10\n  ret void\n}\n";

    #[test]
    fn kernels_are_read_with_what_their_threads_share() {
        let all = kernels(SHARING).unwrap();
        let [f, g] = &all[..] else { panic!("{all:?}") };
        assert!(f.waits && !g.waits);
        assert_eq!(f.shared, [Shared { name: "__wg_f_1".to_owned(), element: "float", count: 8 }]);
        assert_eq!(g.shared, [Shared { name: "__wg_f_10".to_owned(), element: "int64_t", count: 2 }]);
        assert!(kernels("@a = internal addrspace(3) global double undef\n").is_err());
    }

    #[test]
    fn only_kernels_that_wait_are_stepped() {
        let c = callers(&kernels(SHARING).unwrap());
        assert!(c.contains("extern _Thread_local float array___wg_f_1[8] __asm__(\"__wg_f_1\");\n"));
        assert!(
            c.contains("  memset(array___wg_f_1, 0xff, sizeof array___wg_f_1);\n  stub_run(thread_f, arguments);\n")
        );
        assert!(c.contains("place[3]++)\n  thread_g(arguments);\n"));
    }

    #[test]
    fn shared_memory_is_the_hosts() {
        let host = host_code(SHARING, &kernels(SHARING).unwrap());
        assert!(host.starts_with("@__wg_f_1 = thread_local global [8 x float] undef\n"));
        assert!(host.contains("  store float 1.0, ptr @__wg_f_1, align 4\n  call void @\"stub.barrier\"(i32 0)\n"));
        assert!(!host.contains("addrspace"));
    }
}
