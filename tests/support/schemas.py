# SPDX-License-Identifier: Apache-2.0
"""The JSON schemas that are shipped, and whether an output is as its own says. Strict: a field that the schema does not name is an
error here, though readers accept it."""
import functools
import json

import tool

FOLDER = tool.ROOT / "packaging" / "schemas"


def closed(schema):
    """The same schema without room for more, where it names properties."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


@functools.cache
def validator(name, strict=True):
    import jsonschema
    schema = json.loads((FOLDER / f"{name}.json").read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(closed(schema) if strict else schema)


def faults(output):
    """One line for each place where the object is not as the schema that it names."""
    return [f"{output['schema']}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
            for error in validator(output["schema"]).iter_errors(output)]
