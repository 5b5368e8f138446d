#include "engine/spec/run_spec_text.h"

#include "common/memory.h"
#include "tests/test.h"

#include <string.h>

/* What a tree of the text says: its spec as text, or NULL where it is refused. */
static char *by_tree(const char *text)
{
    AUTO(json_decrefp) json_t *json = run_spec_parse(text, strlen(text), NULL);
    struct run_spec spec;

    return json && run_spec_from_stored_json(json, &spec, NULL) ? run_spec_to_text(&spec) : NULL;
}

static bool reads_as_by_tree(const char *text)
{
    AUTO(freep) char *expected = by_tree(text), *found = NULL;
    struct run_spec spec;

    if (run_spec_from_stored(text, &spec, NULL))
        found = run_spec_to_text(&spec);
    return expected ? found && strcmp(expected, found) == 0 : !found;
}

static struct run_spec some_spec(void)
{
    struct run_spec spec = run_spec_default();

    spec.steps = 240;
    spec.target_percent = 2.5;
    spec.max_dollars = 1e-07;
    spec.label_count = 2;
    spec.labels[0] = (struct label){"branch", "main"};
    spec.labels[1] = (struct label){"commit", "0a1b"};
    return spec;
}

TEST(what_is_written_is_read_again)
{
    struct run_spec spec = some_spec(), read;
    AUTO(freep) char *text = run_spec_to_text(&spec);

    EXPECT(run_spec_from_stored(text, &read, NULL));
    AUTO(freep) char *again = run_spec_to_text(&read);
    EXPECT_STR(again, text);
    EXPECT_INT(read.label_count, 2);
    EXPECT_STR(read.labels[1].value, "0a1b");
}

TEST(a_value_with_escapes_is_read_again)
{
    struct run_spec spec = some_spec(), read;

    spec.labels[1] = (struct label){"commit", "caf\xc3\xa9 \"\\"};
    AUTO(freep) char *text = run_spec_to_text(&spec);
    EXPECT_PART(text, "\"caf\xc3\xa9 \\\"\\\\\"");
    EXPECT(run_spec_from_stored(text, &read, NULL));
    EXPECT_STR(read.labels[1].value, spec.labels[1].value);
}

TEST(it_is_a_member_of_an_answer_as_it_is_a_text)
{
    struct run_spec spec = some_spec();
    AUTO(freep) char *text = run_spec_to_text(&spec), *whole = NULL;
    AUTO(bytes_free) struct bytes answer = {.limit = 4096};
    struct json_writer out = {.bytes = &answer};

    jsonw_open(&out, NULL, '{');
    run_spec_write(&out, "spec", &spec);
    jsonw_number(&out, "after", 2); /* as the writer writes it, not as a text is stored */
    jsonw_close(&out, '}');
    whole = xasprintf("{\"spec\":%s,\"after\":2}", text);
    EXPECT_STR(answer.data, whole);
}

TEST(a_text_with_another_order_and_blanks_is_read_too)
{
    struct run_spec spec;

    EXPECT(run_spec_from_stored(" {\"seed\": 7, \"workload\": \"mlp2017\"}", &spec, NULL));
    EXPECT_INT(spec.seed, 7);
    EXPECT_INT(spec.batch_size, 128); /* the workload's usual one */
    EXPECT_INT(spec.label_count, 0);
}

TEST(every_change_of_one_character_is_read_as_by_a_tree)
{
    static const char others[] = "\"\\{}[]:,. -+01e9anx/\x01\x7f\xc3";
    struct run_spec spec = some_spec();
    AUTO(freep) char *text = run_spec_to_text(&spec);
    size_t length = strlen(text);

    for (size_t at = 0; at < length; at++) {
        char kept = text[at];

        for (const char *other = others; *other; other++) {
            AUTO(freep) char *longer = xasprintf("%.*s%c%s", (int)at, text, *other, text + at);

            text[at] = *other;
            EXPECT(reads_as_by_tree(text));
            text[at] = kept;
            EXPECT(reads_as_by_tree(longer));
        }
        AUTO(freep) char *shorter = xasprintf("%.*s%s", (int)at, text, text + at + 1);
        AUTO(freep) char *cut = xasprintf("%.*s", (int)at, text);
        EXPECT(reads_as_by_tree(shorter));
        EXPECT(reads_as_by_tree(cut));
    }
}

TEST(every_value_of_a_wrong_kind_is_refused_as_by_a_tree)
{
    static const char *const values[] = {
        "null", "true", "\"auto\"", "\"1\"", "1",   "1.0",   "1e3",      "-0",      "-1",  "007",
        "1.",   "0x1",  "\"\"",     "{}",    "[1]", "1e400", "\"none\"", "\"f32\"", "none"};

    for (size_t i = 0; i < run_spec_field_count; i++)
        for (size_t j = 0; j < COUNT(values); j++) {
            struct run_spec spec = some_spec();
            AUTO(freep) char *text = run_spec_to_text(&spec), *changed = NULL;
            char *value =
                strstr(text, run_spec_fields[i].name) + strlen(run_spec_fields[i].name) + 2;
            const char *after = value + strcspn(value, ",");

            *value = '\0';
            changed = xasprintf("%s%s%s", text, values[j], after);
            EXPECT(reads_as_by_tree(changed));
        }
}

TEST(labels_that_are_too_many_or_twice_are_refused_as_by_a_tree)
{
    struct run_spec spec = some_spec();
    AUTO(freep) char *text = run_spec_to_text(&spec), *twice = NULL, *unsorted = NULL;
    char *labels = strstr(text, "\"branch\"");

    *labels = '\0';
    twice = xasprintf("%s\"a\":\"1\",\"a\":\"1\"}}", text);
    unsorted = xasprintf("%s\"b\":\"1\",\"a\":\"1\"}}", text);
    EXPECT(reads_as_by_tree(twice));
    EXPECT(reads_as_by_tree(unsorted));

    for (int count = RUN_LABELS_MAX; count <= RUN_LABELS_MAX + 1; count++) {
        AUTO(bytes_free) struct bytes many = {.limit = 4096};

        EXPECT(bytes_printf(&many, "%s\"a\":\"1\"", text));
        for (int i = 1; i < count; i++)
            EXPECT(bytes_printf(&many, ",\"a%02d\":\"1\"", i));
        EXPECT(bytes_printf(&many, "}}"));
        EXPECT(reads_as_by_tree(many.data));
    }
}
