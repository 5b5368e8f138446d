#include "engine/spec/configuration.h"

#include "common/cleanup.h"
#include "tests/test.h"

static struct run_spec spec_of(const char *text)
{
    struct run_spec spec = run_spec_default();
    struct error err = {0};

    EXPECT(run_spec_from_text(text, strlen(text), &spec, &err));
    EXPECT_STR(err.message, "");
    return spec;
}

static char *text_of(const char *spec_text)
{
    const struct run_spec spec = spec_of(spec_text);
    char *text = configuration_of_spec(&spec);

    EXPECT(text != NULL);
    return text;
}

static void specs_that_differ_in_nothing_that_matters_have_one(void)
{
    static const char *const others[] = {
        "{\"seed\":77}",
        "{\"steps\":40,\"warmup_steps\":3}",
        "{\"min_seconds\":5,\"max_seconds\":900}",
        "{\"target_percent\":0.5}",
        "{\"max_dollars\":2}",
        "{\"labels\":{\"branch\":\"main\"}}",
        "{\"workload\":\"mlp\"}", /* which is a column beside it, like the engine */
        "{\"engine\":\"pytorch\"}",
    };
    AUTO(freep) char *usual = text_of("{}");

    for (size_t i = 0; i < COUNT(others); i++) {
        AUTO(freep) char *other = text_of(others[i]);

        EXPECT_STR(other, usual);
    }
}

static void whatever_may_change_the_speed_makes_another(void)
{
    static const char *const others[] = {
        "{\"batch_size\":17}",   "{\"threads\":3}",        "{\"precision\":\"bf16\"}",
        "{\"input_workers\":2}", "{\"pinning\":\"none\"}", "{\"isa\":\"avx2\"}",
    };
    AUTO(freep) char *usual = text_of("{}");

    for (size_t i = 0; i < COUNT(others); i++) {
        AUTO(freep) char *other = text_of(others[i]);

        EXPECT(strcmp(other, usual) != 0);
    }
}

static void each_field_is_either_part_of_it_or_left_out(void)
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
}

/* Filters look for members in it as they are written. */
static void it_is_one_line_without_blanks(void)
{
    AUTO(freep) char *text = text_of("{\"batch_size\":48}");

    EXPECT(strpbrk(text, " \n\t") == NULL);
    EXPECT(strstr(text, "\"batch_size\":48,") != NULL);
}

int main(void)
{
    RUN(specs_that_differ_in_nothing_that_matters_have_one);
    RUN(whatever_may_change_the_speed_makes_another);
    RUN(each_field_is_either_part_of_it_or_left_out);
    RUN(it_is_one_line_without_blanks);
    return test_result();
}
