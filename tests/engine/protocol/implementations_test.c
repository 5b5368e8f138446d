#include "engine/protocol/implementations.h"

#include "engine/protocol/lines.h"
#include "tests/test.h"

static char *from_text(const char *text, struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);

    EXPECT(json != NULL);
    return implementations_from_json(json, err);
}

TEST(a_list_is_grouped_by_layer_in_its_order)
{
    static const struct implementation list[] = {
        {"conv1", "forward", "brgconv:avx512_core"},
        {"fc", "forward", "brg_matmul:avx512_core"},
        {"conv1", "backward_weights", "jit \"a\\b\""},
    };
    AUTO(freep) char *text = implementations_to_text(list, COUNT(list), NULL);
    AUTO(freep) char *none = implementations_to_text(NULL, 0, NULL);

    EXPECT_STR(text, "{\"conv1\":{\"forward\":\"brgconv:avx512_core\","
                     "\"backward_weights\":\"jit \\\"a\\\\b\\\"\"},"
                     "\"fc\":{\"forward\":\"brg_matmul:avx512_core\"}}");
    EXPECT_STR(none, "{}");
}

TEST(what_was_said_becomes_the_same_text)
{
    AUTO(freep)
    char *text = from_text("{ \"b\" : { \"p\" : \"x y\", \"o\":\"z\" }, \"a\":{} }", NULL);

    EXPECT_STR(text, "{\"b\":{\"p\":\"x y\",\"o\":\"z\"},\"a\":{}}");
}

#define WORDS_16 "0123456789abcdef"
#define WORDS_64 WORDS_16 WORDS_16 WORDS_16 WORDS_16
static const struct {
    const char *text, *message;
} refusals[] = {
    {"[]", "must be an object of objects of strings"},
    {"null", "must be an object of objects of strings"},
    {"\"text\"", "must be an object of objects of strings"},
    {"{\"a\":\"b\"}", "must be an object of objects of strings"},
    {"{\"a\":{\"b\":1}}", "must be an object of objects of strings"},
    {"{\"a\":{\"b\":{}}}", "must be an object of objects of strings"},
    {"{\"\":{}}", "must hold words of 1 to 63 bytes, got 0"},
    {"{\"a\":{\"\":\"c\"}}", "must hold words of 1 to 63 bytes, got 0"},
    {"{\"a\":{\"b\":\"\"}}", "must hold words of 1 to 63 bytes, got 0"},
    {"{\"a\":{\"b\":\"" WORDS_64 "\"}}", "must hold words of 1 to 63 bytes, got 64"},
    {"{\"a\\n\":{}}", "must hold only printable ASCII"},
    {"{\"a\":{\"b\":\"\\u007f\"}}", "must hold only printable ASCII"},
    {"{\"a\":{\"caf\xc3\xa9\":\"c\"}}", "must hold only printable ASCII"},
};

TEST(what_is_no_object_of_objects_of_words_is_refused)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        EXPECT_WRONG(from_text(refusals[i].text, &err), "implementations", refusals[i].message);
    }
}

TEST(a_list_obeys_the_same_rules)
{
    static const struct {
        struct implementation list[2];
        const char *message;
    } lists[] = {
        {{{"a", "b", "c"}, {"a", "b", "d"}}, "has 'b' of 'a' twice"},
        {{{"a", "b", "c"}, {"a", "", "d"}}, "must hold words of 1 to 63 bytes, got 0"},
        {{{"a", "b", "c"}, {"a", "d", NULL}}, "must hold words of 1 to 63 bytes, got 0"},
        {{{"a", "b", "c"}, {WORDS_64, "b", "c"}}, "must hold words of 1 to 63 bytes, got 64"},
        {{{"a", "b", "c"}, {"a", "d", "\t"}}, "must hold only printable ASCII"},
    };

    for (size_t i = 0; i < COUNT(lists); i++) {
        EXPECT_ERROR_MESSAGE(implementations_to_text(lists[i].list, 2, &err), ERROR_INVALID,
                             lists[i].message);
    }
}

#define LAYERS_MAX 128
#define PASSES 5

static char *text_of_network(int layer_count, const char *name, struct error *err)
{
    static const char *const passes[PASSES] = {"forward", "backward_data", "backward_weights",
                                               "update", "reorder"};
    static struct implementation list[LAYERS_MAX * PASSES];
    static char layers[LAYERS_MAX][40];

    for (int i = 0; i < layer_count; i++) {
        snprintf(layers[i], sizeof layers[i], "layer%d.%d.downsample.conv", i / 8, i % 8);
        for (int pass = 0; pass < PASSES; pass++)
            list[i * PASSES + pass] = (struct implementation){layers[i], passes[pass], name};
    }
    return implementations_to_text(list, (size_t)layer_count * PASSES, err);
}

TEST(a_large_network_fits_and_no_endless_one)
{
    struct error err = {0};
    AUTO(freep) char *text = text_of_network(64, "brgconv_bwd_w:avx512_core_amx_bf16", NULL);

    EXPECT(text && strlen(text) > 10000 && strlen(text) <= IMPLEMENTATIONS_MAX);
    EXPECT(IMPLEMENTATIONS_MAX + 1000 < WORKER_LINE_MAX);
    AUTO(freep) char *again = from_text(text, NULL);
    EXPECT_STR(again, text);

    EXPECT(text_of_network(LAYERS_MAX, &WORDS_64[1], &err) == NULL);
    EXPECT_INT(err.kind, ERROR_INVALID);
    EXPECT(strncmp(err.message, "must have at most 32768 bytes, got ", 35) == 0);
}
