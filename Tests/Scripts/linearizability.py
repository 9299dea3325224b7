"""Checks whether one store that handles one request at a time could have given the answers that clients saw.

A history is a list of operations, each with the time at which it was sent, the time at which its answer was there, and
the answer. It is linearizable (Herlihy and Wing) if each operation can be given one moment between the two so that,
done in the order of these moments, each gives its answer. The state is the whole store: its revision, and per mood
whether it exists, is a favorite, its notes and its revision. An operation without an answer may have happened at any
moment after it was sent, or never.

The search is Wing and Gong's, with Lowe's just-in-time order and memory. Times are gone through in order. A
configuration is a state and the operations that are done and not yet answered. When an operation returns, every
configuration that has not done it yet does some operations that are under way, and it last.

- No possible order is skipped. In a right order everything before an operation was sent before it returned; so
  doing it and what comes before it at its return, and not earlier, reaches the same states.
- No impossible order is accepted. An operation is done between its sending and its return only, once, and with its answer.
- Where an operation changes nothing and its answer fits, it is done at once: everything that is possible without that is
  possible with it, because no state differs.
- If an answer names the revision of its own commit, no other operation has made that revision.
- Equal configurations are kept once.
"""

UNANSWERED = "unanswered"
NOT_FOUND, CONFLICT = ("error", 1001), ("error", 1002)


class Operation:
    """`result`: (favorite, notes, revision) of a mood, "deleted", a page, (revision, count) of the store, or an error."""

    def __init__(self, kind, mood=None, notes=None, page=None):
        self.kind, self.mood, self.notes, self.page = kind, mood, notes, page
        self.sent = self.returned = self.result = None

    def __repr__(self):
        parts = [part for part in (self.mood, self.notes, self.page) if part is not None]
        return f"{self.kind}{parts} {self.sent:.6f}-{self.returned:.6f} -> {self.result}"

    def owned(self):
        """The revision that only this operation can have made."""
        is_mood = isinstance(self.result, tuple) and self.result[0] != "error"
        return self.result[2] if self.kind in ("create", "toggle") and is_mood else None


def page_of(state, order, limit, after):
    """The content of a page: the moods after place `after` of the order, the number of all, and whether more follow."""
    there = [mood for mood in order if state[1][mood] is not None]
    behind = [mood for mood in there if after is None or order.index(mood) > order.index(after)]
    return tuple((mood, state[1][mood]) for mood in behind[:limit]), len(there), len(behind) > limit


class Checker:
    """`order`: the numbers of all possible moods, in the order of lists."""

    def __init__(self, order):
        self.order = order
        self.configurations = {((0, (None,) * len(order)), frozenset())}

    def after(self, state, operation, owned):
        """The state after an operation, or None if its answer does not allow it next."""
        revision, moods = state
        kind, result, old = operation.kind, operation.result, moods[operation.mood] if operation.mood is not None else None
        if kind == "list":
            return state if result == page_of(state, self.order, *operation.page) else None
        if kind == "info":
            return state if result == (revision, sum(mood is not None for mood in moods)) else None
        if kind == "get":
            return state if result == (old or NOT_FOUND) else None
        if kind == "create" and old is not None:
            return state if result == CONFLICT else None
        if kind != "create" and old is None:
            return state if result == NOT_FOUND else None
        if kind == "notes" and old[1] == operation.notes:
            return state if result in (old, UNANSWERED) else None
        new = {"create": (False, operation.notes, revision + 1), "delete": None,
               "toggle": old and (not old[0], old[1], revision + 1),
               "notes": old and (old[0], operation.notes, revision + 1)}[kind]
        if result not in (UNANSWERED, "deleted" if kind == "delete" else new):
            return None
        if owned.get(revision + 1, operation) is not operation:
            return None
        return revision + 1, moods[:operation.mood] + (new,) + moods[operation.mood + 1:]

    def check(self, history):
        """None if the history is linearizable after all that was checked before; else the operation that no order can
        explain, with the configurations before its return."""
        owned = {operation.owned(): operation for operation in history if operation.owned() is not None}
        moments = sorted(
            [(operation.sent, 0, number) for number, operation in enumerate(history)]
            + [(operation.returned, 1, number) for number, operation in enumerate(history)])
        under_way = set()
        for _, is_return, number in moments:
            if not is_return:
                under_way.add(history[number])
                continue
            returning, reached = history[number], set()
            seen, left = set(self.configurations), list(self.configurations)
            while left:
                state, done = left.pop()
                if returning in done:
                    reached.add((state, done - {returning}))
                    continue
                if returning.result == UNANSWERED:
                    reached.add((state, done))
                following = [(self.after(state, one, owned), one) for one in under_way - done]
                idle = {one for new, one in following if new == state}
                if idle:
                    following = [(state, None)]
                for new, one in following:
                    configuration = (new, done | (idle or {one}))
                    if new is not None and configuration not in seen:
                        seen.add(configuration)
                        left.append(configuration)
            under_way.remove(returning)
            if not reached:
                return returning, self.configurations
            self.configurations = reached
        return None


def brute(order, history):
    """Tries every order of every choice: slow, and simple enough to be trusted."""
    def can(state, left):
        if all(one.result == UNANSWERED for one in left):
            return True
        for one in left:
            if all(other.returned >= one.sent for other in left if other.result != UNANSWERED or other is one):
                new = Checker(order).after(state, one, {})
                if new is not None and can(new, [other for other in left if other is not one]):
                    return True
        return False
    return can((0, (None,) * len(order)), list(history))


def random_history(order, randomness):
    """Operations with the answers of a true store, at moments within their times; often with one changed answer."""
    state, history, checker = (0, (None,) * len(order)), [], Checker(order)
    for moment in range(randomness.randint(3, 6)):
        kind = randomness.choice(["create", "create", "toggle", "notes", "delete", "get", "list", "info"])
        operation = Operation(kind, None if kind in ("list", "info") else randomness.choice(order))
        operation.notes = {"create": f"made {moment}", "notes": randomness.choice("ab")}.get(kind)
        operation.page = (randomness.randint(1, 2), randomness.choice([None, *order])) if kind == "list" else None
        operation.sent, operation.returned = moment - randomness.random() * 2.5, moment + randomness.random() * 2.5
        old = state[1][operation.mood] if operation.mood is not None else None
        revision = state[0] + 1
        answers = [NOT_FOUND, CONFLICT, "deleted", old, (state[0], sum(one is not None for one in state[1])),
                   (False, operation.notes, revision)]
        if old is not None:
            answers += [(not old[0], old[1], revision), (old[0], operation.notes, revision)]
        if operation.page:
            answers.append(page_of(state, order, *operation.page))
        for operation.result in answers:
            new = checker.after(state, operation, {}) if operation.result is not None else None
            if new is not None:
                state = new
                break
        history.append(operation)
        if randomness.random() < 0.2 and kind in ("create", "toggle", "notes", "delete"):
            operation.result = UNANSWERED
            operation.returned = 100.0
    if randomness.random() < 0.7:
        chosen = randomness.choice(history)
        others = [one.result for one in history if one.kind == chosen.kind and one.result != UNANSWERED]
        chosen.result = randomness.choice([*others, NOT_FOUND])
        chosen.returned = min(chosen.returned, 50.0)
    return history


def timed(*operations):
    """A history of (operation, answer), one after the other; an operation without an answer lasts to the end."""
    for moment, (operation, result) in enumerate(operations):
        operation.result, operation.sent = result, moment
        operation.returned = 100.0 if result == UNANSWERED else moment + 0.5
    return [operation for operation, _ in operations]


BROKEN = {
    "a read misses an answered change": lambda: timed(
        (Operation("create", 0, "a"), (False, "a", 1)), (Operation("toggle", 0), (True, "a", 2)),
        (Operation("get", 0), (False, "a", 1))),
    "two changes have one revision": lambda: timed(
        (Operation("create", 0, "a"), (False, "a", 1)), (Operation("create", 1, "b"), (False, "b", 1))),
    "a toggle is lost": lambda: timed(
        (Operation("create", 0, "a"), (False, "a", 1)), (Operation("toggle", 0), (True, "a", 2)),
        (Operation("toggle", 0), (True, "a", 3))),
    "an unanswered change is seen, then not": lambda: timed(
        (Operation("create", 0, "a"), UNANSWERED), (Operation("get", 0), (False, "a", 1)),
        (Operation("get", 0), NOT_FOUND)),
    "a page passes over a mood": lambda: timed(
        (Operation("create", 0, "a"), (False, "a", 1)), (Operation("create", 1, "b"), (False, "b", 2)),
        (Operation("list", page=(2, None)), (((0, (False, "a", 1)),), 2, False))),
    "the store's revision goes back": lambda: timed(
        (Operation("create", 0, "a"), (False, "a", 1)), (Operation("info"), (1, 1)), (Operation("info"), (0, 0))),
}


def prove(randomness, count):
    """Checks that the checker finds the broken histories, and agrees with `brute` on random ones. Returns a line."""
    for name, make in BROKEN.items():
        history = make()
        if Checker([0, 1]).check(history) is None or brute([0, 1], history):
            raise AssertionError(f"the checker does not see that {name}")
    verdicts = [0, 0]
    for _ in range(count):
        history = random_history([1, 0], randomness)
        is_right = Checker([1, 0]).check(history) is None
        if is_right != brute([1, 0], history):
            raise AssertionError("the checker is wrong about " + "\n".join(map(repr, history)))
        verdicts[is_right] += 1
    if min(verdicts) < count / 10:
        raise AssertionError(f"one-sided: {verdicts}")
    return (f"checker: {len(BROKEN)} broken histories found; of {count} random ones {verdicts[1]} right,"
            f" {verdicts[0]} wrong, as by brute force")
