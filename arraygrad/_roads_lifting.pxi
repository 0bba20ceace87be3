"""What later calls of lifted functions need, compiled: registered classes, what was rebound, arrays.

As in `_roads.pyx`: `lifting/` has the definitions. `_roads_handed.pxi` and `_roads_calls.pxi` go on.
"""

cdef frozenset INERT, ARGUMENTS, PLAIN_KEYS, WALKED
cdef object THREAD = None, FUNCTION, METHOD, NAMESPACE, MADE_ANEW
cdef QuickSession SESSION
cdef list THREADS
cdef dict STANDING, CONTENTS
cdef object TOLD_OF_DICTS, TOLD_OF_LISTS
cdef object KEPT_LEFT, SHARED, NUMBERS, SET_CLASS, BY_NUMBERS
cdef object py_hold_tensors, py_lend, py_is_everybodys
cdef object py_is_tracked, py_release
cdef object py_note_line, py_held_by, py_is_harmless, py_sight_of
cdef object py_standing_for, py_twin_of, py_undo_later, py_warn_of_caught, py_among_floats, py_replacement, py_met, py_made, py_register_replaced, py_late, py_of_tensor, py_apart
cdef Py_ssize_t STAND_ARRAY, STAND_TENSOR, STAND_MEMORY, STAND_COPIED, STAND_OWNER
cdef Py_ssize_t STAND_SHAPE, STAND_STRIDES, STAND_DTYPE, STAND_WRITES
cdef Py_ssize_t USE_LAYOUT, USE_SYNCS, USE_TAGS, USE_TWIN, USE_TURNS, USE_CELLS
cdef Py_ssize_t LAYOUT_CLS, LAYOUT_SIMPLE
cdef Py_ssize_t STORAGE_VERSION, STORAGE_PINNED, FAMILY_NODE
cdef Py_ssize_t CELL_CELL, CELL_TWIN, CELL_SHARED, CELL_VALUE, CELL_SET, SHARED_SET, SYNC_LIVE
cdef Py_ssize_t SYNC_CLS, SYNC_TAG, SYNC_VERSION, EMPTY_BUSY, EMPTY_TWIN


def register_lifting(classes, known, functions):
    """Tell lifted calls of the classes whose slots they read, of what is asked, and what does the rest."""
    global INERT, ARGUMENTS, PLAIN_KEYS, WALKED, THREAD, SESSION, THREADS, KEPT_LEFT, STANDING
    global FUNCTION, METHOD, NAMESPACE, MADE_ANEW, CONTENTS, SHARED, NUMBERS, SET_CLASS, BY_NUMBERS
    global py_hold_tensors, py_lend, py_is_everybodys
    global py_is_tracked, py_release
    global py_note_line, py_held_by, py_is_harmless, py_sight_of
    global py_standing_for, py_twin_of, py_undo_later, py_warn_of_caught, py_among_floats, py_replacement, py_met, py_made, py_register_replaced, py_late, py_of_tensor, py_apart
    global STAND_ARRAY, STAND_TENSOR, STAND_MEMORY, STAND_COPIED, STAND_OWNER
    global STAND_SHAPE, STAND_STRIDES, STAND_DTYPE, STAND_WRITES
    global USE_LAYOUT, USE_SYNCS, USE_TAGS, USE_TWIN, USE_TURNS, USE_CELLS
    global LAYOUT_CLS, LAYOUT_SIMPLE, STORAGE_VERSION, STORAGE_PINNED, FAMILY_NODE
    global TOLD_OF_DICTS, TOLD_OF_LISTS
    global CELL_CELL, CELL_TWIN, CELL_SHARED, CELL_VALUE, CELL_SET, SHARED_SET, SYNC_LIVE
    global SYNC_CLS, SYNC_TAG, SYNC_VERSION, EMPTY_BUSY, EMPTY_TWIN
    standing, uses, layout, family, storage, cell_sync, cell_twin, class_sync, empty = classes
    EMPTY_BUSY, EMPTY_TWIN = slot_offset(empty.busy), slot_offset(empty.twin)
    STAND_ARRAY, STAND_TENSOR = slot_offset(standing.array), slot_offset(standing.tensor)
    STAND_MEMORY, STAND_COPIED = slot_offset(standing.memory), slot_offset(standing.copied)
    STAND_OWNER, STAND_SHAPE = slot_offset(standing.owner), slot_offset(standing.shape)
    STAND_STRIDES, STAND_DTYPE = slot_offset(standing.strides), slot_offset(standing.dtype)
    STAND_WRITES = slot_offset(standing.writes)
    USE_LAYOUT, USE_SYNCS = slot_offset(uses.layout), slot_offset(uses.syncs)
    USE_TAGS, USE_TWIN = slot_offset(uses.tags), slot_offset(uses.twin)
    USE_TURNS, USE_CELLS = slot_offset(uses.turns), slot_offset(uses.cells)
    LAYOUT_CLS, LAYOUT_SIMPLE = slot_offset(layout.cls), slot_offset(layout.simple)
    STORAGE_VERSION, STORAGE_PINNED = slot_offset(storage.version), slot_offset(storage.pinned)
    FAMILY_NODE = slot_offset(family.node)
    CELL_CELL, CELL_TWIN = slot_offset(cell_sync.cell), slot_offset(cell_sync.twin)
    CELL_SHARED, CELL_VALUE = slot_offset(cell_sync.shared), slot_offset(cell_sync.value)
    CELL_SET, SHARED_SET = slot_offset(cell_sync.set), slot_offset(cell_twin.set)
    SYNC_LIVE, SYNC_CLS = slot_offset(class_sync.live), slot_offset(class_sync.cls)
    SYNC_TAG, SYNC_VERSION = slot_offset(class_sync.tag), slot_offset(class_sync.version)
    (
        INERT, ARGUMENTS, PLAIN_KEYS, WALKED, THREAD, SESSION, KEPT_LEFT, STANDING, FUNCTION, METHOD,
        NAMESPACE, MADE_ANEW, CONTENTS, SHARED, NUMBERS, SET_CLASS, BY_NUMBERS, TOLD_OF_DICTS, TOLD_OF_LISTS,
    ) = known
    THREADS = SESSION.threads
    (
        py_hold_tensors, py_lend, py_is_everybodys,
        py_is_tracked, py_release,
        py_held_by, py_is_harmless, py_sight_of, py_note_line,
        py_standing_for, py_twin_of, py_undo_later, py_warn_of_caught,
        py_among_floats, py_replacement, py_met, py_made, py_register_replaced, py_late, py_of_tensor, py_apart,
    ) = functions


cdef inline bint is_inert(object value) except -1:
    return is_atom(value) or type(value) in INERT


cdef inline bint is_argument(object value) except -1:
    return is_atom(value) or type(value) in ARGUMENTS


cdef bint are_inert(object values) except -1:
    """Whether a list, tuple, or the values of a dict are inert all."""
    cdef Py_ssize_t place = 0
    cdef PyObject *key
    cdef PyObject *item
    if type(values) is dict:
        while PyDict_Next(values, &place, &key, &item):
            if not is_inert(<object>item):
                return False
        return True
    if type(values) is list:
        for value in <list>values:
            if not is_inert(value):
                return False
        return True
    for value in <tuple>values:
        if not is_inert(value):
            return False
    return True


cdef bint has_plain_keys(dict values) except -1:
    cdef Py_ssize_t place = 0
    cdef PyObject *key
    cdef PyObject *item
    while PyDict_Next(values, &place, &key, &item):
        if not is_plain_key(<object>key):
            return False
    return True


cdef bint is_plain_key(object key) except -1:
    """Whether a key is a number, text or a tuple of such."""
    if is_atom(key) or type(key) in PLAIN_KEYS:
        return True
    if type(key) is not tuple:
        return False
    for part in <tuple>key:
        if not is_plain_key(part):
            return False
    return True


# -- what Python classes extend -------------------------------------------------------------------


cdef class QuickWatched:
    """The places of `watched.Watched`."""

    cdef public list sizes, names, attributes, cells, entries, live, open_cells, values_of


cdef class QuickSession:
    """What `session.Session` holds and each call asks for."""

    cdef public list threads, lent
    cdef public object lock, arguments, prints, pending
    cdef public bint rebound, touched, merged
    cdef public Py_ssize_t left
    cdef public dict suspects


cdef class QuickRecords(list):
    """`session.Records`; each thread's are found at once by `records_here`."""

    cdef public dict latest

    def __dealloc__(self):
        forget_records(<PyObject *>self)


cdef inline QuickRecords records_here():
    """`THREAD.records`."""
    cdef PyObject *found = known_records()
    if found is not NULL:
        return <QuickRecords>found
    records = THREAD.records
    note_records(<PyObject *>records)
    return records


cdef class QuickRoots:
    """The places of `sync.Roots`."""

    cdef public list names, cells, syncs


cdef class QuickRecord:
    """What `running.Running` holds and each later call asks for."""

    cdef public object target, twin, method, settled, ordered, rebound
    cdef public QuickRoots roots
    cdef public QuickWatched before, after, sight
    cdef public bint catches, keeps, fits, bare, fills, is_function, plain
    cdef public list active, unsure
    cdef public set codes
    cdef public dict uses, twins, empty
    cdef public bint has_memo, draws
    cdef public object outside
    cdef public dict written
    cdef public Py_ssize_t unhanded, calls, next_look, miscounts
    cdef public double look_at


def has_same_entries(method):
    """`ClassSync.is_same`, by the tag of the class, which changes when any entry of it does."""

    def is_same(self):
        if THREAD is None:
            return method(self)
        tag = read_slot(self, SYNC_TAG)
        cdef unsigned long now = new_tag_of(read_slot(self, SYNC_CLS))
        if now != 0 and tag is not None and <unsigned long>tag == now:
            return True
        if not method(self):
            return False
        now = new_tag_of(read_slot(self, SYNC_CLS))
        write_slot(self, SYNC_TAG, now if now else None)
        return True

    return named_as(is_same, method)


# -- what was rebound -----------------------------------------------------------------------------


cdef bint is_same(QuickWatched watched) except -1:
    """`Watched.is_same`; None watches nothing."""
    cdef PyObject *found
    if watched is None:
        return True
    if watched.attributes:
        return watched.is_same()
    for sync, version in watched.entries:
        if read_slot(sync, SYNC_VERSION) != version or not sync.is_same():
            return False
    for namespace, size in watched.sizes:
        if len(namespace) != <Py_ssize_t>size:
            return False
    for namespace, name, value in watched.names:
        if type(namespace) is not dict:
            return watched.is_same()
        found = found_in(namespace, name)
        if found is not <PyObject *>value:
            return False
    for cell, value in watched.cells:
        if contents_of(cell) is not <PyObject *>value:
            return False
    return True


# -- arrays ---------------------------------------------------------------------------------------


cdef bint is_untouched(object stand) except -1:
    """`Standing.is_untouched`."""
    tensor = read_slot(stand, STAND_TENSOR)
    if read_slot(tensor, ARRAY) is not read_slot(stand, STAND_MEMORY):
        return False
    if read_slot(tensor, NODE) is not None:
        return False
    family = read_slot(tensor, FAMILY)
    if family is None:
        return True
    storage = read_slot(family, FAMILY_STORAGE)
    if read_slot(storage, STORAGE_VERSION) or read_slot(storage, STORAGE_PINNED):
        return False
    return read_slot(family, FAMILY_NODE) is None


cdef bint is_fit(object stand, object array) except -1:
    """`Standing.is_fit`."""
    if read_slot(stand, STAND_ARRAY)() is not array or not is_untouched(stand):
        return False
    if <object>dtype_of(array) is not read_slot(stand, STAND_DTYPE):
        return False
    if is_writeable(array) != (read_slot(stand, STAND_WRITES) is True):
        return False
    if not has_geometry(array, read_slot(stand, STAND_SHAPE), read_slot(stand, STAND_STRIDES)):
        return False
    copied = read_slot(stand, STAND_COPIED)
    cdef int holds
    if copied is not None:
        for memory in (array, read_slot(stand, STAND_MEMORY)):
            holds = holds_bytes(memory, copied)
            if holds < 0:
                holds = memory.tobytes() == copied
            if not holds:
                return False
    owner = read_slot(stand, STAND_OWNER)
    if owner is None:
        return True
    base = read_slot(owner, STAND_ARRAY)()
    if base is None or (STANDING).get(id(base)) is not owner:
        return False
    return is_fit(owner, base)
