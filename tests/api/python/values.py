"""Attribute values in few letters: S("a") is {"S": "a"}."""


def S(text):
    return {"S": text}


def N(number):
    return {"N": str(number)}


def B(octets):
    return {"B": octets}


def BOOL(truth):
    return {"BOOL": truth}


def L(*values):
    return {"L": list(values)}


def M(**members):
    return {"M": members}


def SS(*texts):
    return {"SS": list(texts)}


def NS(*numbers):
    return {"NS": [str(number) for number in numbers]}


def BS(*octets):
    return {"BS": list(octets)}


NULL = {"NULL": True}


def unordered(value):
    """A value in which sets compare equal whatever the order of their elements."""
    ((kind, content),) = value.items()
    if kind in ("SS", "NS", "BS"):
        return {kind: sorted(content)}
    return value
