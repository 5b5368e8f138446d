"""Describes in words what a JSON schema allows: a phrase for a value, rows for an object's members."""


def slug(heading):
    """The anchor of a heading, by GitHub's rule."""
    kept = [c for c in heading.strip().lower() if c.isalnum() or c in "-_ "]
    return "".join(kept).replace(" ", "-")


def cell(text):
    """Safe inside a table: a bar would end the cell, a newline the row."""
    return " ".join(str(text).split()).replace("|", "\\|")


def literal(value):
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"`{value}`"


def reference(target):
    parts = target.removeprefix("#/components/schemas/").split("/")
    name = parts[0]
    link = f"[{name}](#{slug('Schema ' + name)})"
    return link if len(parts) == 1 else f"`{parts[-1]}` of {link}"


def number(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def limits(schema):
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        words = [f"{number(low)} to {number(high)}"]
    else:
        words = [f"from {number(low)}"] if low is not None else []
        words += [f"up to {number(high)}"] if high is not None else []
    if "exclusiveMinimum" in schema:
        words.insert(0, f"above {number(schema['exclusiveMinimum'])}")
    return words


def lengths(schema, least, most, what):
    low, high = schema.get(least), schema.get(most)
    if low is not None and high is not None:
        return [f"{low} to {high:,} {what}"]
    if high is not None:
        return [f"up to {high:,} {what}"]
    return [f"{low} {what} or more"] if low and low > 1 else []


# Patterns that words say better.
IN_WORDS = {
    r"^[^\u0000-\u001f\u007f]*$": "no control characters",
    r"^[^\u0000-\u0020\u007f]([^\u0000-\u001f\u007f]*[^\u0000-\u0020\u007f])?$":
        "no control characters, no blanks at its ends"}


def text_limits(schema):
    words, pattern = lengths(schema, "minLength", "maxLength", "characters"), schema.get("pattern")
    if schema.get("format") == "date-time":
        return words + ["RFC 3339"]
    return words + ([IN_WORDS.get(pattern, f"like `{pattern}`")] if pattern else [])


def array(schema):
    words = ["list of " + phrase(schema["items"])] if schema.get("items") else ["list"]
    return ", ".join(words + lengths(schema, "minItems", "maxItems", "elements"))


def record(schema):
    more = schema.get("additionalProperties")
    if isinstance(more, dict) and more:
        of = "object of " + phrase(more)
        return ", ".join([of] + lengths(schema, "minProperties", "maxProperties", "members"))
    return "object"


def of_type(kind, schema):
    if kind == "array":
        return array(schema)
    if kind == "object":
        return record(schema)
    if kind in ("integer", "number"):
        return ", ".join([kind] + limits(schema))
    if kind == "string":
        return ", ".join(["text"] + text_limits(schema))
    return {"boolean": "true or false"}.get(kind, kind)


def phrase(schema):
    """Which values the schema allows, in one line."""
    if "$ref" in schema:
        return reference(schema["$ref"])
    if "const" in schema:
        words = literal(schema["const"])
    elif "enum" in schema:
        words = ", ".join(literal(value) for value in schema["enum"])
    elif "oneOf" in schema:
        words = " or ".join(phrase(part) for part in schema["oneOf"])
    elif "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        words = " or ".join(of_type(kind, schema) for kind in kinds)
    elif "properties" in schema:
        words = "object"
    else:
        words = "any"
    if "default" in schema:
        words += f"; default {literal(schema['default'])}"
    return words


def nested(schema):
    """The object with members that a member holds, directly or in a list."""
    if "properties" in schema:
        return "", schema
    if "properties" in schema.get("items", {}):
        return "[]", schema["items"]
    for part in schema.get("oneOf", []):
        suffix, found = nested(part)
        if found:
            return suffix, found
    return "", None


def members(schema, prefix=""):
    """(name, type, meaning) of each member; members of inner objects follow their object."""
    required = set(schema.get("required", []))
    for name, part in schema.get("properties", {}).items():
        words = phrase(part)
        if required and name not in required:
            words += "; may be left out"
        yield prefix + name, words, part.get("description", "")
        suffix, inner = nested(part)
        if inner:
            yield from members(inner, f"{prefix}{name}{suffix}.")
