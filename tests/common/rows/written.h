/* What members write of an object, as text and as what a client reads. */
#pragma once

#include "common/cleanup.h"
#include "common/rows/members.h"
#include "tests/test.h"

#include <jansson.h>

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
