"""Later calls of lifted functions, compiled: arguments, and what is reached besides, handed over.

As in `_roads.pyx`: `lifting/calls.py`, `handed.py`, `arrays.py` and `running.py` have the
definitions, and get whatever is special.
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
        if not is_atom(<object>key) and type(<object>key) not in PLAIN_KEYS:
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
    cdef public bint has_memo, writes, draws
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


# -- handing over ---------------------------------------------------------------------------------


@cython.no_gc  # it goes with the call, and nothing that it holds knows it
cdef class QuickHanded:
    """`handed.Handed`."""

    # Lists are None while they are empty.
    cdef public object call
    cdef public tuple args
    cdef PointerSet inner
    cdef public list held, filled, swaps, replaced, stands, cells, tensors, tuples
    cdef list todo, pairs  # values to walk through; values that are held, each before its use
    # Where code that keeps something is not looked at, but what it leaves is counted: what must be
    # left, what has been left, and containers with copies of what they held.
    cdef object known
    cdef dict counts
    cdef list copies, places
    cdef bint derivative

    def __dealloc__(self):
        empty_set(&self.inner)

    def register(self):
        """Have the session know what is handed over: another lifted call begins inside of this."""
        leave_to_session(self)

    cdef bint enter(self, object value) except -1:
        """Note that a value may be in what is held; False if that is known."""
        return add_to_set(&self.inner, <PyObject *>value)


cdef inline list appended(list values, object value):
    if values is None:
        return [value]
    values.append(value)
    return values


cdef inline object hold(QuickHanded hand, object value, object use):
    """Note a value that is held, and its use or None."""
    if hand.pairs is None:
        hand.pairs = [value, use]
    else:
        hand.pairs.append(value)
        hand.pairs.append(use)


cdef object leave_to_session(QuickHanded hand):
    """`handed.undo_later`."""
    cdef list pairs = hand.pairs or []
    hand.held = [(pairs[i], pairs[i + 1]) for i in range(0, len(pairs), 2)]
    hand.swaps, hand.replaced = hand.swaps or [], hand.replaced or []
    hand.stands, hand.tensors = hand.stands or [], hand.tensors or []
    py_undo_later(hand)
    hand.held = hand.pairs = hand.swaps = hand.stands = None


cdef object tensor_for(QuickRecord record, object array, QuickHanded hand, object left):
    """`handed._tensor_for`."""
    if left is not None and id(array) in left:
        return None
    cdef PyObject *found = found_in(STANDING, id(array))
    stand = None
    if found is not NULL:
        stand = <object>found
    if stand is None or not is_fit(stand, array):
        stand = py_standing_for(record, array)
        if stand is None:
            return None
    hand.stands = appended(hand.stands, stand)
    if read_slot(stand, STAND_COPIED) is None:
        py_lend(read_slot(stand, STAND_TENSOR), not hand.derivative)
    return read_slot(stand, STAND_TENSOR)


cdef object twin_of(QuickRecord record, object f, QuickHanded hand):
    """`handed.twin_of`."""
    cdef PyObject *found
    if is_code_alone(f):
        found = found_in(record.twins, f)
        if found is not NULL:
            return <object>found
    if hand.filled is None:
        hand.filled = []
    if hand.todo is None:
        hand.todo = []
    return py_twin_of(record, f, hand.filled, hand.todo)


cdef bint is_handy(object use) except -1:
    """`Uses.is_handy`; by the tags of classes, which change when any entry of theirs does."""
    tags = read_slot(use, USE_TAGS)
    cdef unsigned long tag
    if tags is not None:
        for cls, known, sync in <list>tags:
            tag = tag_of(cls)
            live = read_slot(sync, SYNC_LIVE)
            if tag == 0 or tag != <unsigned long>known or live is None or live:
                break
        else:
            return True
    if not use.is_handy():
        return False
    found = []
    for sync in read_slot(use, USE_SYNCS):
        tag = tag_of(sync.cls)
        if tag == 0:
            return True
        found.append((sync.cls, tag, sync))
    write_slot(use, USE_TAGS, found)
    return True


cdef bint is_disjoint_from(object left, object items) except -1:
    for item in items:
        if id(item) in left:
            return False
    return True


cdef inline object held_in(object value, object use):
    """A list, tuple or dict whose values are what an object holds."""
    layout = read_slot(use, USE_LAYOUT)
    return value.__dict__ if read_slot(layout, LAYOUT_SIMPLE) is True else layout.held(value)


cdef list fill(list filled):
    """`handed.fill`."""
    for empty, values in filled:
        write_slot(empty, EMPTY_BUSY, True)
        fill_cells(read_slot(empty, EMPTY_TWIN), values)
    return counted(filled)


cdef list counted(list filled):
    """How many references there are to twins and their cells."""
    counts = []
    for empty, _ in filled:
        add_references(read_slot(empty, EMPTY_TWIN), counts)
    return counts


cdef object drain(QuickRecord record, list filled, list counts):
    """`handed.drain`."""
    alone = counts == counted(filled)
    for empty, _ in filled:
        if alone:
            write_slot(empty, EMPTY_BUSY, False)
            fill_cells(read_slot(empty, EMPTY_TWIN), None)
        else:
            (<dict>record.empty).pop(id(empty.function()), None)


cdef bint walk_held(QuickRecord record, QuickHanded hand, object left) except -1:
    """`handed._walk`."""
    cdef PyObject *found
    looked = None
    cdef list todo = hand.todo
    while todo:
        value = todo.pop()
        if not hand.enter(value):
            continue
        kind = type(value)
        owner = None  # what can be written to
        if kind is list:
            hold(hand, value, None)
            owner = items = value
        elif kind is dict:
            hold(hand, value, None)
            owner = items = value
            if not has_plain_keys(<dict>value):
                return False
            if found_in(value, "__name__") is not NULL and py_is_everybodys(value):
                return False
        elif kind is tuple:
            hand.tuples = appended(hand.tuples, value)
            items = value
        elif kind is NAMESPACE:
            todo.append(value.__dict__)
            continue
        else:
            found = found_in(record.uses, kind)
            if found is NULL:
                return False
            use = <object>found
            if use is not looked:
                if not is_handy(use):
                    return False
                looked = use
            hold(hand, value, use)
            items = held_in(value, use)
            if type(items) is dict:
                owner = items
        if left is not None:
            if not is_disjoint_from(left, (<dict>items).values() if type(items) is dict else items):
                return False
        if hand.known is not None and kind is not tuple:
            if owner is None:
                return False
            hand.copies = appended(hand.copies, (owner, owner.copy()))
        if are_inert(items):
            continue
        # Copies: what is made for them runs code of Python's.
        if type(items) is dict:
            for key, item in list((<dict>items).items()):
                if not hand_item(record, owner, key, item, hand, left):
                    return False
        else:
            for i, item in enumerate(tuple(items)):
                if not hand_item(record, owner, i, item, hand, left):
                    return False
    return True


cdef bint hand_item(
    QuickRecord record, object owner, object key, object item, QuickHanded hand, object left
) except -1:
    """Hand over what a container or object holds; False if it needs more."""
    if is_atom(item):
        return True
    if is_ours(item):
        hand.tensors = appended(hand.tensors, item)
        hand.enter(item)
        return True
    kind = type(item)
    if kind in INERT:
        return True
    if kind is ndarray or kind is FUNCTION:
        new = None
        if owner is not None:
            if kind is ndarray:
                new = tensor_for(record, item, hand, left)
            else:
                new = twin_of(record, item, hand)
        if new is None:
            return False
        hand.swaps = appended(hand.swaps, (owner, key, item, new))
        hand.enter(item)
    elif kind in WALKED or found_in(record.uses, kind) is not NULL:
        hand.todo.append(item)  # of the walk
    else:
        new = made_anew(record, item, hand) if kind in MADE_ANEW else py_replacement(record, item)
        if new is None or (owner is None and new is not item):
            return False
        hand.enter(item)
        if new is not item:
            hand.swaps = appended(hand.swaps, (owner, key, item, new))
    return True


cdef object made_anew(QuickRecord record, object value, QuickHanded hand):
    """`handed.made`."""
    new = py_made(record, value)
    if new is not None and new is not value:
        hand.replaced = appended(hand.replaced, (new, value))
    return new


cdef object root_for(QuickRecord record, object value, QuickHanded hand, object left):
    kind = type(value)
    if kind is ndarray:
        return tensor_for(record, value, hand, left)
    if kind in ARGUMENTS or kind is FUNCTION:
        return None
    if kind is tuple and are_inert(value):
        return value
    if kind in MADE_ANEW:
        return made_anew(record, value, hand)
    hand.todo = appended(hand.todo, value)
    return value


@cython.no_gc
cdef class Fit:
    """`root_for` for syncs, which are Python's."""

    cdef QuickRecord record
    cdef QuickHanded hand
    cdef object left

    def __call__(self, value):
        return root_for(self.record, value, self.hand, self.left)


cdef bint hand_roots(QuickRecord record, QuickHanded hand, object left) except -1:
    """`handed._hand_roots`."""
    cdef PyObject *found
    cdef PyObject *old
    cdef QuickRoots roots = record.roots
    for raw, name, twin, pulled in roots.names:
        found = found_in(raw, name)
        if found is NULL:
            return False
        value = <object>found
        new = root_for(record, value, hand, left)
        if new is None:
            return False
        if found_in(twin, name) is not <PyObject *>new:
            twin[name] = new
            pulled[name] = (value, new)
    for sync in roots.cells:
        found = contents_of(read_slot(sync, CELL_CELL))
        if found is NULL:  # not bound
            return False
        value = <object>found
        old = contents_of(read_slot(sync, CELL_TWIN))
        if old is NULL or old is not slot_of(read_slot(sync, CELL_SHARED), SHARED_SET):
            return False
        new = root_for(record, value, hand, left)
        if new is None:
            return False
        if (
            old is not <PyObject *>new
            or read_slot(sync, CELL_VALUE) is not value
            or read_slot(sync, CELL_SET) is not new
        ):
            sync.give(value, new)
        hand.cells = appended(hand.cells, sync)
    cdef Fit fit
    if roots.syncs:
        fit = Fit.__new__(Fit)
        fit.record, fit.hand, fit.left = record, hand, left
        for sync in roots.syncs:
            if not sync.hand_over(record, fit, left):
                return False
    return True


cdef bint takes_all(list syncs) except -1:
    for sync in syncs:
        if not sync.take():
            return False
    return True


cdef QuickHanded handed_over(
    QuickRecord record, tuple args, dict kwargs, bint derivative, object known
):
    """`handed.handed`, outside of other calls."""
    cdef QuickHanded hand = QuickHanded.__new__(QuickHanded)
    hand.known = known
    hand.call, hand.derivative, hand.args = record.twin, derivative, args
    cdef list fitted = None
    cdef Py_ssize_t i = 0
    if hand.call is None:
        target = record.target
        hand.call = target
        if record.method is not None:
            target = target.__self__
            hand.call = record.method
            fitted = [target, *args]
            i = 1
        hand.todo = [target]
    left = None
    if derivative and KEPT_LEFT:
        left = py_met(args, kwargs) or None
    for a in args:
        if not is_argument(a):
            kind = type(a)
            if kind is FUNCTION or kind is ndarray:
                if kind is FUNCTION:
                    new = twin_of(record, a, hand)
                else:
                    new = tensor_for(record, a, hand, left)
                if new is None:
                    return None
                if fitted is None:
                    fitted = list(args)
                fitted[i] = new
            elif kind in WALKED or found_in(record.uses, kind) is not NULL:
                hand.todo = appended(hand.todo, a)
            else:
                new = made_anew(record, a, hand) if kind in MADE_ANEW else py_replacement(record, a)
                if new is None:
                    return None
                if new is not a:
                    if fitted is None:
                        fitted = list(args)
                    fitted[i] = new
                    if kind not in MADE_ANEW:
                        hand.replaced = appended(hand.replaced, (new, a))
        i += 1
    if record.roots is not None and not hand_roots(record, hand, left):
        return None
    if hand.todo is not None and not walk_held(record, hand, left):
        return None
    record.calls += 1
    if left is not None and hand.filled is not None:
        for _, values in hand.filled:
            if not is_disjoint_from(left, values):
                return None
    if fitted is not None:
        hand.args = tuple(fitted)
    return hand


cdef bint holds_known(QuickHanded hand, object item) except -1:
    return is_atom(item) or is_in_set(&hand.inner, <PyObject *>item) or type(item) in INERT


cdef bint is_placed(QuickHanded hand, object owner, object key, object item) except -1:
    """Note a tensor that code has left in a container or object; False if it is anything else."""
    if not is_ours(item):
        return False
    hand.places = appended(hand.places, (owner, key, item))
    return True


cdef bint count_placed(QuickHanded hand, object told, object item) except -1:
    """Count it by what `memos` calls the place."""
    if hand.counts is None:
        hand.counts = {}
    if hand.known and is_inexact_array(read_slot(item, ARRAY)) and py_of_tensor(item) is None:
        hand.counts[told] = hand.counts.get(told, 0) + 1
    return True


cdef object leave_placed(QuickRecord record, QuickHanded hand, bint is_plain_push):
    """Have the user's containers and objects hold what the user has of those tensors."""
    cdef QuickSession session = SESSION
    with session.lock:
        record.plain = is_plain_push
        for owner, key, item in hand.places:
            new = record.leave_value(item)
            if new is not item:
                owner[key] = new
        if session.left:
            record.note_left()


cdef object put_on_again(object owner, object key, object old, object new):
    """Have a place hold what stands for its value, if it holds that."""
    try:
        if owner[key] is old:
            owner[key] = new
    except (KeyError, IndexError):  # code has taken it away
        return


cdef bint is_complete(QuickHanded hand) except -1:
    """Whether as much was left as must be where nothing was found in a memo."""
    if not hand.known:
        return True
    cdef dict counts = hand.counts or {}
    for told, count in hand.known.items():
        if counts.get(told, 0) < count:
            return False
    return True


cdef bint is_taken_off(QuickHanded hand) except -1:
    """`Handed.is_taken_off`."""
    cdef Py_ssize_t place
    cdef PyObject *key
    cdef PyObject *found
    if len(THREADS) > 1:
        return False
    if hand.stands is not None:
        for stand in hand.stands:
            if not is_untouched(stand):
                return False
    if hand.cells is not None:
        for sync in hand.cells:
            if contents_of(read_slot(sync, CELL_TWIN)) is not slot_of(sync, CELL_SET):
                return False
    cdef list pairs = hand.pairs
    cdef Py_ssize_t k, count = 0 if pairs is None else len(pairs)
    if pairs is not None:
        for k in range(0, count, 2):
            value, use = pairs[k], pairs[k + 1]
            if use is not None:
                if <object>type(value) is not read_slot(use, USE_TWIN):
                    return False
                set_class(SET_CLASS, value, read_slot(read_slot(use, USE_LAYOUT), LAYOUT_CLS))
    if hand.swaps is not None:
        for owner, key_, old, new in hand.swaps:
            try:
                if owner[key_] is new:
                    owner[key_] = old
            except (KeyError, IndexError):  # code has taken it away
                continue
    if pairs is not None:
        for k in range(0, count, 2):
            value, use = pairs[k], pairs[k + 1]
            items = value if use is None else held_in(value, use)
            if type(items) is dict:
                if use is None and not has_plain_keys(<dict>items):
                    return False
                place = 0
                while PyDict_Next(items, &place, &key, &found):
                    if not holds_known(hand, <object>found):
                        if not is_placed(hand, items, <object>key, <object>found):
                            return False
                        count_placed(
                            hand, TOLD_OF_DICTS if use is None else <object>key, <object>found
                        )
            else:
                for i, item in enumerate(<list>items):
                    if not holds_known(hand, item):
                        if use is not None or not is_placed(hand, items, i, item):
                            return False
                        count_placed(hand, TOLD_OF_LISTS, item)
    return True


cdef bint may_hold(dict known, tuple args) except -1:
    """Whether there are containers among arguments, and no objects alone."""
    cdef PyObject *found
    for a in args:
        if not is_inert(a):
            found = found_in(known, type(a))
            if found is NULL or not read_slot(read_slot(<object>found, USE_LAYOUT), LAYOUT_SIMPLE):
                return True
    return False


# -- whether a tensor takes part ------------------------------------------------------------------


cdef inline bint is_blank(object value) except -1:
    """Whether a value is no tensor and holds nothing."""
    return is_inert(value) or (type(value) is ndarray and not has_objects(value))


cdef bint put_all(list todo, object values) except -1:
    """Add those of some values that may hold more."""
    for value in values:
        if not is_blank(value):
            todo.append(value)
    return True


cdef bint put_live(QuickWatched sight, list todo) except -1:
    """`Watched.put`."""
    cdef PyObject *found
    for namespace, name in sight.live:
        if type(namespace) is dict:
            found = found_in(namespace, name)
            if found is NULL or is_blank(<object>found):
                continue
            todo.append(<object>found)
        else:
            todo.append(namespace.get(name))
    for cell in sight.open_cells:
        found = contents_of(cell)
        if found is not NULL and not is_blank(<object>found):  # else not bound yet
            todo.append(<object>found)
    for values in sight.values_of:
        todo += values()
    return True


cdef QuickWatched sight_of(object use):
    """`Uses.look`."""
    cdef QuickWatched sight = use.sight
    if sight is not None and not (sight.sizes or sight.names or sight.cells or sight.attributes):
        if is_handy(use):
            return sight
    return use.look()


cdef bint may_see(QuickRecord record, list todo) except -1:
    """`sight._may_see`."""
    cdef PointerSet done
    start_set(&done)
    try:
        return may_see_more(record, todo, &done)
    finally:
        empty_set(&done)


cdef bint may_see_more(QuickRecord record, list todo, PointerSet *done) except -1:
    cdef PyObject *found
    cdef QuickWatched sight
    alive = []  # so that no other value gets the place of one that is done
    while todo:
        value = todo.pop()
        if is_blank(value):
            continue
        kind = type(value)
        if kind in ARGUMENTS or kind is ndarray:
            return True
        if not add_to_set(done, <PyObject *>value):
            continue
        alive.append(value)
        if kind is list or kind is tuple:
            put_all(todo, value)
            continue
        found = found_in(record.uses, kind)
        if found is not NULL:
            use = <object>found
            if read_slot(use, USE_SYNCS) and add_to_set(done, <PyObject *>use):
                sight = sight_of(use)
                if sight is None:
                    return True
                put_live(sight, todo)
            layout = read_slot(use, USE_LAYOUT)
            if read_slot(layout, LAYOUT_SIMPLE) is True:
                put_all(todo, (<dict>value.__dict__).values())
                continue
            held = py_held_by(value, layout)
            if held is None:
                return True
            put_all(todo, held)
        elif kind in CONTENTS:
            put_all(todo, CONTENTS[kind](value))
        elif not py_is_harmless(record, value, kind, todo):
            return True
    return False


def is_clear(QuickRecord record, tuple args, dict kwargs):
    """`sight.is_clear`."""
    if records_here() or len(THREADS) > 1:
        return False
    cdef list todo = []
    put_all(todo, args)
    if kwargs:
        put_all(todo, kwargs.values())
    if record.unsure:
        todo += record.unsure
    if record.active:
        if record.sight is None or not is_same(record.sight):
            record.sight = py_sight_of(record)
            if record.sight is None:
                return False
        put_live(record.sight, todo)
    if not record.is_function:
        target = record.target
        todo.append(target.__self__ if type(target) is METHOD else target)
    return not todo or not may_see(record, todo)


# -- calls ----------------------------------------------------------------------------------------


cdef class QuickLifted:
    """What `calls.Lifted` does in later calls with tensors; `_call` does all others."""

    cdef public object _target, _packages
    cdef public QuickRecord _record
    cdef public bint _for_derivatives

    def __call__(self, *args, **kwargs):
        cdef QuickRecord record = self._record
        if record is None or THREAD is None:
            return self._call(*args, **kwargs)
        if record.settled is not record.ordered or not is_same(record.before):
            return self._call(*args, **kwargs)
        cdef QuickRecords records = records_here()
        if records:
            return self._call(*args, **kwargs)
        cdef bint derivative = self._for_derivatives, tensors = False, arrays = False, others = False
        for a in args:
            if is_ours(a):
                tensors = True
            elif is_inert(a):
                continue
            elif type(a) is ndarray and not has_objects(a):
                arrays = True
            else:
                others = True
        if kwargs:
            for a in kwargs.values():
                if is_ours(a):
                    tensors = True
                elif not is_inert(a):
                    return self._call(*args, **kwargs)
        if derivative:
            if is_by_numbers():
                return self._call(*args, **kwargs)
        elif not (tensors or others):
            if record.bare:
                if not (record.fits or record.active or record.unsure) or is_clear(record, args, None):
                    return self._target(*args, **kwargs)  # no tensor takes part
            return self._call(*args, **kwargs)
        if record.roots is None and record.active:
            return self._call(*args, **kwargs)
        known = None
        if record.keeps:
            known = counts_of(record, args, kwargs)
            if known is None:
                return self._call(*args, **kwargs)
        cdef bint plain_result = False
        cdef QuickHanded hand = None
        if arrays or others or record.roots is not None or record.fits:
            if len(THREADS) > 1 or record.unhanded:
                return self._call(*args, **kwargs)
            if record.calls + 1 >= record.look_at and not record.keeps:
                rebound, names = record.rebound
                if record.fills or names or rebound != len(record.codes):
                    return self._call(*args, **kwargs)
            hand = handed_over(record, args, kwargs, derivative, known)
            if hand is None:
                record.unhanded = 17  # the call itself, and 16 after it, do not try
                return self._call(*args, **kwargs)
            if not (tensors or derivative):
                if not hand.tensors:  # perhaps no tensor takes part
                    record.calls -= 1
                    return self._call(*args, **kwargs)
                plain_result = not may_hold(record.uses, args) or not py_hold_tensors(args)
        return run_settled(record, records, args, kwargs, derivative, plain_result, hand)


cdef object counts_of(QuickRecord record, tuple args, dict kwargs):
    """What a call leaves that finds nothing in a memo, by kind of place; None if it is not known."""
    count, reaches_files = record.outside
    if count == len(record.codes) and reaches_files:
        return {}  # it could not be run again
    if record.has_memo or record.writes or record.draws or record.miscounts >= 4:
        return None
    if record.calls + 1 >= record.next_look or (record.roots is not None and record.roots.syncs):
        return None
    shapes = []
    for a in (*args, *kwargs.values()):
        if is_ours(a) and node_of(a) is not None:
            shapes.append(shape_of(read_slot(a, ARRAY)))
    return record.written.get(tuple(shapes))


cdef inline bint is_by_numbers() except -1:
    cdef PyObject *found = NULL
    PyContextVar_Get(BY_NUMBERS, NULL, &found)
    answer = <object>found
    Py_DECREF(found)
    return answer


cdef bint is_tracked_data(object result) except -1:
    """Whether a result is a tuple, list or dict of tensors with a gradient, and of numbers."""
    kind = type(result)
    cdef bint tracked = False
    if kind is tuple or kind is list:
        items = result
    elif kind is dict:
        if not has_plain_keys(<dict>result):
            return False
        items = (<dict>result).values()
    else:
        return False
    for item in items:
        if is_ours(item) and read_slot(item, NODE) is not None:
            tracked = True
        elif not is_inert(item):
            return False
    return tracked


cdef object run_settled(
    QuickRecord record, QuickRecords records, tuple args, dict kwargs, bint derivative,
    bint plain_result, QuickHanded hand,
):
    """`Running.run_settled`, outside of other calls."""
    cdef Py_ssize_t k
    cdef bint whole = True, simple = False, is_plain_push = derivative or plain_result
    cdef QuickSession session = SESSION
    refused = records.latest["count"]
    counts = None
    if hand is None:
        function = record.twin
    else:
        function, args = hand.call, hand.args
    if derivative:
        session.arguments = (args, kwargs)
    if record.catches:
        function = py_among_floats(function, False)
    session.pending = hand
    (<list>records).append(record)
    try:
        if hand is not None:
            if hand.pairs is not None:
                for k in range(0, len(hand.pairs), 2):
                    value, use = hand.pairs[k], hand.pairs[k + 1]
                    if use is not None:
                        set_class(SET_CLASS, value, read_slot(use, USE_TWIN))
            if hand.swaps is not None:
                for owner, key, _, new in hand.swaps:
                    owner[key] = new
            if hand.filled:
                counts = fill(hand.filled)
        result = function(*args, **kwargs) if kwargs else function(*args)
        session.pending = None
        if derivative and not is_ours(result) and not is_inert(result):
            result = py_apart(result)
        if session.rebound:
            whole = record._takes_all()
        else:
            whole = is_same(record.after)
            if whole and record.roots is not None and record.roots.syncs:
                whole = takes_all(record.roots.syncs)
        if not whole:
            if hand is not None and hand.replaced is not None:
                py_register_replaced(hand)
            record._push_alone(is_plain_push)
            whole = True
        if found_in(records.latest, "count") is not <PyObject *>refused:
            py_warn_of_caught()
        simple = is_tracked_data(result)
        if hand is not None and (hand.pairs is not None or hand.stands is not None):
            whole = simple or (is_ours(result) and read_slot(result, NODE) is not None)
            whole = whole or py_is_tracked(result)
            swaps = hand.swaps or []
            if whole and is_taken_off(hand) and is_complete(hand):
                hand.pairs = hand.swaps = hand.stands = None
                if hand.places is not None:
                    leave_placed(record, hand, is_plain_push)
            else:
                for owner, key, old, new in swaps:
                    put_on_again(owner, key, old, new)
                if hand.cells:
                    record._push_alone(is_plain_push)
                with session.lock:
                    leave_to_session(hand)
                if hand.known:  # it may have found something in a memo
                    result = py_late(record, result, function, args, kwargs, hand.copies, swaps)
        if not whole or (session.touched and (session.suspects or session.merged)):
            result = record._whole(result, function, args, kwargs)
        simple = simple and whole and not session.touched
        if ((simple or is_ours(result)) and not plain_result) or is_inert(result):
            return result
        if plain_result and whole and is_ours(result) and not session.touched and is_recording():
            if read_slot(result, NODE) is not None:
                return result  # of a tensor that the arguments hold
        if hand is not None and hand.replaced is not None:
            py_register_replaced(hand)
        with session.lock:
            record.plain = plain_result
            result = record.leave_value(result)
            session.left = 0
            return result
    except BaseException as error:
        session.pending = None
        record._push_alone(is_plain_push)
        if isinstance(error, Exception):
            record.leave_error(error)
            py_note_line(error)
        raise
    finally:
        (<list>records).pop()
        if hand is not None:
            if hand.pairs or hand.stands:
                leave_to_session(hand)
            if counts is not None:
                drain(record, hand.filled, counts)
            if SHARED:
                py_release()
        if derivative or session.touched:
            if session.touched or session.left or session.lent or NUMBERS or len(THREADS) > 1:
                with session.lock:
                    record.plain = is_plain_push
                    record.leave()
            else:
                session.arguments = session.prints = None
