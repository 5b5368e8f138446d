#include "engine/protocol/details.h"

#include "tests/test.h"

#define ALL                                                                                      \
    "{\"library\":\"oneDNN 2.6.3\",\"isa\":\"avx512_bf16\",\"plan\":\"measured\","               \
    "\"layout\":\"nhwc\",\"threads\":2,\"parameters\":25557032,\"multiply_adds\":4089184256,"    \
    "\"backward_multiply_adds\":8060354560,\"memory_bytes\":1073741824,"                         \
    "\"step_bytes\":1600000000,\"peak_unit\":\"VDPBF16PS\","                                     \
    "\"peak_multiply_adds_per_second\":240000000000,\"peak_read_bytes_per_second\":20000000000," \
    "\"emulated\":true,\"huge_pages\":false}"

static const struct engine_details all = {
    .library = "oneDNN 2.6.3",
    .isa = "avx512_bf16",
    .plan = "measured",
    .layout = "nhwc",
    .threads = 2,
    .parameters = 25557032,
    .multiply_adds = 4089184256,
    .backward_multiply_adds = 8060354560,
    .memory_bytes = 1073741824,
    .step_bytes = 1600000000,
    .peak_unit = "VDPBF16PS",
    .peak_multiply_adds_per_second = 240000000000,
    .peak_read_bytes_per_second = 20000000000,
    .emulated = ANSWER_YES,
    .huge_pages = ANSWER_NO,
};

static bool read_text(const char *text, struct engine_details *details, struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_loads(text, 0, NULL);

    EXPECT(json != NULL);
    return engine_details_from_json(json, details, err);
}

TEST(what_is_stored_reads_back)
{
    struct engine_details details = {.threads = 77};

    EXPECT(engine_details_from_text(ALL, &details, NULL));
    EXPECT_INT(details.threads, 2);
    EXPECT_STR(details.plan, "measured");
    EXPECT(engine_details_from_text("{\"plan\":null,\"threads\":3,\"emulated\":null}", &details,
                                    NULL));
    EXPECT_INT(details.threads, 3);
    EXPECT_STR(details.plan, "");
    EXPECT_INT(details.emulated, ANSWER_NONE);
    EXPECT(engine_details_from_text(NULL, &details, NULL));
    EXPECT(!engine_details_are_known(&details));
    EXPECT_ERROR(engine_details_from_text("{", &details, &err), ERROR_INVALID);
}

TEST(only_known_members_are_written)
{
    AUTO(json_decrefp) json_t *json = json_pack("{s:i}", "protocol", 1);
    AUTO(json_decrefp)
    json_t *wanted = json_pack("{s:i, s:s, s:b}", "protocol", 1, "plan", "fixed", "emulated", 0);
    const struct engine_details some = {.plan = "fixed", .emulated = ANSWER_NO};

    engine_details_into_json(&some, json);
    EXPECT(json_equal(json, wanted));
}

TEST(as_text_every_member_is_there)
{
    const struct engine_details some = {.threads = 8, .huge_pages = ANSWER_YES};
    struct engine_details details;
    AUTO(freep) char *whole = engine_details_to_text(&all);
    AUTO(freep) char *partly = engine_details_to_text(&some);

    EXPECT_STR(whole, ALL);
    EXPECT(read_text(ALL, &details, NULL));
    AUTO(freep) char *again = engine_details_to_text(&details);
    EXPECT_STR(again, ALL);
    EXPECT_STR(partly,
               "{\"library\":null,\"isa\":null,\"plan\":null,\"layout\":null,\"threads\":8,"
               "\"parameters\":null,\"multiply_adds\":null,\"backward_multiply_adds\":null,"
               "\"memory_bytes\":null,\"step_bytes\":null,\"peak_unit\":null,"
               "\"peak_multiply_adds_per_second\":null,\"peak_read_bytes_per_second\":null,"
               "\"emulated\":null,\"huge_pages\":true}");
}

TEST(a_no_is_an_answer_and_a_zero_is_none)
{
    struct engine_details details;

    EXPECT(read_text("{\"emulated\":false}", &details, NULL));
    EXPECT(engine_details_are_known(&details));
    EXPECT(read_text("{\"threads\":0,\"isa\":\"\",\"mood\":\"good\"}", &details, NULL));
    EXPECT(!engine_details_are_known(&details));
    EXPECT(engine_details_are_known(&(struct engine_details){.isa = "avx2"}));
    EXPECT(engine_details_are_known(&(struct engine_details){.memory_bytes = 1}));
}

TEST(the_longest_words_fit)
{
    struct engine_details details;
    char words[LIBRARY_MAX + 2], text[200];

    memset(words, 'w', sizeof words);
    words[LIBRARY_MAX + 1] = '\0';
    snprintf(text, sizeof text, "{\"library\":\"%s\"}", words + 1);
    EXPECT(read_text(text, &details, NULL));
    EXPECT_STR(details.library, words + 1);
    snprintf(text, sizeof text, "{\"library\":\"%s\"}", words);
    EXPECT_MESSAGE(read_text(text, &details, &err), "must have between 0 and 63 bytes, got 64");
}

static const struct {
    const char *text, *field;
} refusals[] = {
    {"{\"library\":true}", "library"},
    {"{\"isa\":[]}", "isa"},
    {"{\"plan\":null}", "plan"},
    {"{\"layout\":7}", "layout"},
    {"{\"threads\":\"2\"}", "threads"},
    {"{\"threads\":-1}", "threads"},
    {"{\"parameters\":1.5}", "parameters"},
    {"{\"multiply_adds\":-9}", "multiply_adds"},
    {"{\"memory_bytes\":{}}", "memory_bytes"},
    {"{\"step_bytes\":-1}", "step_bytes"},
    {"{\"peak_unit\":0}", "peak_unit"},
    {"{\"peak_multiply_adds_per_second\":0.5}", "peak_multiply_adds_per_second"},
    {"{\"peak_read_bytes_per_second\":\"fast\"}", "peak_read_bytes_per_second"},
    {"{\"emulated\":0}", "emulated"},
    {"{\"huge_pages\":null}", "huge_pages"},
};

TEST(a_refusal_names_the_member_and_fills_nothing)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct engine_details details = {.threads = 77};

        EXPECT_INVALID(read_text(refusals[i].text, &details, &err), refusals[i].field);
        EXPECT_INT(details.threads, 77);
    }
}

TEST(every_member_that_is_written_is_described)
{
    const struct engine_details none = {0};
    AUTO(freep) char *text = engine_details_to_text(&none);
    AUTO(json_decrefp) json_t *written = json_loads(text, 0, NULL);
    AUTO(json_decrefp) json_t *schema = engine_details_schema();
    json_t *properties = json_object_get(schema, "properties"), *value;
    const char *name;

    EXPECT_INT((long long)json_object_size(written), (long long)json_object_size(properties));
    EXPECT_INT((long long)json_array_size(json_object_get(schema, "required")),
               (long long)json_object_size(properties));
    json_object_foreach(written, name, value)
    {
        json_t *type = json_object_get(json_object_get(properties, name), "type");

        EXPECT(json_is_null(value));
        EXPECT_STR(json_string_value(json_array_get(type, 1)), "null");
    }
}
