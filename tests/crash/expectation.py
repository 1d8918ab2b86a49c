"""What a writer knows about the items that it alone writes.

    begin(changes)  before a request: its outcome is unknown from here on
    done()          it was acknowledged: its changes are sure
    undone()        it was refused: nothing changed
    settle(found)   after a crash: compares, and adopts what became of the request in flight
"""

from server import Wrong


def is_same(expected, found, keys):
    return all(expected.get(key) == found.get(key) for key in keys)


class Expectation:
    """Items by key; a key is (table, pk, sk)."""

    def __init__(self):
        self.items = {}
        self.changes = {}  # of the request in flight: None for a delete
        self.is_atomic = True

    def begin(self, changes, is_atomic=True):
        self.changes = changes
        self.is_atomic = is_atomic

    def done(self):
        self._apply(self.changes)
        self.changes = {}

    def undone(self):
        self.changes = {}

    def _apply(self, changes):
        self.items.update(changes)
        for key in [key for key, item in changes.items() if item is None]:
            del self.items[key]

    def _groups(self):
        """The changes that stand or fall together."""
        if self.is_atomic:
            return [self.changes]
        return [{key: item} for key, item in self.changes.items()]

    def settle(self, found):
        """`found` holds the writer's items as they are now."""
        for group in self._groups():
            if not is_same(self.items, found, group) and is_same(group, found, group):
                self._apply(group)
        in_flight = self.changes
        self.changes = {}
        for key in self.items.keys() | found.keys():
            if self.items.get(key) != found.get(key):
                raise Wrong(
                    f"{key} should be {self.items.get(key)}"
                    f"{' or ' + str(in_flight[key]) if key in in_flight else ''}"
                    f" but is {found.get(key)}"
                )
