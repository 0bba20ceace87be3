"""Small programs in plain NumPy. None imports arraygrad: that is the point of them."""
