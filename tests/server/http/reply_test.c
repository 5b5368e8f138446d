#include "server/http/reply.h"

#include "common/rows/members.h"
#include "tests/test.h"

static json_t *parse(const struct exchange *exchange)
{
    const struct bytes *body = &exchange->reply.body;
    json_error_t why;

    return json_loadb(body->data ? body->data : "", body->used, JSON_REJECT_DUPLICATES, &why);
}

static const char *member(json_t *json, const char *key)
{
    return json_string_value(json_object_get(json, key));
}

static const char *field_of(const struct exchange *exchange, const char *name)
{
    for (int i = 0; i < exchange->reply.field_count; i++)
        if (strcmp(exchange->reply.fields[i].name, name) == 0)
            return exchange->reply.fields[i].value;
    return NULL;
}

static void exchange_clear(struct exchange *exchange)
{
    bytes_free(&exchange->reply.body);
    memset(exchange, 0, sizeof *exchange);
}

#define TEST_WITH_EXCHANGE(name) TEST_GIVEN(name, struct exchange *exchange, with_exchange)

static void with_exchange(void (*test)(struct exchange *exchange))
{
    static struct exchange exchange;

    test(&exchange);
    exchange_clear(&exchange);
}

static void expect_problem(struct exchange *exchange, int status, const char *type,
                           const char *detail, const char *field)
{
    AUTO(json_decrefp) json_t *json = parse(exchange);

    EXPECT_INT(exchange->reply.status, status);
    EXPECT_STR(exchange->reply.content_type, "application/problem+json");
    EXPECT_STR(member(json, "type"), type);
    EXPECT(strlen(member(json, "title")) > 0);
    EXPECT_INT(json_integer_value(json_object_get(json, "status")), status);
    EXPECT_STR(member(json, "detail"), detail);
    EXPECT_STR(member(json, "field"), field);
    EXPECT(json_object_get(json, "allowed") == NULL);
}

static const struct {
    enum error_kind kind;
    int status;
    const char *type, *retry_after;
} kinds[] = {
    {ERROR_INVALID, 400, "urn:pennyworth:problem:invalid", NULL},
    {ERROR_NOT_FOUND, 404, "urn:pennyworth:problem:not-found", NULL},
    {ERROR_CONFLICT, 409, "urn:pennyworth:problem:conflict", NULL},
    {ERROR_MISMATCH, 422, "urn:pennyworth:problem:key-reused", NULL},
    {ERROR_UNPROVEN, 422, "urn:pennyworth:problem:signature-wrong", NULL},
    {ERROR_FORBIDDEN, 403, "urn:pennyworth:problem:forbidden", NULL},
    {ERROR_FULL, 429, "urn:pennyworth:problem:queue-full", "30"},
    {ERROR_BUSY, 503, "urn:pennyworth:problem:busy", "1"},
    {ERROR_UPSTREAM, 502, "urn:pennyworth:problem:upstream", NULL},
};

TEST_WITH_EXCHANGE(every_kind_of_error_has_its_status_and_is_a_problem_document)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct error err = {0};

        error_set(&err, kinds[i].kind, "steps", "something about %d steps", 5);
        reply_error(exchange, &err);
        EXPECT_STR(field_of(exchange, "Retry-After"), kinds[i].retry_after);
        expect_problem(exchange, kinds[i].status, kinds[i].type, "steps: something about 5 steps",
                       "steps");
        exchange_clear(exchange);
    }
}

TEST_WITH_EXCHANGE(an_internal_error_is_for_our_log_and_not_for_strangers)
{
    struct error err = {0};

    error_set(&err, ERROR_INTERNAL, NULL, "no such table: secrets in /var/db");
    reply_error(exchange, &err);
    EXPECT_INT(exchange->reply.status, 500);
    EXPECT(strstr(exchange->reply.body.data, "secrets") == NULL);
    EXPECT(strstr(exchange->reply.body.data, "/var/db") == NULL);

    AUTO(json_decrefp) json_t *json = parse(exchange);
    EXPECT_STR(member(json, "type"), "urn:pennyworth:problem:internal");
    EXPECT_STR(member(json, "detail"), "the server's log says more");
}

static const char *const choices[] = {"f32", "bf16", NULL};

static const struct {
    struct allowed allowed;
    const char *text;
} limits[] = {
    {{.ranged = true, .min = 1, .max = 9}, "{\"maximum\":9,\"minimum\":1}"},
    {{.ranged = true, .above_min = true, .max = 9}, "{\"exclusiveMinimum\":0,\"maximum\":9}"},
    {{.choices = choices}, "{\"values\":[\"f32\",\"bf16\"]}"},
};

TEST_WITH_EXCHANGE(an_error_says_what_is_allowed)
{
    for (size_t i = 0; i < COUNT(limits); i++) {
        struct error err = {0};

        error_not_allowed(&err, "steps", limits[i].allowed, "got 10");
        reply_error(exchange, &err);
        AUTO(json_decrefp) json_t *json = parse(exchange);
        AUTO(freep)
        char *text = json_dumps(json_object_get(json, "allowed"), JSON_COMPACT | JSON_SORT_KEYS);
        EXPECT_STR(text, limits[i].text);
    }
}

TEST_WITH_EXCHANGE(a_text_of_a_client_cannot_break_the_document)
{
    struct error err = {0};

    error_set(&err, ERROR_INVALID, "\"},\303\274\n", "'%s' is wrong", "\"\\\xff\x01</script>");
    reply_error(exchange, &err);
    AUTO(json_decrefp) json_t *json = parse(exchange);
    EXPECT_STR(member(json, "field"), "\"},???");
    EXPECT_STR(member(json, "detail"), "\"},???: '\"\\\?\?</script>' is wrong");
}

static const struct {
    int status;
    const char *type;
} problems[] = {
    {400, "urn:pennyworth:problem:invalid"},
    {401, "urn:pennyworth:problem:unauthorized"},
    {403, "urn:pennyworth:problem:forbidden"},
    {404, "urn:pennyworth:problem:not-found"},
    {405, "urn:pennyworth:problem:method-not-allowed"},
    {406, "urn:pennyworth:problem:not-acceptable"},
    {411, "urn:pennyworth:problem:length-required"},
    {413, "urn:pennyworth:problem:content-too-large"},
    {415, "urn:pennyworth:problem:unsupported-media-type"},
    {431, "urn:pennyworth:problem:header-too-large"},
    {503, "urn:pennyworth:problem:stopping"},
};

TEST_WITH_EXCHANGE(what_only_http_can_say_is_a_problem_document_too)
{
    for (size_t i = 0; i < COUNT(problems); i++) {
        const char *field = i % 2 ? "Accept" : NULL;

        reply_problem(exchange, problems[i].status, field, "because of %s", "that");
        expect_problem(exchange, problems[i].status, problems[i].type,
                       field ? "Accept: because of that" : "because of that", field);
        exchange_clear(exchange);
    }
}

TEST_WITH_EXCHANGE(an_error_replaces_whatever_the_reply_held)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    struct error err = {0};

    exchange->reply.body.limit = REPLY_MAX;
    jsonw_text(&out, NULL, "half an answer");
    reply_json(exchange, 200, &out);
    reply_field(exchange, "ETag", "\"%d\"", 5);
    error_set(&err, ERROR_NOT_FOUND, NULL, "there is no run");
    reply_error(exchange, &err);

    EXPECT_INT(exchange->reply.status, 404);
    EXPECT_STR(field_of(exchange, "ETag"), NULL);
    EXPECT(strstr(exchange->reply.body.data, "half") == NULL);
    AUTO(json_decrefp) json_t *json = parse(exchange);
    EXPECT_STR(member(json, "field"), NULL);
}

TEST_WITH_EXCHANGE(json_that_was_written_is_answered_as_it_is)
{
    struct json_writer out = {.bytes = &exchange->reply.body};

    exchange->reply.body.limit = REPLY_MAX;
    jsonw_text(&out, NULL, "whole");
    reply_json(exchange, 201, &out);
    EXPECT_HAS(exchange->reply, (status, 201), (content_type, "application/json"),
               (body.data, "\"whole\""));
}

TEST_WITH_EXCHANGE(json_that_did_not_fit_is_not_answered_in_part)
{
    struct json_writer out = {.bytes = &exchange->reply.body};

    exchange->reply.body.limit = 5;
    jsonw_text(&out, NULL, "far too long");
    reply_json(exchange, 200, &out);
    EXPECT_INT(exchange->reply.status, 500);
    AUTO(json_decrefp) json_t *json = parse(exchange);
    EXPECT_STR(member(json, "type"), "urn:pennyworth:problem:internal");
}

/* A list of one number; reading it may fail. */
struct numbers {
    long long first;
    struct error *err;
    bool broken;
};

static void write_numbers(struct json_writer *out, const struct member *row, const void *object)
{
    const struct numbers *numbers = object;

    jsonw_open(out, row->name, '[');
    jsonw_integer(out, NULL, numbers->first);
    if (numbers->broken)
        error_set(numbers->err, ERROR_DAMAGED, NULL, "the disk is damaged");
    jsonw_close(out, ']');
}

static const struct member number_rows[] = {
    {MEMBER(struct numbers, first)},
    {MEMBER_WRITTEN("numbers", MEMBER_LIST, write_numbers)},
    {0},
};
static const struct members number_members = {.rows = number_rows};

TEST_WITH_EXCHANGE(an_object_is_answered_with_its_members)
{
    exchange->reply.body.limit = REPLY_MAX;
    reply_object(exchange, 202, &number_members, &(struct numbers){.first = 7});
    EXPECT_HAS(exchange->reply, (status, 202), (content_type, "application/json"),
               (body.data, "{\"first\":7,\"numbers\":[7]}"));
}

TEST_WITH_EXCHANGE(a_list_that_was_read_is_answered)
{
    struct error err = {0};

    exchange->reply.body.limit = REPLY_MAX;
    reply_list(exchange, &number_members, &(struct numbers){7, &err, false}, &err);
    EXPECT_INT(exchange->reply.status, 200);
    EXPECT_STR(exchange->reply.body.data, "{\"first\":7,\"numbers\":[7]}");
}

TEST_WITH_EXCHANGE(a_list_that_could_not_be_read_is_answered_with_the_error_alone)
{
    struct error err = {0};

    exchange->reply.body.limit = REPLY_MAX;
    reply_list(exchange, &number_members, &(struct numbers){7, &err, true}, &err);
    EXPECT_INT(exchange->reply.status, 503);
    AUTO(json_decrefp) json_t *json = parse(exchange);
    EXPECT_STR(member(json, "detail"), "the disk is damaged");
    EXPECT(json_object_get(json, "first") == NULL);
}

TEST_WITH_EXCHANGE(fixed_bytes_are_answered_without_a_copy)
{
    static const char page[] = "<html>";

    reply_fixed(exchange, "text/html", page, strlen(page));
    EXPECT_HAS(exchange->reply, (status, 200), (content_type, "text/html"));
    EXPECT(exchange->reply.fixed_body == page);
    EXPECT_INT((long long)exchange->reply.fixed_size, 6);
    EXPECT(exchange->reply.body.data == NULL);
}

TEST_WITH_EXCHANGE(header_fields_are_kept_in_order_up_to_the_limit)
{
    for (int i = 0; i < REPLY_FIELDS_MAX; i++)
        reply_field(exchange, "X-Number", "%d", i);
    EXPECT_INT(exchange->reply.field_count, REPLY_FIELDS_MAX);
    EXPECT_STR(exchange->reply.fields[0].value, "0");
    EXPECT_INT(strtol(exchange->reply.fields[REPLY_FIELDS_MAX - 1].value, NULL, 10),
               REPLY_FIELDS_MAX - 1);
}
