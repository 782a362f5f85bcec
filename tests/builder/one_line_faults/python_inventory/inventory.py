class Inventory:
    """How many there are of each thing."""

    def __init__(self):
        self._counts = {}

    def add(self, name, count=1):
        """Put `count` more in."""
        self._counts[name] = self._counts.get(name, 0) + count

    def remove(self, name, count=1):
        """Take `count` out; raises KeyError where there are not so many."""
        if self._counts.get(name, 0) <= count:
            raise KeyError(name)
        self._counts[name] -= count

    def count(self, name):
        return self._counts.get(name, 0)
