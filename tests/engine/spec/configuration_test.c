#include "engine/spec/configuration.h"

#include "tests/test.h"

static struct run_spec spec_of(const char *text)
{
    struct run_spec spec = run_spec_default();

    EXPECT_OK(run_spec_from_text(text, strlen(text), &spec, &err));
    return spec;
}

static char *text_of(const char *spec_text)
{
    const struct run_spec spec = spec_of(spec_text);

    return configuration_of_spec(&spec);
}

/* That each of its fields makes another is in configuration_equal_test.c. */
static const char *const left_out[] = {"workload",    "engine",      "warmup_steps",
                                       "steps",       "seed",        "max_seconds",
                                       "min_seconds", "max_dollars", "target_percent"};

TEST(each_field_is_either_part_of_it_or_left_out)
{
    const struct run_spec spec = run_spec_default();
    AUTO(freep) char *text = configuration_of_spec(&spec);
    AUTO(json_decrefp) json_t *json = json_loads(text, 0, NULL);
    size_t parts = 0;

    EXPECT(json != NULL);
    for (size_t i = 0; i < run_spec_field_count; i++) {
        const char *name = run_spec_fields[i].name;

        EXPECT_INT(configuration_has(name), json_object_get(json, name) != NULL);
        parts += configuration_has(name);
    }
    EXPECT_INT((long long)json_object_size(json), (long long)parts);
    EXPECT(parts > 8 && parts < run_spec_field_count);
    EXPECT(configuration_has("batch_size") && configuration_has("precision"));
    EXPECT(!configuration_has("seed") && !configuration_has("labels"));
    EXPECT(!configuration_has("nonsense") && !configuration_has(""));
    EXPECT_INT((long long)parts, CONFIGURATION_MEMBERS);
    for (size_t i = 0; i < COUNT(left_out); i++)
        EXPECT(!configuration_has(left_out[i]));
    /* A new field fails here: decide whether it can change the speed. */
    EXPECT_INT((long long)(parts + COUNT(left_out)), (long long)run_spec_field_count);
}

/* Equal configurations are found by their text, and figures are given in the same form. */
TEST(it_is_one_line_without_blanks)
{
    AUTO(freep) char *text = text_of("{\"batch_size\":48}");

    EXPECT(strpbrk(text, " \n\t") == NULL);
    EXPECT_PART(text, "\"batch_size\":48,");
}

static struct configuration read_text(const char *text)
{
    struct configuration configuration;

    configuration_read(text, &configuration);
    return configuration;
}

TEST(what_is_read_is_what_the_spec_said)
{
    AUTO(freep)
    char *text = text_of("{\"precision\":\"bf16\",\"batch_size\":48,\"threads\":3,"
                         "\"pinning\":\"none\",\"allocator\":\"jemalloc\"}");
    const struct configuration configuration = read_text(text);
    AUTO(json_decrefp) json_t *json = json_loads(text, 0, NULL);
    AUTO(json_decrefp) json_t *again = json_object();
    const char *name;
    json_t *value;

    EXPECT_STR(configuration.precision, "bf16");
    EXPECT_STR(configuration.pinning, "none");
    EXPECT_STR(configuration.allocator, "jemalloc");
    EXPECT_INT(configuration.batch_size, 48);
    EXPECT_INT(configuration.threads, 3);
    json_object_foreach(json, name, value)
        EXPECT(!json_object_set_new(again, name, configuration_member(&configuration, name)));
    EXPECT(json_equal(json, again));
    EXPECT(!configuration_member(&configuration, "seed"));
}

TEST(a_filter_wants_the_very_value)
{
    static const struct {
        const char *text, *precision;
        long long batch_size;
        bool matches;
    } cases[] = {
        {"{\"precision\":\"bf16\",\"batch_size\":16}", NULL, 0, true},
        {"{\"precision\":\"bf16\",\"batch_size\":16}", "bf16", 16, true},
        {"{\"precision\":\"bf16\",\"batch_size\":16}", "bf1", 0, false},
        {"{\"precision\":\"bf16\",\"batch_size\":16}", "f32", 16, false},
        {"{\"precision\":\"bf16\",\"batch_size\":16}", NULL, 1, false},
        {"{\"precision\":\"bf16\",\"batch_size\":16}", NULL, 160, false},
        /* of figures, whose sources say what they like */
        {"{\"precision\":\"fp8\",\"nodes\":2}", "fp8", 0, true},
        {"{\"precision\":\"fp8\",\"nodes\":2}", "fp", 0, false},
        {"{\"precision\":\"fp8\",\"nodes\":2}", NULL, 2, false},
        {"{\"precision\":8,\"batch_size\":\"16\"}", "8", 0, false},
        {"{\"precision\":8,\"batch_size\":\"16\"}", NULL, 16, false},
        {"{\"note\":\"\\\"precision\\\":\\\"bf16\\\"\"}", "bf16", 0, false},
        {"{}", NULL, 0, true},
        {"{}", "f32", 0, false},
        {"[]", "f32", 0, false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct configuration configuration = read_text(cases[i].text);

        EXPECT_INT(configuration_matches(&configuration, cases[i].precision, cases[i].batch_size),
                   cases[i].matches);
    }
}

TEST(differences_are_named_in_the_order_of_a_spec)
{
    const struct configuration plain =
        read_text("{\"precision\":\"f32\",\"batch_size\":16,\"threads\":0}");
    const struct configuration other =
        read_text("{\"threads\":0,\"batch_size\":8,\"precision\":\"bf16\"}");
    const struct configuration less = read_text("{\"precision\":\"f32\",\"batch_size\":16}");
    const char *names[CONFIGURATION_MEMBERS];

    EXPECT_INT((long long)configuration_differences(&plain, &plain, names), 0);
    EXPECT_INT((long long)configuration_differences(&plain, &other, names), 2);
    EXPECT_STR(names[0], "precision");
    EXPECT_STR(names[1], "batch_size");
    EXPECT_INT((long long)configuration_differences(&less, &plain, names), 1);
    EXPECT_STR(names[0], "threads");
}
