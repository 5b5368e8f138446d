#include "common/json_read.h"

#include "common/cleanup.h"
#include "tests/test.h"

static const char text[] = "{\"name\": \"a text that is longer than a small buffer\", \"n\": 12}";

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BELOW_MALLOC __interceptor_malloc
#endif
#endif
#if !defined(BELOW_MALLOC) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define BELOW_MALLOC __interceptor_malloc
#endif
#ifndef BELOW_MALLOC
#define BELOW_MALLOC __libc_malloc
#endif
void *BELOW_MALLOC(size_t size);

static volatile long long allowed = -1; /* allocations before one fails; -1: none fails */

/* Runs before a sanitizer is ready for instrumented code. */
__attribute__((no_sanitize("address", "thread", "undefined"))) void *malloc(size_t size)
{
    if (allowed >= 0 && allowed-- == 0)
        return NULL;
    return BELOW_MALLOC(size);
}

static void a_value_is_read(void)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(text, strlen(text), 0, &why, NULL);
    AUTO(json_decrefp) json_t *number = json_read("125", 2, JSON_DECODE_ANY, &why, NULL);

    EXPECT_INT(json_integer_value(json_object_get(json, "n")), 12);
    EXPECT_INT(json_integer_value(number), 12);
}

static void bad_text_is_the_callers_to_report(void)
{
    static const char *const bad[] = {"", "{", "{\"a\": 1, \"a\": 2}", "[1] 2", "12"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct error err = {0};
        json_error_t why;

        EXPECT(json_read(bad[i], strlen(bad[i]), 0, &why, &err) == NULL);
        EXPECT(why.text[0] != '\0');
        EXPECT_INT(err.kind, ERROR_NONE);
    }
}

static void lack_of_memory_is_never_bad_text_nor_good(void)
{
    bool ended = true;

    for (long long at = 0; ended && at < 200; at++) {
        struct error err = {0};
        json_error_t why;

        allowed = at;
        AUTO(json_decrefp) json_t *json = json_read(text, strlen(text), 0, &why, &err);
        ended = allowed == -1;
        allowed = -1;
        EXPECT_INT(json != NULL, !ended);
        EXPECT_INT(err.kind, ended ? ERROR_INTERNAL : ERROR_NONE);
        EXPECT_STR(why.text, "");
    }
    EXPECT(!ended);
}

int main(void)
{
    RUN(a_value_is_read);
    RUN(bad_text_is_the_callers_to_report);
    RUN(lack_of_memory_is_never_bad_text_nor_good);
    return test_result();
}
