"""The reverse pass on plain arrays, and the forms of the ops that most graphs have, compiled.

As in `_roads.pyx`: `_engine` and `_fused` have the definitions, and get what is not done here.
"""

cdef object LEAF = None, RESULT, ALIAS, FREED, PACKED, OVERWRITTEN, ADD_INTO, RAW
cdef object py_accumulate_one, py_added, py_deliver, py_gather, py_raw_form, py_receive
cdef object py_receive_result, py_run_hooks, py_spread, check_not_overwritten
cdef object heappop, heappush
cdef Py_ssize_t GRAD, OP_NAME, OP_RAW, OP_COMPUTES
cdef cnp.npy_intp FILL_UP_TO

# Places in a node, as in `_graph`.
cdef enum:
    SEQ = 0
    OP = 1
    INPUTS = 2
    VALUES = 3
    ATTRIBUTES = 4
    HOOKS = 5


def register_backward(op, tensor, heap, known, functions):
    """Tell the reverse pass of what it reads, and of what does the rest."""
    global LEAF, RESULT, ALIAS, FREED, PACKED, OVERWRITTEN, ADD_INTO, RAW
    global py_accumulate_one, py_added, py_deliver, py_gather, py_raw_form, py_receive
    global py_receive_result, py_run_hooks, py_spread, check_not_overwritten
    global heappop, heappush, GRAD, OP_NAME, OP_RAW, OP_COMPUTES
    GRAD, OP_NAME = slot_offset(tensor._grad), slot_offset(op.name)
    OP_RAW, OP_COMPUTES = slot_offset(op.raw), slot_offset(op.computes)
    heappop, heappush = heap
    LEAF, RESULT, ALIAS, FREED, PACKED, OVERWRITTEN, ADD_INTO, RAW = known
    (
        py_accumulate_one, py_added, py_deliver, py_gather, py_raw_form, py_receive,
        py_receive_result, py_run_hooks, py_spread, check_not_overwritten,
    ) = functions


# -- forms ----------------------------------------------------------------------------------------


def fused_form(form, dict table, tuple places):
    """`form`, which runs a fused backward kernel of `table`: few elements of one dtype here."""
    cdef Py_ssize_t first = places[0], last = places[len(places) - 1]
    cdef bint single = len(places) == 1

    def pull(list node, g):
        cdef PyObject *kernel = NULL
        saved = node[VALUES]
        if type(g) is ndarray and type(saved) is tuple:
            kernel = found_in(table, <object>dtype_of(g))
        if kernel is not NULL:
            fast = <object>kernel  # held: another thread may exchange it
            out = run_backward_loop(fast, g, saved[first], None if single else saved[last])
            if out is not None:
                return out
        return form(node, g)

    return pull


def multiply_form(form, both, dict products):
    """`_fused._multiply`: `both` is the form for two tracked factors, else a table has the kernels."""

    def pull(list node, g):
        cdef PyObject *kernel = NULL
        saved = node[VALUES]
        if type(g) is not ndarray or type(saved) is not tuple:
            return form(node, g)
        x1, x2 = saved[0], saved[1]
        if x1 is not None and x2 is not None:
            out = both(node, g)
            return form(node, g) if out is None else out
        first = (<tuple>node[INPUTS])[1] is None
        factor = x2 if first else x1
        if type(factor) is ndarray and is_float_array(g) and dtype_of(g) is dtype_of(factor):
            kernel = found_in(products, <object>dtype_of(g))
        if kernel is not NULL:
            fast = <object>kernel
            out = run_loop(fast, g, factor)
            if out is not None:
                return (out, None) if first else (None, out)
        return form(node, g)

    return pull


def sum_form(form, cnp.npy_intp fill_up_to):
    """`_fused._sum`, of one number for few elements."""

    def pull(list node, g):
        cdef cnp.npy_intp size = 0
        if type(g) is ndarray and not ndim_of(g) and is_float_array(g):
            shape = (<dict>node[ATTRIBUTES])["x_shape"]
            size = nbytes_of(g)
            for n in <tuple>shape:
                size *= <cnp.npy_intp>n
                if size > fill_up_to:
                    return form(node, g)
            return (filled(shape, g),)
        return form(node, g)

    return pull


# -- the walk -------------------------------------------------------------------------------------


cdef inline bint is_fresh(object c, object g):
    """Whether a cotangent lies in memory of its own."""
    if c is g:
        return False
    return base_of(c) is NULL if type(c) is ndarray else c.base is None


def walk(roots, bint keep, wanted, found, list arrived):
    """`_engine._walk_raw`: a reverse pass on arrays, everywhere, with nobody watching."""
    cdef dict pending = {}, leaves = {}
    cdef list heap = [], node, entry, parent, following
    cdef bint ours, next_ours = False, fresh, computes
    cdef Py_ssize_t i, count
    next_g = None
    for start, cotangent in roots:
        if start is not None:
            if pending:
                py_receive(RAW, pending, heap, start, cotangent._array, False)
            else:
                seq = start[SEQ]
                pending[seq] = [start, cotangent._array, False]
                heap.append(-seq)
    while heap:
        entry = pending.pop(-heappop(heap))
        node, g, ours = entry[0], entry[1], entry[2]
        entry = None
        while True:
            op = node[OP]
            if op is LEAF:
                py_gather(RAW, leaves, node, g, ours)
                break
            if len(node) > HOOKS and node[HOOKS]:
                g, ours = py_run_hooks(RAW, node, g), False
            if wanted is not None and node[SEQ] in wanted:
                py_deliver(found, node, g)
                ours = False
            if op is RESULT:
                py_receive_result(RAW, pending, heap, node[INPUTS][0], g, node[ATTRIBUTES])
                break
            if op is ALIAS and node[INPUTS][0] is None:
                break
            if OVERWRITTEN:
                check_not_overwritten(node)
            form = read_slot(op, OP_RAW)
            if form is None:
                form = op.raw = py_raw_form(op)
            values = node[VALUES]
            cotangents = None
            if type(g) is ndarray and values is not FREED and type(values) is not PACKED:
                name = read_slot(op, OP_NAME)
                if name in <dict>ADD_INTO:  # a part of the input: added where there is something
                    parent = node[INPUTS][0]
                    seq = parent[SEQ]
                    entry = leaves.get(seq) or pending.get(seq)
                    if entry is not None and entry[2] and ADD_INTO[name](entry[1], g, node):
                        if not keep and values is not None:
                            node[VALUES] = FREED
                        break
                    entry = None
                cotangents = form(node, g)
            if cotangents is None:
                py_spread(RAW, pending, heap, node, g, ours, None)
                if not keep and values is not None:
                    node[VALUES] = FREED
                values = None
                break
            if not keep and values is not None:
                node[VALUES] = FREED
            computes = read_slot(op, OP_COMPUTES)
            following = None
            inputs = <tuple>node[INPUTS]
            if type(cotangents) is not tuple and type(cotangents) is not list:
                cotangents = tuple(cotangents)
            count = min(len(inputs), len(cotangents))
            for i in range(count):
                parent = inputs[i]
                c = cotangents[i]
                if parent is None or c is None:
                    continue
                fresh = computes or is_fresh(c, g)
                seq = parent[SEQ]
                if parent[OP] is LEAF:
                    if seq in leaves:
                        py_gather(RAW, leaves, parent, c, fresh)
                    else:
                        leaves[seq] = [parent, c, fresh]
                elif following is None and seq not in pending:
                    following, next_g, next_ours = parent, c, fresh
                elif parent is following:
                    next_g, next_ours = py_added(next_g, c), True
                elif seq in pending:
                    py_gather(RAW, pending, parent, c, fresh)
                else:
                    pending[seq] = [parent, c, fresh]
                    heappush(heap, -seq)
            values = cotangents = c = parent = None  # what is used up may go
            if following is None:
                break
            seq = following[SEQ]
            if heap and seq < -heap[0]:  # another node comes first
                py_receive(RAW, pending, heap, following, next_g, next_ours)
                next_g = following = None
                break
            node, g, ours = following, next_g, next_ours
            next_g = following = None
        node = entry = None
        g = values = cotangents = None
    for entry in leaves.values():
        node, g, ours = entry[0], entry[1], entry[2]
        if len(node) > HOOKS and node[HOOKS]:
            g, ours = py_run_hooks(RAW, node, g), False
        if wanted is None:
            arrived.append((node, g, ours))
        elif node[SEQ] in wanted:
            py_deliver(found, node, g)


def accumulate(list arrived, bint recording):
    """`_engine._accumulate`: cotangents become, or are added to, the grad of the leaves' tensors."""
    cdef PyObject *old
    hooked = []
    for node, g, ours in arrived:
        attributes = <dict>(<list>node)[ATTRIBUTES]
        if "post_hooks" in attributes:
            hooked.append(node)
        if ours and not recording and type(g) is ndarray:
            if attributes["dtype"] is <object>dtype_of(g):
                tensor = attributes["tensor"]()
                if tensor is None:
                    continue
                if not has_grad(tensor):
                    write_slot(tensor, GRAD, wrapped(g))
                    continue
        py_accumulate_one(node, g, ours, recording)
    return hooked


cdef inline bint has_grad(object tensor):
    cdef PyObject *old = slot_of(tensor, GRAD)
    return old is not NULL and <object>old is not None


cdef inline object wrapped(object array):
    """`_apply.wrap` of an ndarray."""
    result = instance(TENSOR)
    write_slot(result, ARRAY, array)
    write_slot(result, FAMILY, None)
    write_slot(result, NODE, None)
    return result
