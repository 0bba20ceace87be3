"""One module per chapter of the Array API standard; each op is one block."""


def load_all() -> None:
    """Import every module, so that every op is declared and every answer registered."""
    import importlib
    import pkgutil  # with `import arraygrad` it would cost more than any module here

    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{__name__}.{module.name}")
