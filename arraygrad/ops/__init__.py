"""One module per chapter of the Array API standard; each op is one block."""
