"""What is found in code objects, against Python's own disassembler."""

import dis
import types

import numpy.lib._function_base_impl as numpy_functions
import pytest

from arraygrad.lifting import reach


def codes_in(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_in(constant)


def by_dis(code):
    for i in dis.get_instructions(code):
        if i.opname in reach._STORES_ITEMS:
            yield i.opname, ""
        elif i.opname == "BINARY_OP":
            yield i.opname, i.argrepr.partition(" ")[0]
        elif i.opname in reach._STEPS.values():
            yield i.opname, i.argval


@pytest.mark.parametrize("module", [dis, types, numpy_functions, reach, pytest])
def test_instructions(module):
    with open(module.__file__, encoding="utf-8") as file:
        source = file.read()
    many = "\n".join(f"def f{k}(): return name{k} + g(name{k}.attribute{k})" for k in range(600))
    tail = (
        "def last(o):\n    global name9\n    o.b = name599\n    name9 = o[name1] = name598 // 2\n"
    )
    for code in codes_in(compile(f"{source}\nif 0:\n pass\n{many}\n{tail}", "<m>", "exec")):
        assert [*reach._steps(code)] == [*by_dis(code)]


def test_arguments_of_more_than_a_byte():
    names = ", ".join(f"name{k}" for k in range(700))
    source = (
        f"def f(o):\n    global g\n    x = [{names}]\n    o.last, g = x, late\n    return g / o.c\n"
    )
    outer = compile(source, "<m>", "exec")
    code = next(c for c in outer.co_consts if isinstance(c, types.CodeType))
    assert [*reach._steps(code)] == [*by_dis(code)]
    facts = reach.facts(code)
    assert facts.globals == {"late", "g", *(f"name{k}" for k in range(700))}
    assert (facts.stored, facts.assigned) == ({"g"}, {"last"})
    assert (facts.divides, facts.writes, facts.rebinds) == (True, False, False)


def test_variables_of_functions_around():
    def outer():
        count, other = 0, 1

        def inner(d):
            nonlocal count
            count += other
            d[0] = count

        return inner

    facts = reach.facts(outer().__code__)
    assert facts.nonlocals == {"count"}
    assert (facts.rebinds, facts.writes) == (True, True)
    assert reach.facts(outer.__code__).rebinds
    assert reach.facts(outer.__code__).nonlocals == frozenset()
