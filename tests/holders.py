"""What holds numbers or rows of numbers and is no array and no list."""


class Holder:
    """Something that is no array and says it is one."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


class Listed:
    """Something that is no list and can be read like one."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, place):
        return self.values[place]
