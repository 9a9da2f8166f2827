// How a library of the plugin is linked to the compilers' own LLVM. For the build scripts of both.

/// Links libraries by the names that the compilers themselves load, and keeps what is built loaded.
fn link(llvm: &Path, libraries: &[&str]) -> Result<()> {
    let version = ask(llvm, "--version")?;
    let mut parts = version.split('.');
    let (Some(major), Some(minor)) = (parts.next(), parts.next()) else {
        return Err(format!("llvm-config --version says {version:?}").into());
    };
    let directory = ask(llvm, "--libdir")?;
    println!("cargo:rustc-link-arg=-Wl,--no-as-needed");
    println!("cargo:rustc-link-arg=-L{directory}");
    for library in libraries {
        println!("cargo:rustc-link-arg=-l:lib{library}.so.{major}.{minor}");
    }
    println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
    // The compilers close the plugin before their registries, which point into it, are gone; and what it keeps for
    // ever would then look lost to those who watch memory.
    println!("cargo:rustc-link-arg=-Wl,-z,nodelete");
    Ok(())
}
