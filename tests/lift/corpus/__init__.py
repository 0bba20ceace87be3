"""Plain NumPy code in the styles of public repositories: knows nothing of arraygrad."""
