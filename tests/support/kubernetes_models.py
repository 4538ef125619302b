# SPDX-License-Identifier: Apache-2.0
"""Kubernetes' API as its Python client has it, and whether a manifest is as that says. Strict, as an API server is with
--validate=strict: what a type does not name is an error, and so is a value of another type."""
import re
import sys

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's packages, where another Python runs the tests

PLAIN = {"str": str, "int": int, "bool": bool, "float": (int, float), "object": object, "datetime": str}
KINDS = {"v1": "V1", "apps/v1": "V1"}
# Which the client has as objects or strings; an API server takes numbers too.
QUANTITIES = ("limits", "requests", "sizeLimit", "maxUnavailable")
# Fields that are newer than the client, with the version of Kubernetes they came with. None is used.


def models():
    from kubernetes.client import models as found
    return found


def faults_in(document):
    """What is wrong with one document, a line each."""
    kind = getattr(models(), KINDS[document["apiVersion"]] + document["kind"])
    return list(faults(document, kind.__name__, document["kind"]))


def faults(value, kind, where):
    if found := re.fullmatch(r"list\[(.*)\]", kind):
        if not isinstance(value, list):
            yield f"{where}: not a list"
            return
        for number, one in enumerate(value):
            yield from faults(one, found.group(1), f"{where}[{number}]")
    elif found := re.fullmatch(r"dict\(str, (.*)\)", kind):
        if not isinstance(value, dict):
            yield f"{where}: not a map"
            return
        quantity = where.rsplit(".", 1)[-1] in QUANTITIES
        for key, one in value.items():
            if not isinstance(key, str):
                yield f"{where}.{key}: the key is no string"
            if not (quantity and isinstance(one, int)):
                yield from faults(one, found.group(1), f"{where}.{key}")
    elif kind in PLAIN:
        if not isinstance(value, PLAIN[kind]) or (kind == "int" and isinstance(value, bool)):
            yield f"{where}: {value!r} is no {kind}"
    else:
        yield from faults_of_object(value, getattr(models(), kind), where)


def faults_of_object(value, model, where):
    if not isinstance(value, dict):
        yield f"{where}: not an object"
        return
    names = {field: name for name, field in model.attribute_map.items()}
    for field, one in value.items():
        if field in names:
            yield from faults(one, model.openapi_types[names[field]], f"{where}.{field}")
        else:
            yield f"{where}.{field}: {model.__name__} has no such field"
    try:
        model(**{names[field]: one for field, one in value.items() if field in names})
    except ValueError as error:  # what is required, and what may be chosen from
        yield f"{where}: {error}"
