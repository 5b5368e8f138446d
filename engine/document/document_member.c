/* Tested by tests/engine/document/run_document_refusals_test.c. */
#include "engine/document/document_member.h"

#include "common/cleanup.h"
#include "common/hex.h"
#include "common/known_names.h"
#include "common/rfc3339.h"
#include "engine/document/document_text.h"
#include "engine/machine/machine.h"
#include "engine/process/loaded_libraries.h"
#include "engine/protocol/details.h"
#include "engine/protocol/implementations.h"

static bool read_hash(struct span value, const char *field, char ret_text[17], struct error *err)
{
    if (!document_read_text(value, field, 17, ret_text, err))
        return false;
    if (strspn(ret_text, HEX_DIGITS) != 16)
        return error_set(err, ERROR_INVALID, field, "must be sixteen digits of 0-9 and a-f");
    return true;
}

bool member_read_time(struct span value, const char *field, long long *ret_us, struct error *err)
{
    char text[64];

    if (!document_read_text(value, field, sizeof text, text, err))
        return false;
    return rfc3339_read((struct span){text, strlen(text)}, ret_us) ||
           error_set(err, ERROR_INVALID, field,
                     "must be a time like 2026-01-02T03:04:05.678Z, from 1970 to 9999");
}

/* The known members; a member that is null is left out. */
static json_t *known_members(json_t *object)
{
    json_t *known = json_object(), *value;
    const char *key;

    json_object_foreach(object, key, value)
    {
        if (!json_is_null(value))
            json_object_set(known, key, value);
    }
    return known;
}

/* `kept`: the text of an object with every name that there is. */
static bool are_known(json_t *object, const char *kept, struct error *err)
{
    AUTO(json_decrefp) json_t *all = json_loads(kept, 0, NULL);
    const char *names[KNOWN_NAMES_MAX + 1] = {NULL}, *key;
    size_t count = 0;
    json_t *value;

    json_object_foreach(all, key, value)
    {
        if (count < KNOWN_NAMES_MAX)
            names[count++] = key;
    }
    json_object_foreach(object, key, value)
    {
        if (!known_names_check(names, key, err))
            return false;
    }
    return true;
}

bool member_read_details(const struct document_member *member, struct span value,
                         struct document *document, struct error *err)
{
    AUTO(json_decrefp) json_t *json = document_parse(value, member->name, err);
    AUTO(json_decrefp) json_t *known = json ? known_members(json) : NULL;
    struct engine_details details;
    struct error inner = {0};
    char *kept;

    if (!json)
        return false;
    if (!engine_details_from_json(known, &details, &inner))
        return document_refuse_inside(err, member->name, &inner);
    kept = document->run.engine_details = engine_details_to_text(&details);
    return are_known(json, kept, &inner) || document_refuse_inside(err, member->name, &inner);
}

static bool refuse_name(const char *where, struct span name, const char *const *names,
                        struct error *err)
{
    struct known_names known = {.all = "docs/run-document.md"};

    known_names_add_all(&known, names);
    return json_scan_refuse_name(where, name, &known, err);
}

/* Walks over the members of an object; each must be one of `names`, and occur once. `ret_values`
 * of absent members, and of null, stay unchanged. */
static bool take_apart(struct span value, const char *where, const char *const *names,
                       struct span *ret_values, struct error *err)
{
    struct json_scan scan = json_scan_of(value);
    enum json_scan_step step;
    unsigned seen = 0;
    bool first = true;
    struct span name;

    if (!json_scan_take(&scan, '{'))
        return error_set(err, ERROR_INVALID, where, "must be an object");
    while ((step = json_scan_member(&scan, &first, &name)) == JSON_SCAN_MEMBER) {
        struct span item;
        int i = 0;

        while (names[i] && !span_is(name, names[i]))
            i++;
        if (!names[i])
            return refuse_name(where, name, names, err);
        if (seen & 1U << i)
            return error_set(err, ERROR_INVALID, where, "has '%s' twice", names[i]);
        seen |= 1U << i;
        if (!json_scan_extent(&scan, &item))
            break;
        if (!span_is(item, "null"))
            ret_values[i] = item;
    }
    if (step != JSON_SCAN_END || !json_scan_is_over(&scan))
        return error_set(err, ERROR_INVALID, where, "is not JSON");
    return true;
}

bool member_fits(struct span value, const char *field, struct error *err)
{
    const struct allowed allowed = {.ranged = true, .min = 1, .max = DOCUMENT_MEMBER_MAX};

    return value.length <= DOCUMENT_MEMBER_MAX ||
           error_not_allowed(err, field, allowed, "must have at most %d bytes of JSON, got %zu",
                             DOCUMENT_MEMBER_MAX, value.length);
}

bool member_read_machine(const struct document_member *member, struct span value,
                         struct document *document, struct error *err)
{
    static const char *const names[] = {"fingerprint", "stratum", "facts", NULL};
    struct span values[3] = {{NULL, 0}};
    struct error inner = {0};

    if (!take_apart(value, member->name, names, values, err))
        return false;
    if (!values[0].start)
        return error_set(err, ERROR_INVALID, "machine.fingerprint", "is missing");
    if (!read_hash(values[0], "machine.fingerprint", document->run.machine, err) ||
        (values[1].start && !read_hash(values[1], "machine.stratum", document->stratum, err)))
        return false;
    if (!values[2].start)
        return true;
    if (!member_fits(values[2], "machine.facts", err))
        return false;
    document->facts = document_copy_object(values[2], "machine.facts", err);
    return document->facts && (machine_facts_check(document->facts, &inner) ||
                               document_refuse_inside(err, "machine.facts", &inner));
}

bool member_read_loaded(const struct document_member *member, struct span value,
                        struct document *document, struct error *err)
{
    static const char *const names[] = {"allocator", "openmp", "dnn", NULL};
    static const char *const fields[] = {"loaded.allocator", "loaded.openmp", "loaded.dnn"};
    struct span values[3] = {{NULL, 0}};
    char words[3][LIBRARY_FILE_MAX + 1] = {""};
    struct loaded_libraries loaded = {.allocator = words[0], .openmp = words[1]};
    struct error inner = {0};

    if (!take_apart(value, member->name, names, values, err))
        return false;
    for (size_t i = 0; i < COUNT(fields); i++)
        if (values[i].start &&
            !document_read_text(values[i], fields[i], sizeof words[i], words[i], err))
            return false;
    for (size_t i = 0; i < 2; i++)
        if (!words[i][0])
            return error_set(err, ERROR_INVALID, fields[i], "is missing");
    if (!loaded_libraries_check(&loaded, &inner))
        return document_refuse_inside(err, member->name, &inner);
    memcpy(loaded.dnn, words[2], sizeof loaded.dnn);
    document->run.loaded = loaded_libraries_to_text(&loaded);
    return true;
}

bool member_read_implementations(const struct document_member *member, struct span value,
                                 struct document *document, struct error *err)
{
    AUTO(json_decrefp) json_t *json = document_parse(value, member->name, err);

    document->run.implementations = json ? implementations_from_json(json, err) : NULL;
    return document->run.implementations != NULL;
}

bool member_read_void(const struct document_member *member, struct span value,
                      struct document *document, struct error *err)
{
    static const char *const names[] = {"at", "by", "reason", NULL};
    struct taken_back *voided = &document->run.voided;
    struct span values[3] = {{NULL, 0}};

    if (!take_apart(value, member->name, names, values, err))
        return false;
    if (!values[0].start)
        return error_set(err, ERROR_INVALID, "void.at", "is missing");
    if (!values[2].start)
        return error_set(err, ERROR_INVALID, "void.reason", "is missing");
    if (!member_read_time(values[0], "void.at", &voided->at_us, err) ||
        (values[1].start &&
         !document_read_text(values[1], "void.by", sizeof voided->by, voided->by, err)) ||
        !document_read_text(values[2], "void.reason", sizeof voided->reason, voided->reason, err))
        return false;
    return voided->reason[strspn(voided->reason, " ")] ||
           error_set(err, ERROR_INVALID, "void.reason", "must not be empty");
}

/* Exactly this many digits between quotes. */
static bool read_digits(struct span value, const char *field, size_t digits, char *ret_text,
                        struct error *err)
{
    if (value.length != digits + 2 || value.start[0] != '"' ||
        !signature_is_digits(value.start + 1, digits, digits))
        return error_set(err, ERROR_INVALID, field, "must be %zu digits of 0-9 and a-f", digits);
    memcpy(ret_text, value.start + 1, digits);
    ret_text[digits] = '\0';
    return true;
}

bool member_read_signature(const struct document_member *member, struct span value,
                           struct document *document, struct error *err)
{
    static const char *const names[] = {"key", "algorithm", "value", NULL};
    static const char *const fields[] = {"signature.key", "signature.algorithm",
                                         "signature.value"};
    struct signature *signature = &document->signature;
    struct span values[3] = {{NULL, 0}};

    if (!take_apart(value, member->name, names, values, err))
        return false;
    for (size_t i = 0; i < COUNT(fields); i++)
        if (!values[i].start)
            return error_set(err, ERROR_INVALID, fields[i], "is missing");
    if (!span_is(values[1], "\"" SIGNATURE_ALGORITHM "\""))
        return error_set(err, ERROR_INVALID, fields[1], "must be \"%s\"", SIGNATURE_ALGORITHM);
    return read_digits(values[0], fields[0], SIGNATURE_KEY_SIZE - 1, signature->key, err) &&
           read_digits(values[2], fields[2], SIGNATURE_VALUE_SIZE - 1, signature->value, err);
}
