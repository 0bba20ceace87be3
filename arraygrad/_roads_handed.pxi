"""What later calls of lifted functions hand over, compiled: `lifting/handed.py` has the definitions."""


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
