"""How other libraries see a tensor: NumPy's protocols, DLPack."""
