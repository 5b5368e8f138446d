#include "engine/protocol/details.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/json_text.h"
#include "common/limits.h"
#include "common/rows/body.h"

#define TEXT(member) BODY_TEXT(struct engine_details, member, 0)
#define DETAIL_WHOLE(member)                                                                     \
    BODY_AT(struct engine_details, member), .type = FIELD_INTEGER, .max = WHOLE_MAX
static const struct field fields[] = {
    {TEXT(library), .meaning = "The library that does the work, with its version."},
    {TEXT(isa), .meaning = "The instruction set that it uses."},
    {TEXT(plan), .meaning = "How it chose the arrangement of the work."},
    {TEXT(layout),
     .meaning = "The layout of images between the operations: what `auto` of the spec became."},
    {DETAIL_WHOLE(threads)},
    {DETAIL_WHOLE(parameters), .meaning = "Number of trained parameters."},
    {DETAIL_WHOLE(multiply_adds), .meaning = "Multiply-adds of one sample, forward."},
    {DETAIL_WHOLE(backward_multiply_adds),
     .meaning = "Multiply-adds of one sample, backward: the gradients of weights and of data."},
    {DETAIL_WHOLE(memory_bytes), .meaning = "Memory that its plan uses."},
    {DETAIL_WHOLE(step_bytes),
     .meaning =
         "The least that a step moves to and from memory; null where a cache could hold it."},
    {TEXT(peak_unit), .meaning = "The unit of the processor whose peak was measured."},
    {DETAIL_WHOLE(peak_multiply_adds_per_second),
     .meaning = "What its threads multiply at most, measured in this run."},
    {DETAIL_WHOLE(peak_read_bytes_per_second),
     .meaning = "What its threads read from memory at most, measured in this run."},
};

static const struct question {
    const char *name;
    size_t offset;
    const char *meaning;
} questions[] = {
    {BODY_AT(struct engine_details, emulated),
     .meaning = "Whether the processor lacks the precision, so that the engine computes in "
                "another."},
    {BODY_AT(struct engine_details, huge_pages),
     .meaning = "Whether the memory is in huge pages."},
};

static enum answer answer_to(const struct question *question,
                             const struct engine_details *details)
{
    enum answer answer;

    memcpy(&answer, (const char *)details + question->offset, sizeof answer);
    return answer;
}

static bool read_answer(const struct question *question, const json_t *value,
                        struct engine_details *details, struct error *err)
{
    enum answer answer = answer_of(json_is_true(value));

    if (!json_is_boolean(value))
        return error_set(err, ERROR_INVALID, question->name, "must be true or false");
    memcpy((char *)details + question->offset, &answer, sizeof answer);
    return true;
}

bool engine_details_from_json(const json_t *json, struct engine_details *ret_details,
                              struct error *err)
{
    struct engine_details details = {0};

    for (size_t i = 0; i < COUNT(fields); i++) {
        const json_t *value = json_object_get(json, fields[i].name);

        if (value && !field_read(&fields[i], value, &details, err))
            return false;
    }
    for (size_t i = 0; i < COUNT(questions); i++) {
        const json_t *value = json_object_get(json, questions[i].name);

        if (value && !read_answer(&questions[i], value, &details, err))
            return false;
    }
    *ret_details = details;
    return true;
}

bool engine_details_from_text(const char *text, struct engine_details *ret_details,
                              struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = text ? json_read(text, strlen(text), 0, &why) : NULL;
    const char *key;
    json_t *value;
    void *next;

    if (!text) {
        *ret_details = (struct engine_details){0};
        return true;
    }
    if (!json)
        return error_set(err, ERROR_INVALID, "engine_details", "is not JSON: %s", why.text);
    json_object_foreach_safe(json, next, key, value)
    {
        if (json_is_null(value))
            json_object_del(json, key);
    }
    return engine_details_from_json(json, ret_details, err);
}

static bool is_known(const struct field *field, const struct engine_details *details)
{
    const char *address = (const char *)details + field->offset;
    long long number;

    if (field->type == FIELD_TEXT)
        return *address != '\0';
    memcpy(&number, address, sizeof number);
    return number != 0;
}

static void write_all(const struct engine_details *details, json_t *object, bool with_null)
{
    for (size_t i = 0; i < COUNT(fields); i++) {
        bool known = is_known(&fields[i], details);

        if (known || with_null)
            json_object_set_new(object, fields[i].name,
                                known ? field_write(&fields[i], details) : json_null());
    }
    for (size_t i = 0; i < COUNT(questions); i++) {
        enum answer answer = answer_to(&questions[i], details);

        if (answer != ANSWER_NONE || with_null)
            json_object_set_new(object, questions[i].name,
                                answer == ANSWER_NONE ? json_null()
                                                      : json_boolean(answer == ANSWER_YES));
    }
}

void engine_details_into_json(const struct engine_details *details, json_t *object)
{
    write_all(details, object, false);
}

bool engine_details_are_known(const struct engine_details *details)
{
    for (size_t i = 0; i < COUNT(fields); i++)
        if (is_known(&fields[i], details))
            return true;
    for (size_t i = 0; i < COUNT(questions); i++)
        if (answer_to(&questions[i], details) != ANSWER_NONE)
            return true;
    return false;
}

char *engine_details_to_text(const struct engine_details *details)
{
    AUTO(json_decrefp) json_t *object = json_object();

    write_all(details, object, true);
    return json_text(object);
}

/* Written values are known, so neither 0 nor empty. */
json_t *engine_details_schema(void)
{
    struct field rows[COUNT(fields) + COUNT(questions)];

    memcpy(rows, fields, sizeof fields);
    for (size_t i = 0; i < COUNT(questions); i++)
        rows[COUNT(fields) + i] = (struct field){
            .name = questions[i].name, .type = FIELD_FLAG, .meaning = questions[i].meaning};
    for (size_t i = 0; i < COUNT(rows); i++) {
        rows[i].min = 1;
        rows[i].required = rows[i].nullable = true;
    }
    return body_describe(
        &(struct body){.meaning =
                           "What the engine reports about itself; null means not reported.",
                       BODY_ROWS(rows)},
        NULL);
}
