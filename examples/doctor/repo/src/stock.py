"""What is on the shelf, by name."""

version = "0.2"

shelf = {}


def add(name, count):
    shelf[name] = shelf.get(name, 0) + count


def remove(name, count):
    if name not in shelf:
        raise KeyError(name)
    # TODO: what if there are fewer?
    shelf[name] -= count
    return shelf[name]
