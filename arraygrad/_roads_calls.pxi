"""Later calls of lifted functions, compiled: `lifting/sight.py`, `calls.py` and `running.py` have the
definitions, and get whatever is special.
"""

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
    if record.has_memo or record.draws or record.miscounts >= 4:
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
                if hand.known and len(THREADS) == 1:  # it may have found something in a memo
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
