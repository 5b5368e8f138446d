/* What members write of an object, as text and as what a client reads. */
#pragma once

#include "common/rows/members.h"
#include "tests/test.h"

#include <jansson.h>
#include <math.h>

/* Freed by the caller. */
static inline char *written(const struct members *members, const void *object)
{
    struct bytes bytes = {.limit = 1 << 20};
    struct json_writer out = {.bytes = &bytes};

    members_write(&out, NULL, members, object);
    EXPECT(!out.failed && bytes.data);
    return bytes.data;
}

/* A name is never twice in an object. Given back by the caller. */
static inline json_t *read_back(const struct members *members, const void *object)
{
    AUTO(freep) char *text = written(members, object);
    json_error_t why = {.text = ""};
    json_t *json = json_loads(text ? text : "", JSON_REJECT_DUPLICATES, &why);

    EXPECT_STR(why.text, "");
    return json;
}

#define EXPECT_WRITTEN(members, object, wanted)                                                  \
    do {                                                                                         \
        AUTO(freep) char *text_ = written(members, object);                                      \
        EXPECT_STR(text_, wanted);                                                               \
    } while (0)

/* `way` names what differs. */
static inline void json_has(const json_t *json, json_t *wanted, const char *way, const char *file,
                            int line)
{
    char deeper[300];
    const char *key;
    json_t *part;
    size_t i;

    json_object_foreach(wanted, key, part)
    {
        snprintf(deeper, sizeof deeper, "%s.%s", way, key);
        json_has(json_object_get(json, key), part, deeper, file, line);
    }
    json_array_foreach(wanted, i, part)
    {
        snprintf(deeper, sizeof deeper, "%s.%zu", way, i);
        json_has(json_array_get(json, i), part, deeper, file, line);
    }
    if (json_is_array(wanted) && json_is_array(json))
        test_int((long long)json_array_size(json), (long long)i, file, line, way);
    else if (json_is_number(wanted) && json_is_number(json))
        test_near(json_number_value(json), json_number_value(wanted),
                  1e-9 * fabs(json_number_value(wanted)), file, line, way);
    else if (!json_is_object(wanted)) {
        AUTO(freep) char *got = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
        AUTO(freep) char *text = json_dumps(wanted, JSON_ENCODE_ANY);

        test_string(got, text, file, line, way);
    }
}

static inline void json_has_text(const json_t *json, const char *text, const char *file, int line)
{
    AUTO(freep) char *words = strdup(text);
    json_error_t why = {.text = ""};

    for (char *quote = words; (quote = strchr(quote, '\'')) != NULL;)
        *quote = '"';
    AUTO(json_decrefp) json_t *wanted = json_loads(words, 0, &why);
    test_string(why.text, "", file, line, text);
    json_has(json, wanted, "", file, line);
}

/* A value has what this text says, in which ' stands for ". Other members may be anything, and so
 * may what is {}; numbers agree to nine digits.
 *     EXPECT_JSON(feed, "{'state':'failed','age':null,'scopes':[{'prices':7},{}]}"); */
#define EXPECT_JSON(json, text) json_has_text((json), (text), __FILE__, __LINE__)
#define EXPECT_MEMBERS(members, object, text)                                                    \
    do {                                                                                         \
        AUTO(json_decrefp) json_t *json_ = read_back(members, object);                           \
        EXPECT_JSON(json_, text);                                                                \
    } while (0)
