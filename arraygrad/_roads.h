/* What `_roads.pyx` needs of C: slots by their offsets, NumPy's arrays, inner loops of ufuncs. */

#include <structmember.h>
#include <fenv.h>
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

static Py_ssize_t slot_offset(PyObject *descriptor)
{
    if (Py_TYPE(descriptor) != &PyMemberDescr_Type) {
        PyErr_SetString(PyExc_TypeError, "not the descriptor of a slot");
        return -1;
    }
    return ((PyMemberDescrObject *)descriptor)->d_member->offset;
}

#define SLOT(o, offset) (*(PyObject **)((char *)(o) + (offset)))

static inline PyObject *read_slot(PyObject *o, Py_ssize_t offset)
{
    PyObject *value = SLOT(o, offset);
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "a slot of this object has not been set");
        return NULL;
    }
    Py_INCREF(value);
    return value;
}

/* A borrowed reference, or NULL where nothing has set the slot. */
static inline PyObject *slot_of(PyObject *o, Py_ssize_t offset) { return SLOT(o, offset); }

static inline void write_slot(PyObject *o, Py_ssize_t offset, PyObject *value)
{
    PyObject *old = SLOT(o, offset);
    Py_INCREF(value);
    SLOT(o, offset) = value;
    Py_XDECREF(old);
}

/* An instance with empty slots, as object.__new__ makes it. */
static inline PyObject *instance(PyObject *type)
{
    return ((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, 0);
}

static inline PyObject *next_of(PyObject *iterator)
{
    return Py_TYPE(iterator)->tp_iternext(iterator);
}

/* A borrowed reference, or NULL without an error where there is no such key. */
static inline PyObject *found_in(PyObject *table, PyObject *key)
{
    return PyDict_GetItemWithError(table, key);
}

static inline int is_exactly(PyObject *o, PyObject *type)
{
    return Py_TYPE(o) == (PyTypeObject *)type;
}

/* Of ndarrays, which the callers have made sure of. */
#define AS_ARRAY(o) ((PyArrayObject *)(o))
static inline npy_intp nbytes_of(PyObject *array) { return PyArray_NBYTES(AS_ARRAY(array)); }
static inline int ndim_of(PyObject *array) { return PyArray_NDIM(AS_ARRAY(array)); }
static inline PyObject *dtype_of(PyObject *array)
{
    return (PyObject *)PyArray_DESCR(AS_ARRAY(array));
}
static inline int same_shape(PyObject *a, PyObject *b)
{
    return PyArray_SAMESHAPE(AS_ARRAY(a), AS_ARRAY(b));
}
static inline int is_float_array(PyObject *array)
{
    int type = PyArray_TYPE(AS_ARRAY(array));
    return type == NPY_DOUBLE || type == NPY_FLOAT;
}
static inline int is_number_array(PyObject *array)
{
    int type = PyArray_TYPE(AS_ARRAY(array));
    return PyTypeNum_ISNUMBER(type) || PyTypeNum_ISBOOL(type);
}
static inline int is_inexact_array(PyObject *array)
{
    int type = PyArray_TYPE(AS_ARRAY(array));
    return PyTypeNum_ISFLOAT(type) || PyTypeNum_ISCOMPLEX(type);
}
static inline PyObject *shape_of(PyObject *array)
{
    return PyArray_IntTupleFromIntp(ndim_of(array), PyArray_DIMS(AS_ARRAY(array)));
}
static inline PyObject *base_of(PyObject *array) /* borrowed; NULL: none */
{
    return PyArray_BASE(AS_ARRAY(array));
}
/* What np.array makes of a result: a NumPy scalar, or whatever else a kernel has returned. */
static inline PyObject *from_scalar(PyObject *scalar)
{
    if (PyArray_IsScalar(scalar, Generic)) { /* most */
        return PyArray_FromScalar(scalar, NULL);
    }
    return PyArray_FromAny(
        scalar, NULL, 0, 0, NPY_ARRAY_ENSUREARRAY | NPY_ARRAY_ENSURECOPY, NULL
    );
}
static inline int is_numpy_scalar(PyObject *o)
{
    return PyArray_IsScalar(o, Generic);
}
/* A small integer; what does not fit, which is no axis either, is the largest one. */
static inline long axis_of(PyObject *axis)
{
    int overflow;
    long value = PyLong_AsLongAndOverflow(axis, &overflow);
    return overflow ? LONG_MAX : value;
}
/* The inner loop of a ufunc for operands of one dtype. NumPy takes 0.4 us to find it, to lay out
   its iteration and to look for warnings; for a few elements in order there is nothing to lay
   out. What a kernel has no loop for, and whatever raises a flag of the floating-point unit, is
   left to the ufunc, which warns as the user has asked for. */
typedef struct {
    PyObject *kernel, *dtype; /* of which this is the loop; held */
    int nin, nout;
    PyUFuncGenericFunction function; /* NULL: there is none */
    void *data;
    PyArray_Descr *out; /* of all results */
} Loop;

#define LOOPS 1024
#define LOOP_ELEMENTS 1024
#define MAX_OUT 3
#define FLAGS (FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID)
static Loop loops[LOOPS];

static Loop find_loop(PyObject *kernel, PyObject *dtype, int nin)
{
    Loop loop = {kernel, dtype, nin, 0, NULL, NULL, NULL};
    PyUFuncObject *ufunc = (PyUFuncObject *)kernel;
    int type = ((PyArray_Descr *)dtype)->type_num;
    if (Py_TYPE(kernel) != &PyUFunc_Type || ufunc->nin != nin || ufunc->nout > MAX_OUT
        || ufunc->core_enabled || !(PyTypeNum_ISNUMBER(type) || PyTypeNum_ISBOOL(type))) {
        return loop;
    }
    loop.nout = ufunc->nout;
    for (int i = 0; i < ufunc->ntypes; i++) {
        const char *types = ufunc->types + i * (nin + loop.nout);
        int fits = types[nin] <= NPY_CLONGDOUBLE;
        for (int k = 0; k < nin + loop.nout; k++) {
            fits = fits && types[k] == (k < nin ? type : types[nin]);
        }
        if (fits) {
            loop.out = PyArray_DescrFromType(types[nin]);
            loop.data = ufunc->data == NULL ? NULL : ufunc->data[i];
            loop.function = ufunc->functions[i];
            break;
        }
    }
    return loop;
}

/* Puts a loop into the table; what it takes the place of may run code when it goes. */
static void keep_loop(Loop *place, Loop loop)
{
    Loop old = *place;
    Py_INCREF(loop.kernel);
    Py_INCREF(loop.dtype);
    *place = loop;
    Py_XDECREF(old.kernel);
    Py_XDECREF(old.dtype);
    Py_XDECREF((PyObject *)old.out);
}

/* The loop of a kernel, from the table or put there now. */
static inline Loop known_loop(PyObject *kernel, PyObject *dtype, int nin)
{
    size_t key = ((size_t)kernel >> 4) ^ ((size_t)dtype >> 4) * 31;
    Loop loop = loops[key % LOOPS];
    if (loop.kernel != kernel || loop.dtype != dtype || loop.nin != nin) {
        loop = find_loop(kernel, dtype, nin);
        keep_loop(&loops[key % LOOPS], loop);
    }
    return loop;
}

/* A new array in the dtype of a loop's results. */
static inline PyObject *result_of(Loop loop, PyObject *like)
{
    Py_INCREF(loop.out);
    return PyArray_NewFromDescr(
        &PyArray_Type, loop.out, ndim_of(like), PyArray_DIMS(AS_ARRAY(like)), NULL, NULL, 0, NULL
    );
}

/* Whether the loop has run without raising a flag. */
static inline int runs(Loop loop, char **data, npy_intp n, npy_intp *steps)
{
    if (fetestexcept(FLAGS)) {
        feclearexcept(FLAGS);
    }
    loop.function(data, &n, steps, loop.data);
    if (fetestexcept(FLAGS) || PyErr_Occurred()) {
        feclearexcept(FLAGS);
        PyErr_Clear();
        return 0;
    }
    return 1;
}

/* kernel(a, b), or kernel(a) if b is None: a new array; None if that is left to the kernel. */
static PyObject *run_loop(PyObject *kernel, PyObject *a, PyObject *b)
{
    if (b == Py_None) {
        b = NULL;
    }
    Loop loop = known_loop(kernel, dtype_of(a), b == NULL ? 1 : 2);
    PyObject *shaped = b != NULL && !ndim_of(a) ? b : a;
    npy_intp n = PyArray_SIZE(AS_ARRAY(shaped)), step = PyArray_ITEMSIZE(AS_ARRAY(a));
    if (loop.function == NULL || loop.nout != 1 || n < 1 || n > LOOP_ELEMENTS
        || !PyArray_ISCARRAY_RO(AS_ARRAY(a))
        || (b != NULL
            && (!PyArray_ISCARRAY_RO(AS_ARRAY(b))
                || (ndim_of(a) && ndim_of(b) && !same_shape(a, b))))) {
        Py_RETURN_NONE;
    }
    PyObject *out = result_of(loop, shaped);
    if (out == NULL) {
        return NULL;
    }
    char *data[3] = {PyArray_BYTES(AS_ARRAY(a)), PyArray_BYTES(AS_ARRAY(out)), NULL};
    npy_intp steps[3] = {ndim_of(a) ? step : 0, PyArray_ITEMSIZE(AS_ARRAY(out)), 0};
    if (b != NULL) {
        data[2] = data[1];
        steps[2] = steps[1];
        data[1] = PyArray_BYTES(AS_ARRAY(b));
        steps[1] = ndim_of(b) ? step : 0;
    }
    if (!runs(loop, data, n, steps)) {
        Py_DECREF(out);
        Py_RETURN_NONE;
    }
    return out;
}

/* The tuple of what a backward kernel gives for a cotangent and one or two values (else None), all
   of one shape and dtype; None if that is left to the kernel. */
static PyObject *run_backward_loop(PyObject *kernel, PyObject *g, PyObject *a, PyObject *b)
{
    PyObject *inputs[3] = {g, a, b};
    int nin = b == Py_None ? 2 : 3;
    Loop loop = known_loop(kernel, dtype_of(g), nin);
    npy_intp n = PyArray_SIZE(AS_ARRAY(g));
    if (loop.function == NULL || n < 1 || n > LOOP_ELEMENTS) {
        Py_RETURN_NONE;
    }
    char *data[3 + MAX_OUT];
    npy_intp steps[3 + MAX_OUT];
    for (int i = 0; i < nin; i++) {
        PyObject *x = inputs[i];
        if (Py_TYPE(x) != &PyArray_Type || dtype_of(x) != dtype_of(g) || !same_shape(x, g)
            || !PyArray_ISCARRAY_RO(AS_ARRAY(x))) {
            Py_RETURN_NONE;
        }
        data[i] = PyArray_BYTES(AS_ARRAY(x));
        steps[i] = PyArray_ITEMSIZE(AS_ARRAY(x));
    }
    PyObject *outs = PyTuple_New(loop.nout);
    if (outs == NULL) {
        return NULL;
    }
    for (int i = 0; i < loop.nout; i++) {
        PyObject *out = result_of(loop, g);
        if (out == NULL) {
            Py_DECREF(outs);
            return NULL;
        }
        PyTuple_SET_ITEM(outs, i, out);
        data[nin + i] = PyArray_BYTES(AS_ARRAY(out));
        steps[nin + i] = PyArray_ITEMSIZE(AS_ARRAY(out));
    }
    if (!runs(loop, data, n, steps)) {
        Py_DECREF(outs);
        Py_RETURN_NONE;
    }
    return outs;
}

/* A new array of one value in each place; the value is a 0-d array. */
static PyObject *filled(PyObject *shape, PyObject *value)
{
    npy_intp dims[NPY_MAXDIMS];
    Py_ssize_t ndim = PyTuple_GET_SIZE(shape);
    for (Py_ssize_t i = 0; i < ndim; i++) {
        dims[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i));
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyArray_Descr *dtype = PyArray_DESCR(AS_ARRAY(value));
    Py_INCREF(dtype);
    PyObject *out = PyArray_NewFromDescr(&PyArray_Type, dtype, (int)ndim, dims, NULL, NULL, 0, NULL);
    if (out == NULL) {
        return NULL;
    }
    npy_intp n = PyArray_SIZE(AS_ARRAY(out)), size = PyArray_ITEMSIZE(AS_ARRAY(out));
    char *to = PyArray_BYTES(AS_ARRAY(out)), *from = PyArray_BYTES(AS_ARRAY(value));
    if (size == 8) {
        for (npy_intp i = 0; i < n; i++) {
            memcpy(to + 8 * i, from, 8);
        }
    } else {
        for (npy_intp i = 0; i < n; i++) {
            memcpy(to + size * i, from, size);
        }
    }
    return out;
}

static inline int is_writeable(PyObject *array) { return PyArray_ISWRITEABLE(AS_ARRAY(array)); }

static inline int has_objects(PyObject *array)
{
    return PyDataType_REFCHK(PyArray_DESCR(AS_ARRAY(array)));
}

static int has_numbers(PyObject *tuple, const npy_intp *numbers, int count)
{
    if (PyTuple_GET_SIZE(tuple) != count) {
        return 0;
    }
    for (int i = 0; i < count; i++) {
        if (PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i)) != numbers[i]) {
            return 0;
        }
    }
    return 1;
}

static int has_geometry(PyObject *array, PyObject *shape, PyObject *strides)
{
    int ndim = ndim_of(array);
    return has_numbers(shape, PyArray_DIMS(AS_ARRAY(array)), ndim)
        && has_numbers(strides, PyArray_STRIDES(AS_ARRAY(array)), ndim);
}

/* Whether an array in order holds these bytes; -1: it is not in order. */
static int holds_bytes(PyObject *array, PyObject *bytes)
{
    if (!PyArray_IS_C_CONTIGUOUS(AS_ARRAY(array))) {
        return -1;
    }
    npy_intp size = PyArray_NBYTES(AS_ARRAY(array));
    return PyBytes_GET_SIZE(bytes) == size
        && memcmp(PyArray_BYTES(AS_ARRAY(array)), PyBytes_AS_STRING(bytes), size) == 0;
}

/* The number that Python gives to the state of a class, for its own look-ups; 0: it has none now.
   Whatever is bound in the class or in one of its bases takes it away. */
static inline unsigned long tag_of(PyObject *cls)
{
    return ((PyTypeObject *)cls)->tp_version_tag;
}

/* The same; a class that has none gets one, unless it has had as many as Python gives. */
static inline unsigned long new_tag_of(PyObject *cls)
{
    static PyObject *name = NULL;
    if (!tag_of(cls)) {
        if (name == NULL && (name = PyUnicode_InternFromString("__init__")) == NULL) {
            PyErr_Clear();
            return 0;
        }
        _PyType_Lookup((PyTypeObject *)cls, name);
    }
    return tag_of(cls);
}

/* Numbers and text of Python's own, which hold nothing; most values are. */
static inline int is_atom(PyObject *o)
{
    return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || o == Py_None || PyUnicode_CheckExact(o)
        || PyBool_Check(o);
}

/* Whether a function has no variables, defaults or attributes. */
static inline int is_code_alone(PyObject *f)
{
    PyFunctionObject *function = (PyFunctionObject *)f;
    return function->func_closure == NULL && function->func_defaults == NULL
        && function->func_kwdefaults == NULL
        && (function->func_dict == NULL || !PyDict_GET_SIZE(function->func_dict));
}

/* What a closure cell holds, borrowed; NULL: nothing. */
static inline PyObject *contents_of(PyObject *cell)
{
    return PyCell_Check(cell) ? PyCell_GET(cell) : NULL;
}

/* Puts values into the variables of a function; None empties them. */
static int fill_cells(PyObject *f, PyObject *values)
{
    PyObject *cells = ((PyFunctionObject *)f)->func_closure;
    for (Py_ssize_t i = 0; cells != NULL && i < PyTuple_GET_SIZE(cells); i++) {
        PyObject *value = values == Py_None ? NULL : PyList_GET_ITEM(values, i);
        if (PyCell_Set(PyTuple_GET_ITEM(cells, i), value) < 0) {
            return -1;
        }
    }
    return 0;
}

static int add_count(PyObject *counts, PyObject *o)
{
    PyObject *count = PyLong_FromSsize_t(Py_REFCNT(o));
    int failed = count == NULL || PyList_Append(counts, count) < 0;
    Py_XDECREF(count);
    return failed ? -1 : 0;
}

/* Adds how many references there are to a function and to its variables. */
static int add_references(PyObject *f, PyObject *counts)
{
    PyObject *cells = ((PyFunctionObject *)f)->func_closure;
    int failed = add_count(counts, f);
    for (Py_ssize_t i = 0; !failed && cells != NULL && i < PyTuple_GET_SIZE(cells); i++) {
        failed = add_count(counts, PyTuple_GET_ITEM(cells, i));
    }
    return failed;
}

/* o.__class__ = cls, by the descriptor that object has for it. */
static inline int set_class(PyObject *descriptor, PyObject *o, PyObject *cls)
{
    PyGetSetDef *found = ((PyGetSetDescrObject *)descriptor)->d_getset;
    return found->set(o, cls, found->closure);
}

/* The list of the lifted calls that this thread is in; borrowed of the thread, and forgotten when
   the list goes with it. */
#ifdef _MSC_VER
static __declspec(thread) PyObject *records_of_thread;
#else
static __thread PyObject *records_of_thread;
#endif

static inline PyObject *known_records(void) { return records_of_thread; }
static inline void note_records(PyObject *records) { records_of_thread = records; }
static inline void forget_records(PyObject *records)
{
    if (records_of_thread == records) {
        records_of_thread = NULL;
    }
}

/* A set of addresses: few of them in order, more in a table with open addressing. */
#define FEW_POINTERS 12
typedef struct {
    size_t used, size; /* of the table: a power of two, or 0 */
    PyObject **table;
    PyObject *few[FEW_POINTERS];
} PointerSet;

static inline void start_set(PointerSet *pointers)
{
    pointers->used = pointers->size = 0;
    pointers->table = NULL;
}

static inline void empty_set(PointerSet *pointers)
{
    PyMem_Free(pointers->table);
    start_set(pointers);
}

/* Where an address is in the table, or belongs. */
static inline PyObject **place_of(PyObject **table, size_t size, PyObject *o)
{
    size_t i = ((size_t)o >> 4) * 0x9E3779B1u;
    while (table[i & (size - 1)] != NULL && table[i & (size - 1)] != o) {
        i++;
    }
    return &table[i & (size - 1)];
}

static inline int is_in_set(PointerSet *pointers, PyObject *o)
{
    if (pointers->size) {
        return *place_of(pointers->table, pointers->size, o) == o;
    }
    for (size_t i = 0; i < pointers->used; i++) {
        if (pointers->few[i] == o) {
            return 1;
        }
    }
    return 0;
}

/* 1: added; 0: it was there; -1: no memory. */
static int add_to_set(PointerSet *pointers, PyObject *o)
{
    if (is_in_set(pointers, o)) {
        return 0;
    }
    if (!pointers->size && pointers->used < FEW_POINTERS) {
        pointers->few[pointers->used++] = o;
        return 1;
    }
    if (2 * (pointers->used + 1) > pointers->size) {
        size_t size = pointers->size ? 2 * pointers->size : 64;
        size_t count = pointers->size ? pointers->size : pointers->used;
        PyObject **old = pointers->size ? pointers->table : pointers->few;
        PyObject **table = PyMem_Calloc(size, sizeof(PyObject *));
        if (table == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        for (size_t i = 0; i < count; i++) {
            if (old[i] != NULL) {
                *place_of(table, size, old[i]) = old[i];
            }
        }
        PyMem_Free(pointers->table);
        pointers->table = table;
        pointers->size = size;
    }
    *place_of(pointers->table, pointers->size, o) = o;
    pointers->used++;
    return 1;
}
