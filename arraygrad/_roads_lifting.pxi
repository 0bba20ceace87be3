"""Later calls of lifted functions, compiled: arguments, and what is reached besides, handed over.

As in `_roads.pyx`: `lifting/calls.py`, `handed.py`, `arrays.py` and `running.py` have the
definitions, and get whatever is special.
"""

cdef object INERT, ARGUMENTS, PLAIN_KEYS, THREAD = None, SESSION, THREADS, KEPT_LEFT, STANDING
cdef object SUSPECTS, FUNCTION, METHOD, CONTENTS, SHARED
cdef object py_by_numbers, py_drain, py_fill, py_hold_tensors, py_lend, py_is_everybodys
cdef object py_is_tracked, py_release
cdef object py_note_line, py_held_by, py_is_harmless, py_sight_of
cdef object py_set_class, py_standing_for, py_twin_of, py_undo_later, py_warn_of_caught
cdef Py_ssize_t STAND_ARRAY, STAND_TENSOR, STAND_MEMORY, STAND_COPIED, STAND_OWNER
cdef Py_ssize_t STAND_SHAPE, STAND_STRIDES, STAND_DTYPE, STAND_WRITES
cdef Py_ssize_t USE_LAYOUT, USE_SYNCS, USE_TAGS, USE_TWIN, USE_TURNS, USE_CELLS
cdef Py_ssize_t LAYOUT_CLS, LAYOUT_SIMPLE
cdef Py_ssize_t STORAGE_VERSION, STORAGE_PINNED, FAMILY_NODE


def register_lifting(standing, uses, layout, family, storage, known, functions):
    """Tell lifted calls of the classes whose slots they read, of what is asked, and what does the rest."""
    global INERT, ARGUMENTS, PLAIN_KEYS, THREAD, SESSION, THREADS, KEPT_LEFT, STANDING, SUSPECTS
    global FUNCTION, METHOD, CONTENTS, SHARED
    global py_by_numbers, py_drain, py_fill, py_hold_tensors, py_lend, py_is_everybodys
    global py_is_tracked, py_release
    global py_note_line, py_held_by, py_is_harmless, py_sight_of
    global py_set_class, py_standing_for, py_twin_of, py_undo_later, py_warn_of_caught
    global STAND_ARRAY, STAND_TENSOR, STAND_MEMORY, STAND_COPIED, STAND_OWNER
    global STAND_SHAPE, STAND_STRIDES, STAND_DTYPE, STAND_WRITES
    global USE_LAYOUT, USE_SYNCS, USE_TAGS, USE_TWIN, USE_TURNS, USE_CELLS
    global LAYOUT_CLS, LAYOUT_SIMPLE, STORAGE_VERSION, STORAGE_PINNED, FAMILY_NODE
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
    INERT, ARGUMENTS, PLAIN_KEYS, THREAD, SESSION, KEPT_LEFT, STANDING, FUNCTION, METHOD, CONTENTS, SHARED = (
        known
    )
    THREADS, SUSPECTS = SESSION.threads, SESSION.suspects
    (
        py_by_numbers, py_drain, py_fill, py_hold_tensors, py_lend, py_is_everybodys,
        py_is_tracked, py_release,
        py_held_by, py_is_harmless, py_sight_of, py_note_line,
        py_set_class, py_standing_for, py_twin_of, py_undo_later, py_warn_of_caught,
    ) = functions


cdef inline bint is_inert(object value):
    return type(value) in <frozenset>INERT


# -- what was rebound -----------------------------------------------------------------------------


cdef bint is_same(object watched) except -1:
    """`Watched.is_same`; None watches nothing."""
    cdef PyObject *found
    if watched is None:
        return True
    if watched.entries or watched.attributes:
        return watched.is_same()
    for namespace, size in <list>watched.sizes:
        if len(namespace) != size:
            return False
    for namespace, name, value in <list>watched.names:
        if type(namespace) is not dict:
            return watched.is_same()
        found = found_in(namespace, name)
        if found is not <PyObject *>value:
            return False
    for cell, value in <list>watched.cells:
        try:
            if cell.cell_contents is not value:
                return False
        except ValueError:  # gone
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
    if base is None or (<dict>STANDING).get(id(base)) is not owner:
        return False
    return is_fit(owner, base)


# -- handing over ---------------------------------------------------------------------------------


cdef class QuickHanded:
    """`handed.Handed`."""

    # Lists are None while they are empty.
    cdef public object call, args
    cdef public set inner
    cdef public list held, filled, swaps, stands, cells, tensors, tuples
    cdef bint derivative


cdef inline list appended(list values, object value):
    if values is None:
        return [value]
    values.append(value)
    return values


cdef inline void enter(QuickHanded hand, object value):
    if hand.inner is None:
        hand.inner = set()
    hand.inner.add(id(value))


cdef object leave_to_session(QuickHanded hand):
    """`handed.undo_later`."""
    hand.held, hand.swaps = hand.held or [], hand.swaps or []
    hand.stands, hand.tensors = hand.stands or [], hand.tensors or []
    py_undo_later(hand)
    hand.held = hand.swaps = hand.stands = None


cdef object tensor_for(object record, object array, QuickHanded hand, object left):
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


cdef bint is_handy(object use) except -1:
    """`Uses.is_handy`; by the tags of classes, which change when any entry of theirs does."""
    tags = read_slot(use, USE_TAGS)
    cdef unsigned long tag
    if tags is not None:
        for cls, known, sync in <list>tags:
            tag = tag_of(cls)
            if tag == 0 or tag != <unsigned long>known or sync.live is None or sync.live:
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


cdef object disjoint_from(object left, object items):
    for item in items:
        if id(item) in left:
            return False
    return True


cdef bint walk_held(object record, dict known, list todo, QuickHanded hand, object left) except -1:
    """`handed._walk`."""
    cdef PyObject *found
    cdef bint holds_more
    looked = None
    while todo:
        value = todo.pop()
        if hand.inner is not None:
            if id(value) in hand.inner:
                continue
            hand.inner.add(id(value))
        kind = type(value)
        owner = None
        found = found_in(known, kind)
        if found is not NULL:
            use = <object>found
            if use is not looked:
                if not is_handy(use):
                    return False
                looked = use
            hand.held = appended(hand.held, (value, use))
            layout = read_slot(use, USE_LAYOUT)
            if read_slot(layout, LAYOUT_SIMPLE):
                owner = value.__dict__
                items = (<dict>owner).values()
            else:
                items = layout.held(value)
        elif kind is list:
            hand.held = appended(hand.held, (value, None))
            owner = items = value
        elif kind is dict:
            hand.held = appended(hand.held, (value, None))
            owner = value
            items = (<dict>value).values()
            for key in <dict>value:
                if type(key) not in <frozenset>PLAIN_KEYS:
                    return False
            if "__name__" in <dict>value and py_is_everybodys(value):
                return False
        elif kind is tuple:
            hand.tuples = appended(hand.tuples, value)
            items = value
        else:
            return False
        if left is not None and not disjoint_from(left, items):
            return False
        holds_more = False
        for item in items:
            if not is_inert(item):
                holds_more = True
                break
        if not holds_more:
            continue
        if hand.inner is None:
            enter(hand, value)
        pairs = list((<dict>owner).items()) if type(owner) is dict else list(enumerate(items))
        for key, item in <list>pairs:
            kind = type(item)
            if kind in <frozenset>INERT:
                continue
            if kind is ndarray or kind is FUNCTION:
                new = None
                if owner is not None:
                    if kind is ndarray:
                        new = tensor_for(record, item, hand, left)
                    else:
                        if hand.filled is None:
                            hand.filled = []
                        new = py_twin_of(record, item, hand.filled, todo)
                if new is None:
                    return False
                hand.swaps = appended(hand.swaps, (owner, key, item, new))
                enter(hand, item)
            elif kind in <frozenset>ARGUMENTS:
                hand.tensors = appended(hand.tensors, item)
                enter(hand, item)
            else:
                todo.append(item)
    return True


cdef object root_for(object record, object value, QuickHanded hand, list todo, object left):
    kind = type(value)
    if kind is ndarray:
        return tensor_for(record, value, hand, left)
    if kind in <frozenset>ARGUMENTS or kind is FUNCTION or kind is tuple:
        return None
    todo.append(value)
    return value


cdef bint hand_roots(object record, object roots, QuickHanded hand, list todo, object left) except -1:
    """`handed._hand_roots`."""
    cdef PyObject *found
    for raw, name, twin, pulled in <list>roots.names:
        found = found_in(raw, name)
        if found is NULL:
            return False
        value = <object>found
        new = root_for(record, value, hand, todo, left)
        if new is None:
            return False
        if found_in(twin, name) is not <PyObject *>new:
            twin[name] = new
            pulled[name] = (value, new)
    for sync in <list>roots.cells:
        try:
            value, old = sync.cell.cell_contents, sync.twin.cell_contents
        except ValueError:  # not bound
            return False
        if old is not sync.shared.set:
            return False
        new = root_for(record, value, hand, todo, left)
        if new is None:
            return False
        if old is not new or sync.value is not value or sync.set is not new:
            sync.give(value, new)
        hand.cells = appended(hand.cells, sync)
    return True


cdef QuickHanded handed_over(object record, tuple args, bint derivative):
    """`handed.handed`, outside of other calls."""
    hand = QuickHanded()
    hand.call, hand.derivative = record.twin, derivative
    cdef list todo = [], fitted = []
    if hand.call is None:
        target = record.target
        hand.call = target
        if record.method is not None:
            target = target.__self__
            hand.call = record.method
            fitted.append(target)
        todo.append(target)
    left = KEPT_LEFT if derivative and KEPT_LEFT else None
    for a in args:
        kind = type(a)
        if kind is FUNCTION:
            if hand.filled is None:
                hand.filled = []
            a = py_twin_of(record, a, hand.filled, todo)
            if a is None:
                return None
        elif kind is ndarray:
            a = tensor_for(record, a, hand, left)
            if a is None:
                return None
        elif kind not in <frozenset>ARGUMENTS:
            todo.append(a)
        fitted.append(a)
    roots = record.roots
    if roots is not None and not hand_roots(record, roots, hand, todo, left):
        return None
    if todo and not walk_held(record, record.uses, todo, hand, left):
        return None
    record.calls += 1
    if left is not None and hand.filled is not None:
        for _, values in hand.filled:
            if not disjoint_from(left, values):
                return None
    hand.args = tuple(fitted)
    return hand


cdef bint is_taken_off(QuickHanded hand) except -1:
    """`Handed.is_taken_off`."""
    if len(<list>THREADS) > 1:
        return False
    if hand.stands is not None:
        for stand in hand.stands:
            if not is_untouched(stand):
                return False
    if hand.cells is not None:
        for sync in hand.cells:
            if sync.twin.cell_contents is not sync.set:
                return False
    if hand.held is not None:
        for value, use in hand.held:
            if use is not None:
                if <object>type(value) is not read_slot(use, USE_TWIN):
                    return False
                py_set_class(value, read_slot(read_slot(use, USE_LAYOUT), LAYOUT_CLS))
    if hand.swaps is not None:
        for owner, key, old, new in hand.swaps:
            try:
                if owner[key] is not new:
                    return False
            except (KeyError, IndexError):
                return False
            owner[key] = old
    if hand.held is not None:
        for value, use in hand.held:
            if use is not None:
                layout = read_slot(use, USE_LAYOUT)
                if read_slot(layout, LAYOUT_SIMPLE):
                    items = (<dict>value.__dict__).values()
                else:
                    items = layout.held(value)
            elif type(value) is list:
                items = value
            else:
                items = (<dict>value).values()
                for key in <dict>value:
                    if type(key) not in <frozenset>PLAIN_KEYS:
                        return False
            for item in items:
                if not is_inert(item) and (hand.inner is None or id(item) not in hand.inner):
                    return False
    hand.held = hand.swaps = hand.stands = None
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


cdef object put_live(object sight, list todo):
    """`Watched.put`."""
    for namespace, name in <list>sight.live:
        todo.append(namespace.get(name))
    for cell in <list>sight.open_cells:
        try:
            todo.append(cell.cell_contents)
        except ValueError:  # not bound yet
            continue
    for values in <list>sight.values_of:
        todo += values()


cdef object sight_of(object use):
    """`Uses.look`."""
    sight = use.sight
    if sight is not None and not (sight.sizes or sight.names or sight.cells or sight.attributes):
        if is_handy(use):
            return sight
    return use.look()


cdef bint may_see(object record, list todo) except -1:
    """`sight._may_see`."""
    cdef PyObject *found
    cdef dict uses = record.uses
    cdef set done = set()
    while todo:
        value = todo.pop()
        kind = type(value)
        if kind in <frozenset>INERT:
            continue
        if kind in <frozenset>ARGUMENTS:
            return True
        if kind is ndarray:
            if has_objects(value):
                return True
            continue
        key = id(value)
        if key in done:
            continue
        done.add(key)
        if kind is list or kind is tuple:
            todo.extend(value)
            continue
        found = found_in(uses, kind)
        if found is not NULL:
            use = <object>found
            if read_slot(use, USE_SYNCS) and id(use) not in done:
                done.add(id(use))
                sight = sight_of(use)
                if sight is None:
                    return True
                put_live(sight, todo)
            layout = read_slot(use, USE_LAYOUT)
            if read_slot(layout, LAYOUT_SIMPLE):
                todo.extend((<dict>value.__dict__).values())
                continue
            held = py_held_by(value, layout)
            if held is None:
                return True
            todo.extend(held)
        elif kind in <dict>CONTENTS:
            todo.extend((<dict>CONTENTS)[kind](value))
        elif not py_is_harmless(record, value, kind, todo):
            return True
    return False


def is_clear(record, tuple args, dict kwargs):
    """`sight.is_clear`."""
    if THREAD.records or len(<list>THREADS) > 1:
        return False
    cdef list todo = list(args)
    if kwargs:
        todo.extend(kwargs.values())
    todo.extend(record.unsure)
    if record.active:
        sight = record.sight
        if sight is None or not is_same(sight):
            sight = record.sight = py_sight_of(record)
            if sight is None:
                return False
        put_live(sight, todo)
    if not record.is_function:
        target = record.target
        todo.append(target.__self__ if type(target) is METHOD else target)
    return not may_see(record, todo)


# -- calls ----------------------------------------------------------------------------------------


cdef class QuickLifted:
    """What `calls.Lifted` does in later calls with tensors; `_call` does all others."""

    def __call__(self, *args, **kwargs):
        record = self._record
        if kwargs or record is None or THREAD is None:
            return self._call(*args, **kwargs)
        if record.settled is not record.ordered or not is_same(record.before):
            return self._call(*args)
        records = THREAD.records
        if records:
            return self._call(*args)
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
        if derivative:
            if py_by_numbers():
                return self._call(*args)
        elif not (tensors or others):
            if record.bare:
                if not (record.fits or record.active or record.unsure) or is_clear(record, args, None):
                    return self._target(*args)  # no tensor takes part
            return self._call(*args)
        roots = record.roots
        if (roots is None and record.active) or record.catches or record.keeps:
            return self._call(*args)
        cdef bint plain_result = False
        cdef QuickHanded hand = None
        if arrays or others or roots is not None or record.fits:
            if len(<list>THREADS) > 1 or record.unhanded:
                return self._call(*args)
            if record.calls + 1 >= record.look_at:
                rebound, names = record.rebound
                if record.fills or names or rebound != len(record.codes):
                    return self._call(*args)
            hand = handed_over(record, args, derivative)
            if hand is None:
                record.unhanded = 17  # the call itself, and 16 after it, do not try
                return self._call(*args)
            if not (tensors or derivative):
                if not hand.tensors:  # perhaps no tensor takes part
                    record.calls -= 1
                    return self._call(*args)
                plain_result = not may_hold(record.uses, args) or not py_hold_tensors(args)
        return run_settled(record, records, args, derivative, plain_result, hand)


cdef object run_settled(
    object record, object records, tuple args, bint derivative, bint plain_result, QuickHanded hand
):
    """`Running.run_settled`, outside of other calls."""
    cdef bint whole = True, is_plain_push = derivative or plain_result
    session = SESSION
    latest = <dict>records.latest
    refused = latest["count"]
    counts = None
    if hand is None:
        function = record.twin
    else:
        function, args = hand.call, hand.args
    if derivative:
        session.arguments = (args, {})
    (<list>records).append(record)
    try:
        if hand is not None:
            if hand.held is not None:
                for value, use in hand.held:
                    if use is not None:
                        py_set_class(value, read_slot(use, USE_TWIN))
            if hand.swaps is not None:
                for owner, key, _, new in hand.swaps:
                    owner[key] = new
            if hand.filled:
                counts = py_fill(hand.filled)
        result = function(*args)
        if session.rebound or not is_same(record.after):
            record._push_alone(is_plain_push)
        if latest["count"] != refused:
            py_warn_of_caught()
        if hand is not None and (hand.held or hand.stands):
            whole = (is_ours(result) and read_slot(result, NODE) is not None) or py_is_tracked(result)
            if not (whole and is_taken_off(hand)):
                if hand.cells:
                    record._push_alone(is_plain_push)
                with session.lock:
                    leave_to_session(hand)
        if not whole or (session.touched and (SUSPECTS or session.merged)):
            result = record._whole(result, function, args, {})
        kind = type(result)
        if kind in <frozenset>ARGUMENTS and (not plain_result or kind in <frozenset>INERT):
            return result
        if plain_result and whole and is_ours(result) and not session.touched and is_recording():
            if read_slot(result, NODE) is not None:
                return result  # of a tensor that the arguments hold
        with session.lock:
            record.plain = plain_result
            result = record.leave_value(result)
            session.left = 0
            return result
    except Exception as error:
        record._push_alone(is_plain_push)
        record.leave_error(error)
        py_note_line(error)
        raise
    finally:
        (<list>records).pop()
        if hand is not None:
            if hand.held or hand.stands:
                leave_to_session(hand)
            if counts is not None:
                py_drain(record, hand.filled, counts)
            if SHARED:
                py_release()
        if derivative or session.touched:
            with session.lock:
                record.plain = is_plain_push
                record.leave()
