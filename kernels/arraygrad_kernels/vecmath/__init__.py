"""Elementary functions that LLVM vectorises: plain Python arithmetic on fixed-width floats."""
