#include "engine/spec/run_spec_text.h"

#include "common/cleanup.h"
#include "common/text.h"

#include <assert.h>
#include <string.h>

#define NAME_SIZE 128 /* of a word or a name in a spec, with its NUL */
static_assert(NAME_SIZE > WORKLOAD_NAME_MAX && NAME_SIZE > ENGINE_NAME_MAX, "names fit");

void run_spec_write(struct json_writer *out, const char *key, const struct run_spec *spec)
{
    bool stored = out->stored;

    out->stored = true;
    jsonw_open(out, key, '{');
    for (size_t i = 0; i < run_spec_field_count; i++)
        field_write_to(out, &run_spec_fields[i], spec);
    jsonw_open(out, "labels", '{');
    for (int i = 0; i < spec->label_count; i++)
        jsonw_text(out, spec->labels[i].key, spec->labels[i].value);
    jsonw_close(out, '}');
    jsonw_close(out, '}');
    out->stored = stored;
}

char *run_spec_to_text(const struct run_spec *spec)
{
    struct bytes text = {.limit = 64 * 1024};
    struct json_writer out = {.bytes = &text};

    run_spec_write(&out, NULL, spec);
    assert(!out.failed);
    return text.data;
}

json_t *run_spec_to_json(const struct run_spec *spec)
{
    AUTO(freep) char *text = run_spec_to_text(spec);

    return run_spec_parse(text, strlen(text), NULL);
}

/* A quoted text of at most `most` bytes without escapes. */
static bool take_text(const char **at, size_t most, char *ret_text)
{
    size_t length = text_take(at, "\"") ? strcspn(*at, "\"\\") : most + 1;

    if (length > most || (*at)[length] != '"')
        return false;
    memcpy(ret_text, *at, length);
    ret_text[length] = '\0';
    *at += length + 1;
    return true;
}

static bool take_field(const char **at, const struct field *field, struct run_spec *spec)
{
    char text[NAME_SIZE];

    if (!text_take(at, "\"") || !text_take(at, field->name) || !text_take(at, "\":"))
        return false;
    if (field->type == FIELD_TEXT || field->type == FIELD_CHOICE ||
        (field->type == FIELD_AUTO && **at == '"'))
        return take_text(at, sizeof text - 1, text) && field_read_text(field, text, spec, NULL) &&
               (field->type != FIELD_AUTO || strcmp(text, "auto") == 0);
    if (field->type == FIELD_LIMIT && text_take(at, "null"))
        return field_read_text(field, "none", spec, NULL);
    return field_take_number(field, at, spec);
}

static bool take_labels(const char **at, struct run_spec *spec)
{
    if (!text_take(at, "\"labels\":{"))
        return false;
    while (!text_take(at, "}")) {
        struct label *label = &spec->labels[spec->label_count];

        if (spec->label_count == RUN_LABELS_MAX ||
            (spec->label_count > 0 && !text_take(at, ",")) ||
            !take_text(at, LABEL_KEY_MAX, label->key) || !text_take(at, ":") ||
            !take_text(at, LABEL_VALUE_MAX, label->value) ||
            !label_check("labels", label->key, label->value, NULL) ||
            (spec->label_count > 0 && strcmp(label[-1].key, label->key) >= 0))
            return false;
        spec->label_count++;
    }
    return true;
}

/* Reads the text that run_spec_write() makes of most specs much sooner than by a tree: a list of
 * runs has one for each. False for any other text, right or wrong. */
static bool read_usual_form(const char *text, struct run_spec *ret_spec)
{
    ret_spec->label_count = 0;
    for (size_t i = 0; i < run_spec_field_count; i++)
        if (!text_take(&text, i == 0 ? "{" : ",") ||
            !take_field(&text, &run_spec_fields[i], ret_spec))
            return false;
    return text_take(&text, ",") && take_labels(&text, ret_spec) && strcmp(text, "}") == 0 &&
           run_spec_names_are_valid(ret_spec, NULL);
}

bool run_spec_from_stored(const char *text, struct run_spec *ret_spec, struct error *err)
{
    AUTO(json_decrefp) json_t *json = NULL;

    if (read_usual_form(text, ret_spec))
        return true;
    json = run_spec_parse(text, strlen(text), err);
    return json && run_spec_from_stored_json(json, ret_spec, err);
}

void run_spec_write_member(struct json_writer *out, const struct member *row, const void *object)
{
    run_spec_write(out, row->name, &MEMBER_VALUE(struct run_spec, row, object));
}
