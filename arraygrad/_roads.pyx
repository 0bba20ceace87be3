# cython: language_level=3, binding=True
"""The short roads, the operators and the reverse pass, compiled.

Each function does what the Python function of its name does for what most calls ask: exact
tensors and scalars, few elements, one dtype, no observers. Anything else it hands to that Python
function, which also says what is wrong. The Python functions are the definition: they run wherever
this module has not been built, and a test holds the two equal.

The slots of tensors and ops are read by their offsets: a look-up of an attribute costs ten times
as much. A slot that nothing has set raises AttributeError, as in Python.
"""

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.weakref cimport PyWeakref_NewRef

cdef extern from "_roads.h":
    Py_ssize_t slot_offset(object descriptor) except -1
    object read_slot(object o, Py_ssize_t offset)
    PyObject *slot_of(object o, Py_ssize_t offset)
    void write_slot(object o, Py_ssize_t offset, object value)
    object instance(object type)
    object next_of(object iterator)
    PyObject *found_in(object table, object key) except? NULL
    bint is_exactly(object o, object type)
    int PyDict_Next(object table, Py_ssize_t *place, PyObject **key, PyObject **value)
    int PyContextVar_Get(object var, PyObject *default_value, PyObject **value) except -1
    void Py_DECREF(PyObject *o)
    cnp.npy_intp nbytes_of(object array)
    int ndim_of(object array)
    PyObject *dtype_of(object array)
    bint same_shape(object a, object b)
    bint is_float_array(object array)
    bint is_number_array(object array)
    bint is_inexact_array(object array)
    object shape_of(object array)
    PyObject *base_of(object array)
    object from_scalar(object scalar)
    bint is_numpy_scalar(object o)
    long axis_of(object axis)
    object run_loop(object kernel, object a, object b)
    object run_backward_loop(object kernel, object g, object a, object b)
    object filled(object shape, object value)
    bint is_writeable(object array)
    bint has_objects(object array)
    bint has_geometry(object array, object shape, object strides)
    int holds_bytes(object array, object value)
    unsigned long tag_of(object cls)
    unsigned long new_tag_of(object cls)
    int fill_cells(object f, object values) except -1
    int add_references(object f, object counts) except -1
    bint is_atom(object o)
    bint is_code_alone(object f)
    PyObject *contents_of(object cell)
    int set_class(object descriptor, object o, object cls) except -1
    PyObject *known_records()
    void note_records(PyObject *records)
    void forget_records(PyObject *records)
    ctypedef struct PointerSet:
        pass
    void start_set(PointerSet *pointers)
    int add_to_set(PointerSet *pointers, PyObject *o) except -1
    bint is_in_set(PointerSet *pointers, PyObject *o)
    void empty_set(PointerSet *pointers)

VERSION = 9  # see `_compiled`

cnp.import_array()
cnp.import_ufunc()

cdef object ndarray = cnp.ndarray

# What `register` is told: classes, tables, Python functions, limits in bytes.
cdef object TENSOR = None, SCALAR = None
cdef object GRAD_MODE, COUNTER, OBSERVERS, CONSTANTS, ALL_AXES
cdef object py_unary, py_binary, py_reduction, py_product, py_viewed
cdef object py_node_of, py_keep, py_constant_beside, py_family_of
cdef object BROADCAST_TO, broadcast_array
cdef cnp.npy_intp SMALL, POOL_FROM, MAYBE_LARGE, FEW
# Offsets of the slots of tensors, families, storages and ops.
cdef Py_ssize_t ARRAY, NODE, FAMILY, EPOCH, SAVED
cdef Py_ssize_t FAMILY_EPOCH, FAMILY_STORAGE, STORAGE_ARRAY, STORAGE_TENSORS, STORAGE_TRIM_AT
cdef Py_ssize_t FAST, SHORT, KEPT_FLAGS, META, NEEDS_TEMPLATE


def register_views(tensor, family, storage, functions, broadcast_to):
    """Tell these roads of tensors and memory, and of broadcasts: the op and its kernel."""
    global ARRAY, NODE, FAMILY, EPOCH, SAVED
    global FAMILY_EPOCH, FAMILY_STORAGE, STORAGE_ARRAY, STORAGE_TENSORS, STORAGE_TRIM_AT
    global py_viewed, py_family_of, py_node_of, BROADCAST_TO, broadcast_array
    ARRAY, NODE = slot_offset(tensor._array), slot_offset(tensor._node)
    FAMILY, EPOCH = slot_offset(tensor._family), slot_offset(tensor._epoch)
    SAVED = slot_offset(tensor._saved)
    FAMILY_EPOCH, FAMILY_STORAGE = slot_offset(family.epoch), slot_offset(family.storage)
    STORAGE_ARRAY, STORAGE_TENSORS = slot_offset(storage._array), slot_offset(storage._tensors)
    STORAGE_TRIM_AT = slot_offset(storage._trim_at)
    py_viewed, py_family_of, py_node_of = functions
    BROADCAST_TO, broadcast_array = broadcast_to


def register_elementwise(op, state, limits, functions):
    """Tell these roads of ops and of the state that all of them read."""
    global GRAD_MODE, COUNTER, OBSERVERS, CONSTANTS, SMALL, POOL_FROM, MAYBE_LARGE
    global FAST, SHORT, KEPT_FLAGS, META, NEEDS_TEMPLATE
    global py_unary, py_binary, py_keep, py_constant_beside
    FAST, SHORT, KEPT_FLAGS = slot_offset(op.fast), slot_offset(op.short), slot_offset(op.kept_flags)
    META, NEEDS_TEMPLATE = slot_offset(op.meta), slot_offset(op.needs_template)
    GRAD_MODE, next_seq, OBSERVERS, CONSTANTS = state
    COUNTER = next_seq.__self__  # an iterator: its next() costs less than a call of its method
    SMALL, POOL_FROM, MAYBE_LARGE = limits
    py_unary, py_binary, py_keep, py_constant_beside = functions


def register_short(few, all_axes, functions):
    """Tell these roads of the short roads of reductions and products."""
    global FEW, ALL_AXES, py_reduction, py_product
    FEW, ALL_AXES = few, all_axes
    py_reduction, py_product = functions


def register_types(tensor, scalar):
    """Tell these roads which classes to make; others take the general roads."""
    global TENSOR, SCALAR
    TENSOR, SCALAR = tensor, scalar


# -- parts of a road ------------------------------------------------------------------------------


cdef inline bint is_ours(object x):
    """Whether x is a tensor or scalar, and of no class derived from these."""
    return is_exactly(x, TENSOR) or is_exactly(x, SCALAR)


cdef inline object node_of(object x):
    """The node of the current value of x."""
    family = read_slot(x, FAMILY)
    if family is not None and read_slot(x, EPOCH) != read_slot(family, FAMILY_EPOCH):
        return py_node_of(x)
    return read_slot(x, NODE)


cdef inline object kept(object x, object array):
    """`_storage.keep`: the array of x, marked as kept by a graph."""
    if read_slot(x, FAMILY) is not None:
        return py_keep(x)
    write_slot(x, SAVED, True)  # before asking again: another thread may be making the family
    return array if read_slot(x, FAMILY) is None else py_keep(x)


cdef inline object broadcast(object node, object array, object out):
    """The node of an operand in the shape of the result: its own, or that of its broadcast."""
    if node is None or same_shape(array, out):
        return node
    attributes = {"shape": shape_of(out), "x_shape": shape_of(array)}
    return [next_of(COUNTER), BROADCAST_TO, (node,), None, attributes]


cdef inline object kept_broadcast(object x, object array, bint broadcasts, object out):
    """`_elementwise._keep_broadcast`: the value to save of an operand, in the shape of its node."""
    array = kept(x, array)
    return broadcast_array(array, shape=shape_of(out)) if broadcasts else array


cdef inline bint is_recording() except -1:
    cdef PyObject *mode = NULL
    PyContextVar_Get(GRAD_MODE, NULL, &mode)
    recording = <object>mode
    Py_DECREF(mode)
    return recording


cdef inline bint may_be_large(object a, object b, cnp.npy_intp limit):
    """Whether an operand or the result may have `limit` bytes and more."""
    cdef cnp.npy_intp bytes1 = nbytes_of(a), bytes2 = nbytes_of(b)
    if bytes1 >= limit or bytes2 >= limit:
        return True
    return bytes1 * bytes2 >= MAYBE_LARGE and not same_shape(a, b)


cdef inline object kernel_of(object op, object array):
    """The kernel of an op for few elements of the dtype of an array, or None."""
    cdef PyObject *kernel = found_in(read_slot(op, FAST), <object>dtype_of(array))
    return None if kernel is NULL else <object>kernel


cdef inline object computed(object kernel, object a, object b, object loop):
    """The result of kernel(a, b), or kernel(a), as an array.

    Where `loop` is a ufunc instead, by its inner loop, or None.
    """
    if loop is not None:
        return run_loop(loop, a, b)
    out = run_loop(kernel, a, b)
    if out is None:
        out = kernel(a) if b is None else kernel(a, b)
        if type(out) is not ndarray:
            out = from_scalar(out)
    return out


cdef inline object tensor_over(object out, object node):
    """The tensor, or scalar, over an array in memory of its own that `node` made."""
    result = instance(TENSOR if ndim_of(out) else SCALAR)
    write_slot(result, ARRAY, out)
    write_slot(result, FAMILY, None)
    write_slot(result, NODE, node)
    if node is not None:
        write_slot(result, SAVED, True)
    return result


cdef inline object constant_of(object value, object dtype):
    """`_elementwise._constant_beside`: a number or NumPy array as an array of that dtype."""
    cdef PyObject *found
    kind = type(value)
    if kind is float or kind is int:
        # 0.0 and -0.0 would be one key
        found = found_in(CONSTANTS, (kind, value if value else repr(value), dtype))
        if found is not NULL:
            return <object>found
        return py_constant_beside(value, dtype)
    if kind is ndarray:
        return value if dtype_of(value) is <PyObject *>dtype else None
    if is_numpy_scalar(value):
        array = from_scalar(value)
        return array if dtype_of(array) is <PyObject *>dtype else None
    return None


# -- the roads of `_elementwise` ------------------------------------------------------------------


def unary(op, x):
    """Run an elementwise op of one argument."""
    out = quick_unary(op, x)
    return py_unary(op, x) if out is None else out


def binary(op, x1, x2):
    """Run an elementwise op of two arguments."""
    out = quick_binary(op, x1, x2, None)
    return py_binary(op, x1, x2) if out is None else out


cdef object quick_unary(object op, object x):
    """`unary` where that is quick, else None."""
    if OBSERVERS or not is_ours(x):
        return None
    array = read_slot(x, ARRAY)
    if type(array) is not ndarray or nbytes_of(array) >= POOL_FROM:
        return None
    kernel = kernel_of(op, array)
    if kernel is None:
        return None
    node = node_of(x)  # before the kernel, in which another thread may write to x
    out = computed(kernel, array, None, None)
    kept_flags = read_slot(op, KEPT_FLAGS)
    if node is None or kept_flags is None or not is_recording():
        return tensor_over(out, None)
    flags = kept_flags[0]
    values = None
    if flags is not None:
        values = (kept(x, array) if flags[0] else None, out if flags[1] else None)
    return tensor_over(out, [next_of(COUNTER), op, (node,), values, None])


cdef object quick_binary(object op, object x1, object x2, object loop):
    """`binary` where that is quick, else None; `loop`: the ufunc by whose loop alone, or None."""
    if not is_ours(x2):
        return quick_with_constant(op, x1, x2, False, loop) if is_ours(x1) else None
    if not is_ours(x1):
        return quick_with_constant(op, x2, x1, True, loop)
    a1, a2 = read_slot(x1, ARRAY), read_slot(x2, ARRAY)
    if OBSERVERS or type(a1) is not ndarray or type(a2) is not ndarray or dtype_of(a1) is not dtype_of(a2):
        return None
    kernel = kernel_of(op, a1) if loop is None else loop
    if kernel is None:
        return None
    node1, node2 = node_of(x1), node_of(x2)
    kept_flags = read_slot(op, KEPT_FLAGS)
    cdef bint recorded = (
        (node1 is not None or node2 is not None) and kept_flags is not None and is_recording()
    )
    if may_be_large(a1, a2, POOL_FROM if recorded else SMALL):
        return None
    try:
        out = computed(kernel, a1, a2, loop)
    except ValueError:  # shapes that do not broadcast: to be said in our words
        return None
    if out is None:
        return None
    if not recorded:
        return tensor_over(out, None)
    flags = kept_flags[2 if node1 is not None and node2 is not None else node1 is None]
    step1, step2 = broadcast(node1, a1, out), broadcast(node2, a2, out)
    values = None
    if flags is not None:
        values = (
            kept_broadcast(x1, a1, step1 is not node1, out) if flags[0] else None,
            kept_broadcast(x2, a2, step2 is not node2, out) if flags[1] else None,
            out if flags[2] else None,
        )
    return tensor_over(out, [next_of(COUNTER), op, (step1, step2), values, None])


cdef object quick_with_constant(object op, object x, object value, bint first, object loop):
    """An op of a tensor and a number or NumPy array; `first`: this is the first of the two."""
    array = read_slot(x, ARRAY)
    if OBSERVERS or type(array) is not ndarray:
        return None
    kernel = kernel_of(op, array) if loop is None else loop
    if kernel is None:
        return None
    constant = constant_of(value, <object>dtype_of(array))
    if constant is None:
        return None
    node = node_of(x)
    kept_flags = read_slot(op, KEPT_FLAGS)
    cdef bint recorded = node is not None and kept_flags is not None and is_recording()
    if may_be_large(array, constant, POOL_FROM if recorded else SMALL):
        return None
    try:
        if first:
            out = computed(kernel, constant, array, loop)
        else:
            out = computed(kernel, array, constant, loop)
    except ValueError:  # shapes that do not broadcast: to be said in our words
        return None
    if out is None:
        return None
    if not recorded:
        return tensor_over(out, None)
    flags = kept_flags[1 if first else 0]
    step = broadcast(node, array, out)
    values = None
    if flags is not None:
        other = mine = None
        if flags[0 if first else 1]:  # its owner may write to a NumPy array at any time
            other = constant.copy() if constant is value else constant
        if flags[1 if first else 0]:
            mine = kept_broadcast(x, array, step is not node, out)
        kept_out = out if flags[2] else None
        values = (other, mine, kept_out) if first else (mine, other, kept_out)
    nodes = (None, step) if first else (step, None)
    return tensor_over(out, [next_of(COUNTER), op, nodes, values, None])


# -- the roads of `_apply` and `_short` -----------------------------------------------------------


def viewed(op, x, array, out, name=None, value=None, shape=None):
    """The tensor over `out`, a NumPy view of `array`, that of x; recorded."""
    family = read_slot(x, FAMILY)
    if family is None:
        family = py_family_of(x)
    node = node_of(x)
    if node is not None:
        if not is_recording():
            return py_viewed(op, x, array, out, name, value, shape)
        attributes = value
        if shape is not None:
            attributes = {name: value, shape: shape_of(array)}
        elif name is not None:
            attributes = {name: value}
        node = [next_of(COUNTER), op, (node,), None, attributes]
    result = instance(TENSOR)
    write_slot(result, ARRAY, out)
    write_slot(result, NODE, node)
    write_slot(result, FAMILY, family)
    write_slot(result, EPOCH, read_slot(family, FAMILY_EPOCH))
    storage = read_slot(family, FAMILY_STORAGE)
    cdef list tensors = read_slot(storage, STORAGE_TENSORS)
    tensors.append(PyWeakref_NewRef(result, None))
    if len(tensors) > <Py_ssize_t>read_slot(storage, STORAGE_TRIM_AT):
        storage._trim()
    # The storage's array, not that of x: a write that moves the memory moves that one first.
    own = read_slot(storage, STORAGE_ARRAY)
    cdef PyObject *base = base_of(out)
    if base is not <PyObject *>own and out is not own and (
        type(own) is not ndarray or base is not base_of(own)
    ):
        storage._catch_up(result)
    return result


def reduction(op, x, axis, keepdims):
    """The result of reducing a tensor over all axes, or over one; None: by the general road."""
    array = read_slot(x, ARRAY)
    if OBSERVERS or keepdims is not False or type(array) is not ndarray:
        return py_reduction(op, x, axis, keepdims)
    cdef PyObject *forms = found_in(read_slot(op, SHORT), <object>dtype_of(array))
    cdef cnp.npy_intp nbytes = nbytes_of(array)
    if forms is NULL or <object>forms is None or not 0 < nbytes < FEW:
        return py_reduction(op, x, axis, keepdims)
    place, form = <tuple>(<object>forms)
    cdef int ndim = ndim_of(array)
    cdef long at
    if axis is None:
        flat = array if ndim == 1 else array.ravel("K")
        out = form(flat) if place is None else flat[place(flat)]
        axes = ALL_AXES[ndim]
    elif type(axis) is int:
        at = axis_of(axis)
        if at < 0:
            at += ndim
        if not 0 <= at < ndim:
            return py_reduction(op, x, axis, keepdims)
        out = form(array) if ndim == 1 else form(array, axis=at)
        axes = (at,)
    else:
        return py_reduction(op, x, axis, keepdims)
    if type(out) is not ndarray:
        out = from_scalar(out)
    node = node_of(x)
    kept_flags = read_slot(op, KEPT_FLAGS)
    if node is None or kept_flags is None or not is_recording():
        return tensor_over(out, None)
    attributes = {"axis": axes, "keepdims": False}
    if read_slot(op, META):  # of a reduction that is the shape
        attributes["x_shape"] = shape_of(array)
    if read_slot(op, NEEDS_TEMPLATE):
        attributes["result_like"] = (shape_of(out), <object>dtype_of(out))
    flags = kept_flags[0]
    values = None
    if flags is not None:
        values = (kept(x, array) if flags[0] else None, out if flags[1] else None)
    return tensor_over(out, [next_of(COUNTER), op, (node,), values, attributes])


def product(op, x1, x2):
    """The product of two matrices or vectors; None: by the general road."""
    a, b = read_slot(x1, ARRAY), read_slot(x2, ARRAY)
    if OBSERVERS or type(a) is not ndarray or type(b) is not ndarray:
        return py_product(op, x1, x2)
    if dtype_of(a) is not dtype_of(b) or not 0 < ndim_of(a) < 3 or not 0 < ndim_of(b) < 3:
        return py_product(op, x1, x2)
    cdef PyObject *found = found_in(read_slot(op, SHORT), <object>dtype_of(a))
    if found is NULL or <object>found is None:
        return py_product(op, x1, x2)
    form = <object>found  # held: another thread may exchange it
    node1, node2 = node_of(x1), node_of(x2)
    cdef bint recorded = (
        (node1 is not None or node2 is not None) and is_float_array(a) and is_recording()
    )
    if recorded and (nbytes_of(a) > FEW or nbytes_of(b) > FEW):
        return py_product(op, x1, x2)
    try:
        out = form(a, b)
    except (MemoryError, ValueError):  # shapes that do not fit: to be said in our words
        return None
    if type(out) is not ndarray:
        out = from_scalar(out)
    if not recorded:
        return tensor_over(out, None)
    values = (
        None if node2 is None else kept(x1, a), None if node1 is None else kept(x2, b), None
    )
    attributes = {"x1_shape": shape_of(a), "x2_shape": shape_of(b)}
    return tensor_over(out, [next_of(COUNTER), op, (node1, node2), values, attributes])


# -- NumPy's protocols ----------------------------------------------------------------------------

cdef object py_array_ufunc, py_array_function, ASKED, OURS, RAISED, in_our_class, out_of_memory


def register_protocols(asked, ours, raised, functions):
    """Tell these roads of NumPy's protocols."""
    global py_array_ufunc, py_array_function, ASKED, OURS, RAISED, in_our_class, out_of_memory
    ASKED, OURS, RAISED = asked, ours, raised
    py_array_ufunc, py_array_function, in_our_class, out_of_memory = functions


cdef inline bint are_ours(tuple values, int start):
    """Whether the values are tensors, arrays and numbers, whose classes have been met before."""
    cdef int i
    for i in range(start, len(values)):
        if type(values[i]) not in <set>OURS:
            return False
    return True


cdef object answered(object function, PyObject *found, object args, object kwargs):
    """answer(*args, **kwargs) for a function of NumPy's, errors as our classes."""
    answer = <object>found  # held: another answer may take its place while it runs
    try:
        return answer(*args, **kwargs) if kwargs else answer(*args)
    except MemoryError as error:
        raise out_of_memory(f"np.{function.__name__}", error) from error
    except RAISED as error:
        said = in_our_class(error, f"np.{function.__name__}")
        if said is error:
            raise
        raise said from error


def array_ufunc(*args, **kwargs):
    """Answer a NumPy ufunc that met a tensor: (x, ufunc, method, *inputs)."""
    cdef PyObject *answer = NULL
    if not kwargs and len(args) > 3 and args[2] == "__call__" and are_ours(args, 3):
        answer = found_in(ASKED, args[1])
    if answer is NULL:
        return py_array_ufunc(*args, **kwargs)
    return answered(args[1], answer, args[3:], None)


def array_function(x, func, types, args, kwargs):
    """Answer a NumPy function that met a tensor."""
    cdef PyObject *answer = NULL
    for kind in types:
        if kind not in <set>OURS:
            break
    else:
        answer = found_in(ASKED, func)
    if answer is NULL:
        return py_array_function(x, func, types, args, kwargs)
    return answered(func, answer, args, kwargs)


cdef object REFUSALS, concerns_numpy, answered_by_numpy, CONSTANT_TYPES


def register_ufuncs(asked, constants, refusals, functions):
    """Tell ufuncs of `arraygrad.numpy` which numbers are constants, and what to do with refusals."""
    global ASKED, CONSTANT_TYPES, REFUSALS, concerns_numpy, answered_by_numpy
    ASKED = asked
    CONSTANT_TYPES, REFUSALS = constants, refusals
    concerns_numpy, answered_by_numpy = functions


cdef class QuickUfunc:
    """What `numpy._ufuncs.Ufunc` does for tensors, beside tensors and numbers; `_call` the rest."""

    cdef object ufunc
    cdef Py_ssize_t count

    def answers(self, ufunc, Py_ssize_t count):
        """Say for which ufunc, of how many arguments."""
        self.ufunc, self.count = ufunc, count

    def __call__(self, *args, **kwargs):
        cdef PyObject *answer = NULL
        cdef bint any_ours = False
        if not kwargs and len(args) == self.count:
            for x in <tuple>args:
                if is_ours(x):
                    any_ours = True
                elif type(x) not in <frozenset>CONSTANT_TYPES:
                    break
            else:
                if any_ours:
                    answer = found_in(ASKED, self.ufunc)
        if answer is NULL:
            return self._call(*args, **kwargs)
        function = <object>answer  # held: another answer may take its place while it runs
        try:
            return function(*args)
        except REFUSALS:
            if not concerns_numpy(self.ufunc, args, kwargs):
                raise
        return answered_by_numpy(self.ufunc, args, kwargs)


# -- operators ------------------------------------------------------------------------------------


cdef inline bint is_float(object x):
    """Whether a tensor or scalar is of float64 or float32."""
    array = read_slot(x, ARRAY)
    return type(array) is ndarray and is_float_array(array)


def operator(find, method, *, scalar=None, bint reflected=False, bint compares=False):
    """A method for the operator of an elementwise op: `method`, which it stands for, compiled.

    find : gives the op, which is not imported before somebody needs it
    scalar : of scalars, the ufunc whose inner loop does what NumPy's scalars do. They warn in words
        of their own: what would warn is left to `method`, and no kernel need be known.
    reflected : the tensor is the second operand
    compares : numbers beside integers are left to `method`, which compares them exactly
    """
    op = None

    def compiled(self, other, /):
        nonlocal op
        if op is None:
            op = find()
        kind = type(other)
        out = None
        if is_ours(self) and (scalar is None or is_float(self)):
            if is_ours(other):
                loop = scalar if is_exactly(other, SCALAR) else None
                out = quick_binary(op, other, self, loop) if reflected else quick_binary(
                    op, self, other, loop
                )
            elif kind is float or kind is int or kind is ndarray:
                if not compares or is_float(self):
                    loop = None if kind is ndarray else scalar
                    out = quick_with_constant(op, self, other, reflected, loop)
        return method(self, other) if out is None else out

    return named_as(compiled, method)


def prefix_operator(find, method):
    """A method for the operator of an elementwise op of one argument, compiled."""
    op = None

    def compiled(self, /):
        nonlocal op
        if op is None:
            op = find()
        out = quick_unary(op, self) if is_ours(self) and is_float(self) else None
        return method(self) if out is None else out

    return named_as(compiled, method)


cdef inline bint is_plain(object part):
    """`keys.is_plain`: whether a part of an index is a basic one that needs no conversion."""
    kind = type(part)
    if kind is slice:
        return is_plain_bound(part.start) and is_plain_bound(part.stop) and is_plain_bound(
            part.step
        )
    return kind is int or part is None or part is Ellipsis


cdef inline bint is_plain_bound(object bound):
    return bound is None or type(bound) is int


cdef bint is_basic(object key):
    """`keys.is_basic`: whether an index gives a view and needs no conversion."""
    if type(key) is not tuple:
        return is_plain(key)
    for part in <tuple>key:
        if not is_plain(part):
            return False
    return True


def item_getter(find, method):
    """A method for ``x[key]`` with the op that `find` gives: `method`, compiled."""
    op = None

    def compiled(self, key, /):
        nonlocal op
        if not is_exactly(self, TENSOR) or not is_basic(key):
            return method(self, key)
        array = read_slot(self, ARRAY)
        if type(array) is not ndarray or not ndim_of(array) or not is_number_array(array):
            return method(self, key)
        try:
            out = array[key]
        except (IndexError, TypeError, ValueError):  # to be said in our words
            return method(self, key)
        if op is None:
            op = find()
        if type(out) is ndarray:
            return viewed(op, self, array, out, "key", key, "shape")
        # An element: a scalar, which owns its memory.
        node = node_of(self)
        if node is not None:
            if is_inexact_array(array) and is_recording():
                attributes = {"key": key, "shape": shape_of(array)}
                node = [next_of(COUNTER), op, (node,), None, attributes]
            else:
                node = None
        result = instance(SCALAR)
        write_slot(result, ARRAY, from_scalar(out))
        write_slot(result, FAMILY, None)
        write_slot(result, NODE, node)
        return result

    return named_as(compiled, method)


cdef object named_as(object function, object method):
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(function, attribute, getattr(method, attribute))
    return function


include "_roads_backward.pxi"
include "_roads_lifting.pxi"
include "_roads_handed.pxi"
include "_roads_calls.pxi"
