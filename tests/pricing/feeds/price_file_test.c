/* Prices from a file of this machine, CSV or JSON: all of it is good, or none is taken. */
#include "pricing/feeds/sources.h"

#include "tests/pricing/feeds/walk.h"
#include "tests/test.h"

#define HEADER                                                                                   \
    "provider,region,zone,instance_type,kind,currency,price_per_hour,valid_from,reference\n"
#define ROW "aws,us-east-1,us-east-1b,c7i.2xlarge,spot,USD,0.1234,2026-08-06T17:17:52Z,order 7\n"

static enum reading_state read_text(struct walk *walk, const char *text)
{
    walk_start(walk, &price_file, "");
    walk->reading.url = "/tmp/prices";
    return walk_texts(walk, (const char *const[]){text, NULL});
}

static void expect_the_row(struct walk *walk)
{
    const struct price *price = walk_price(walk, "c7i.2xlarge", "us-east-1b", PRICE_SPOT);

    EXPECT_STR(walk->err.message, "");
    EXPECT_INT(walk_count(walk), 1);
    EXPECT(price != NULL);
    if (!price)
        return;
    EXPECT_STR(price->provider, "aws");
    EXPECT_STR(price->region, "us-east-1");
    EXPECT_STR(price->currency, "USD");
    EXPECT_STR(price->text, "0.1234");
    EXPECT_STR(price->reference, "order 7");
    EXPECT_STR(price->feed, "price-file");
    EXPECT_INT(price->nanos, 123400000);
    EXPECT_INT(price->source_us, 1786036672000000);
    EXPECT_INT(price->fetched_us, WALK_NOW_US);
}

static void a_row_of_csv_and_one_of_json_are_the_same_price(void)
{
    static const char *const texts[] = {
        HEADER ROW,
        "instance_type,price_per_hour,zone,region,provider,reference,kind,valid_from,currency\r\n"
        "c7i.2xlarge,0.1234,us-east-1b,us-east-1,aws,order 7,spot,2026-08-06T19:17:52+02:00,"
        "\"USD\"",
        "{\"prices\":[{\"provider\":\"aws\",\"region\":\"us-east-1\",\"zone\":\"us-east-1b\","
        "\"instance_type\":\"c7i.2xlarge\",\"kind\":\"spot\",\"currency\":\"USD\","
        "\"price_per_hour\":\"0.1234\",\"valid_from\":\"2026-08-06T17:17:52Z\","
        "\"reference\":\"order 7\"}]}",
        "{\"comment\":1,\"prices\":[{\"price_per_hour\":0.1234,\"provider\":\"aws\",\"region\":"
        "\"us-east-1\",\"zone\":\"us-east-1b\",\"instance_type\":\"c7i.2xlarge\",\"kind\":"
        "\"spot\",\"valid_from\":\"2026-08-06T17:17:52Z\",\"reference\":\"order 7\"}]}"};
    static const size_t chunks[] = {0, 1, 7};

    for (size_t i = 0; i < COUNT(texts) * COUNT(chunks); i++) {
        AUTO(walk_end) struct walk walk;

        walk_start(&walk, &price_file, "");
        walk.reading.url = "/tmp/prices";
        walk.chunk = chunks[i % COUNT(chunks)];
        EXPECT_INT(walk_texts(&walk, (const char *const[]){texts[i / COUNT(chunks)], NULL}),
                   READING_DONE);
        expect_the_row(&walk);
        EXPECT_STR(walk.requests[0].url, "/tmp/prices");
    }
}

static void little_needs_to_be_said(void)
{
    static const char *const texts[] = {
        "instance_type,price_per_hour\nx1,2\n",
        "{\"prices\":[{\"instance_type\":\"x1\",\"price_per_hour\":2}]}",
        "{\"prices\":[{\"instance_type\":\"x1\",\"price_per_hour\":2,\"zone\":null}]}"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO(walk_end) struct walk walk;
        const struct price *price;

        EXPECT_INT(read_text(&walk, texts[i]), READING_DONE);
        EXPECT_STR(walk.err.message, "");
        price = walk_price(&walk, "x1", "", PRICE_TYPED);
        EXPECT_INT(price ? price->nanos : 0, 2000000000);
        EXPECT_STR(price ? price->currency : "", "USD");
        EXPECT_STR(price ? price->provider : "?", "");
    }
}

static void expect_refused(const char *text, const char *message)
{
    AUTO(walk_end) struct walk walk;

    EXPECT_INT(read_text(&walk, text), READING_FAILED);
    EXPECT_INT(walk.err.kind, ERROR_UPSTREAM);
    EXPECT_STR(walk.err.message, message);
}

static void one_bad_row_refuses_the_file_and_says_which_and_why(void)
{
    expect_refused(HEADER ROW "aws,r,,t,spot,USD,0,,\n",
                   "price 2: price_per_hour must be a decimal number above 0 and at most 100000, "
                   "got '0'");
    expect_refused(HEADER "aws,r,,t,spot,USD,,,\n", "price 1: price_per_hour is missing");
    expect_refused(HEADER "aws,r,,,spot,USD,1,,\n", "price 1: instance_type is missing");
    expect_refused(HEADER "aws,r,,t,spot,usd,1,,\n",
                   "price 1: currency must be three capital letters, like USD");
    expect_refused(HEADER "aws,r,,t,Spot,USD,1,,\n",
                   "price 1: kind 'Spot' is not a kind of price");
    expect_refused(HEADER "aws,r,,t,spot,USD,1,yesterday,\n",
                   "price 1: valid_from must be a time like 2026-08-06T17:17:52Z");
    expect_refused(HEADER "aws,r,,t,spot,USD,\"1,5\",,\n",
                   "price 1: price_per_hour must be a decimal number above 0 and at most 100000, "
                   "got '1,5'");
}

static void a_table_of_another_shape_is_refused(void)
{
    expect_refused(HEADER "aws,r,,t,spot,USD,1,\n", "price 1 has 8 columns, the header 9");
    expect_refused(HEADER ROW "c7i.2xlarge\n", "price 2 has 1 columns, the header 9");
    expect_refused("instance_type,price\nx,1\n", "there is no column 'price': see --help");
    expect_refused("instance_type,kind\nx,spot\n",
                   "the columns instance_type and price_per_hour are needed");
    expect_refused("instance_type,price_per_hour,price_per_hour\nx,1,2\n",
                   "the column 'price_per_hour' is there twice");
    expect_refused("", "there is nothing in the file");
    expect_refused("\n\n", "there is nothing in the file");
    expect_refused("instance_type,price_per_hour\nx,\"1", "the text ends within a quoted field");
}

static void json_that_is_not_understood_is_not_half_understood(void)
{
#define JSON(more) "{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":\"1\"" more "}]}"
    expect_refused(JSON(",\"zone\":7"), "price 1: zone must be a string");
    expect_refused(JSON(",\"currency\":978"), "price 1: currency must be a string");
    expect_refused(JSON(",\"kind\":[\"spot\"]"), "price 1: kind must be a string");
    expect_refused(
        JSON(",\"regoin\":\"us-east-1\""),
        "price 1: regoin is not a known field; known are provider, region, zone, instance_type, "
        "kind, currency, price_per_hour, valid_from, reference");
    expect_refused("{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":true}]}",
                   "price 1: price_per_hour must be a string or a number");
    expect_refused("{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":null}]}",
                   "price 1: price_per_hour is missing");
    expect_refused("{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":0}]}",
                   "price 1: price_per_hour must be a decimal number above 0 and at most 100000, "
                   "got '0'");
    expect_refused("{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":-1e300}]}",
                   "price 1: price_per_hour must be a decimal number above 0 and at most 100000, "
                   "got '-1e+300'");
    expect_refused("{\"prices\":[7]}", "price 1 is not a JSON object");
    expect_refused("{\"price\":[]}", "there is no member 'prices'");
    expect_refused("{}", "there is no member 'prices'");
    expect_refused("{\"prices\":[", "the document ends in the middle");
    expect_refused(JSON(",\"zone\":\"a\",\"zone\":\"b\""),
                   "an element is not JSON: duplicate object key near '\"zone\"'");
}

static void a_row_too_long_is_not_passed_over(void)
{
    static const char begin[] = "{\"prices\":[{\"instance_type\":\"x\",\"reference\":\"";
    static const char end[] = "\",\"price_per_hour\":1}]}";
    char text[10000];

    memset(text, 'x', sizeof text);
    memcpy(text, begin, strlen(begin));
    memcpy(text + sizeof text - sizeof end, end, sizeof end);
    expect_refused(text, "a price has more than 8192 bytes");
}

static void the_same_price_twice_is_one_and_two_prices_are_none(void)
{
    AUTO(walk_end) struct walk walk;

    EXPECT_INT(read_text(&walk, HEADER ROW ROW), READING_DONE);
    expect_the_row(&walk);
    expect_refused("instance_type,price_per_hour\nx,1\ny,5\nx,2\n",
                   "a price is there twice, and not the same");
}

static void a_list_of_none_is_a_list(void)
{
    static const char *const texts[] = {HEADER, "{\"prices\":[]}"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO(walk_end) struct walk walk;

        EXPECT_INT(read_text(&walk, texts[i]), READING_DONE);
        EXPECT_STR(walk.err.message, "");
        EXPECT_INT(walk_count(&walk), 0);
    }
}

int main(void)
{
    RUN(a_row_of_csv_and_one_of_json_are_the_same_price);
    RUN(little_needs_to_be_said);
    RUN(one_bad_row_refuses_the_file_and_says_which_and_why);
    RUN(a_table_of_another_shape_is_refused);
    RUN(json_that_is_not_understood_is_not_half_understood);
    RUN(a_row_too_long_is_not_passed_over);
    RUN(the_same_price_twice_is_one_and_two_prices_are_none);
    RUN(a_list_of_none_is_a_list);
    return test_result();
}
