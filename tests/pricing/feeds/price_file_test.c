/* Prices from a file of this machine, CSV or JSON: all of it is good, or none is taken. */
#include "pricing/feeds/sources.h"

#include "tests/pricing/feeds/walk.h"

#define HEADER                                                                                   \
    "provider,region,zone,instance_type,kind,currency,price_per_hour,valid_from,reference\n"
#define ROW "aws,us-east-1,us-east-1b,c7i.2xlarge,spot,USD,0.1234,2026-08-06T17:17:52Z,order 7\n"

static enum reading_state read_text(struct walk *walk, const char *text)
{
    walk->reading.url = "/tmp/prices";
    return walk_texts(walk, TEXTS(text));
}

static void expect_the_row(struct walk *walk)
{
    const struct price *price = walk_price(walk, "c7i.2xlarge", "us-east-1b", PRICE_SPOT);

    EXPECT_STR(walk->err.message, "");
    EXPECT_INT(walk_count(walk), 1);
    REQUIRE(price != NULL);
    EXPECT_HAS(*price, (provider, "aws"), (region, "us-east-1"), (currency, "USD"),
               (text, "0.1234"), (reference, "order 7"), (feed, "price-file"), (nanos, 123400000),
               (source_us, 1786036672000000), (fetched_us, WALK_NOW_US));
}

TEST_WALK(a_row_of_csv_and_one_of_json_are_the_same_price, price_file, "")
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
        walk->chunk = chunks[i % COUNT(chunks)];
        EXPECT_READ(read_text(walk, texts[i / COUNT(chunks)]));
        expect_the_row(walk);
        EXPECT_STR(walk->requests[0].url, "/tmp/prices");
    }
}

TEST_WALK(little_needs_to_be_said, price_file, "")
{
    EACH_TEXT(text, "instance_type,price_per_hour\nx1,2\n",
              "{\"prices\":[{\"instance_type\":\"x1\",\"price_per_hour\":2}]}",
              "{\"prices\":[{\"instance_type\":\"x1\",\"price_per_hour\":2,\"zone\":null}]}") {
        EXPECT_READ(read_text(walk, text));
        EXPECT_HAS(*walk_found(walk, "x1", "", PRICE_TYPED), (nanos, 2000000000),
                   (currency, "USD"), (provider, ""));
    }
}

static void expect_refused(const char *text, const char *message)
{
    AUTO(walk_end) struct walk walk;

    walk_start(&walk, &price_file, "");
    EXPECT_INT(read_text(&walk, text), READING_FAILED);
    EXPECT_HAS(walk.err, (kind, ERROR_UPSTREAM), (message, message));
}

TEST(one_bad_row_refuses_the_file_and_says_where_and_why)
{
    expect_refused(HEADER ROW "aws,r,,t,spot,USD,0,,\n",
                   "line 3: price_per_hour must be a decimal number above 0 and at most 100000, "
                   "got '0'");
    expect_refused(HEADER "aws,r,,t,spot,USD,,,\n", "line 2: price_per_hour is missing");
    expect_refused(HEADER "aws,r,,,spot,USD,1,,\n", "line 2: instance_type is missing");
    expect_refused(HEADER "aws,r,,t,spot,usd,1,,\n",
                   "line 2: currency must be three capital letters, like USD");
    expect_refused(HEADER "aws,r,,t,Spot,USD,1,,\n",
                   "line 2: kind 'Spot' is not a kind of price: on_demand, spot, typed, own");
    expect_refused(HEADER "aws,r,,t,spot,USD,1,yesterday,\n",
                   "line 2: valid_from must be a time like 2026-01-02T03:04:05Z, or a day like "
                   "2026-01-02, got 'yesterday'");
}

TEST(a_table_of_another_shape_is_refused)
{
    expect_refused(HEADER "aws,r,,t,spot,USD,1,\n", "line 2: the row has 8 fields, the header 9");
    expect_refused(HEADER ROW "c7i.2xlarge\n", "line 3: the row has 1 fields, the header 9");
    expect_refused(HEADER "aws,r,,t,spot,USD,1,5,,\n",
                   "line 2: the row has 10 fields, the header 9: a field that holds what parts "
                   "fields needs quotes");
    expect_refused(
        "instance_type,price\nx,1\n",
        "line 1: price is not a known field; known are provider, region, zone, instance_type, "
        "kind, currency, price_per_hour, valid_from, reference");
    expect_refused("instance_type,kind\nx,spot\n",
                   "line 1: price_per_hour is not the name of a column, and must be");
    expect_refused("instance_type,price_per_hour,price_per_hour\nx,1,2\n",
                   "line 1: price_per_hour is the name of two columns");
    expect_refused("", "there is nothing in the file");
    expect_refused("\n\n", "there is nothing in the file");
    expect_refused("instance_type,price_per_hour\n\nx,\"1",
                   "line 3: the text ends within a quoted field");
}

TEST(json_that_is_not_understood_is_not_half_understood)
{
#define JSON(more) "{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":\"1\"" more "}]}"
    expect_refused(JSON(",\"zone\":7"), "line 1: zone must be a string");
    expect_refused(JSON(",\"currency\":978"), "line 1: currency must be a string");
    expect_refused(JSON(",\"kind\":[\"spot\"]"), "line 1: kind must be a string");
    expect_refused(
        JSON(",\"regoin\":\"us-east-1\""),
        "line 1: regoin is not a known field; known are provider, region, zone, instance_type, "
        "kind, currency, price_per_hour, valid_from, reference");
    expect_refused("{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":true}]}",
                   "line 1: price_per_hour must be a string or a number");
    expect_refused("{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":null}]}",
                   "line 1: price_per_hour is missing");
    expect_refused("{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":0}]}",
                   "line 1: price_per_hour must be a decimal number above 0 and at most 100000, "
                   "got '0'");
    expect_refused("{\"prices\":[{\"instance_type\":\"x\",\"price_per_hour\":-1e300}]}",
                   "line 1: price_per_hour must be a decimal number above 0 and at most 100000, "
                   "got '-1e+300'");
    expect_refused("{\"prices\":[\n7]}", "line 2: a price must be a JSON object");
    expect_refused("{\"prices\":{\"a\":{\"instance_type\":\"x\",\"price_per_hour\":1}}}",
                   "line 1: prices must be an array");
    expect_refused("{\"price\":[]}", "line 1: there is no member 'prices'");
    expect_refused("{}", "line 1: there is no member 'prices'");
    expect_refused("{\"prices\":[],\n\"prices\":[]}", "line 2: there are two members 'prices'");
    expect_refused("{\"prices\":[", "line 1: the document ends in the middle");
    expect_refused("[\n{\"instance_type\":\"x\",\n\"price_per_hour\":1},\n\n{\n}\n]",
                   "line 5: instance_type is missing");
    expect_refused(JSON(",\"zone\":\"a\",\"zone\":\"b\""),
                   "line 1: an element is not JSON: duplicate object key near '\"zone\"'");
}

static void expect_amounts(const char *text, const char *const amounts[])
{
    EACH(size_t, chunk, 0, 1, 2, 3) {
        AUTO(walk_end) struct walk walk;
        const struct price *price;
        size_t position = 0;

        walk_start(&walk, &price_file, "");
        walk.chunk = chunk;
        EXPECT_INT(walk_texts(&walk, TEXTS(text)), READING_DONE);
        EXPECT_STR(walk.err.message, "");
        for (size_t row = 0; amounts[row]; row++) {
            price = price_batch_next(walk.reading.batch, &position);
            EXPECT_STR(price ? price->text : "", amounts[row]);
            EXPECT_STR(price ? price->region : "", "r");
        }
        EXPECT(!price_batch_next(walk.reading.batch, &position));
    }
}
#define MARK "\xEF\xBB\xBF"

TEST(what_spreadsheets_write_is_read)
{
    expect_amounts(MARK "region,instance_type,price_per_hour\r\nr,x,0.5\r\nr,y,1\r\n",
                   TEXTS("0.5", "1"));
    expect_amounts("region, instance_type, price_per_hour\nr, x, 0.5\n r ,\"y\" , 1 \n",
                   TEXTS("0.5", "1"));
    expect_amounts("region;instance_type;price_per_hour\nr;x;0,5\nr;y;12,25\nr;z;0,357\n;;\n",
                   TEXTS("0.5", "12.25", "0.357"));
    expect_amounts("region;instance_type;price_per_hour\nr;x;0.5\nr;y;1.234\n",
                   TEXTS("0.5", "1.234"));
    expect_amounts("region\tinstance_type\tprice_per_hour\nr\tx\t0,5\nr\ty\t7\n",
                   TEXTS("0.5", "7"));
}

TEST(json_may_be_an_array_and_have_a_mark_and_blanks_before_it)
{
#define ONE "{\"region\":\"r\",\"instance_type\":\"x\",\"price_per_hour\":\"0.5\"}"
    expect_amounts("[" ONE "]", TEXTS("0.5"));
    expect_amounts(MARK " \r\n [" ONE "]\n", TEXTS("0.5"));
    expect_amounts(MARK "\n{\"prices\": [" ONE "]}", TEXTS("0.5"));
}

TEST(a_comma_with_two_meanings_is_refused)
{
#define THOUSANDS " has a comma, which may part decimals or thousands: write it like 1234.56"
    static const char semicolons[] = "instance_type;price_per_hour\n";
    static const struct {
        const char *header, *rows, *message;
    } texts[] = {
        {semicolons, "x;1,234\n", "line 2: price_per_hour '1,234'" THOUSANDS},
        {semicolons, "x;1,5\ny;1.234,5\n", "line 3: price_per_hour '1.234,5'" THOUSANDS},
        {semicolons, "x;1,2,3\n", "line 2: price_per_hour '1,2,3'" THOUSANDS},
        {semicolons, "x;,5\n", "line 2: price_per_hour ',5'" THOUSANDS},
        {semicolons, "x;0,5\ny;1.234\n",
         "line 3: price_per_hour '1.234' has a point where a price before has a comma: one of "
         "them may part thousands; write all prices like 1234.56"},
        {semicolons, "x;0.5\ny;1,5\n",
         "line 3: price_per_hour '1,5' has a comma where a price before has a point: one of "
         "them may part thousands; write all prices like 1234.56"},
        {"instance_type,price_per_hour\n", "x,\"1,5\"\n",
         "line 2: price_per_hour '1,5'" THOUSANDS},
        {"", "[{\"instance_type\":\"x\",\"price_per_hour\":\"1,5\"}]",
         "line 1: price_per_hour '1,5'" THOUSANDS},
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        char text[400];

        snprintf(text, sizeof text, "%s%s", texts[i].header, texts[i].rows);
        expect_refused(text, texts[i].message);
    }
}

TEST(another_encoding_is_named)
{
    static const char message[] =
        "line 1: the text begins with the byte order mark of another encoding: save it as UTF-8";

    expect_refused("\xFF\xFEi", message);
    expect_refused("\xFE\xFFi", message);
    expect_refused("\xEF\xBBi", message);
}

TEST(a_row_too_long_is_not_passed_over)
{
    static const char begin[] = "{\"prices\":[{\"instance_type\":\"x\",\"reference\":\"";
    static const char end[] = "\",\"price_per_hour\":1}]}";
    char text[10000];

    memset(text, 'x', sizeof text);
    memcpy(text, begin, strlen(begin));
    memcpy(text + sizeof text - sizeof end, end, sizeof end);
    expect_refused(text, "line 1: a price has more than 8192 bytes");
}

TEST_WALK(the_same_price_twice_is_one_and_two_prices_are_none, price_file, "")
{
    EXPECT_READ(read_text(walk, HEADER ROW ROW));
    expect_the_row(walk);
    expect_refused("instance_type,price_per_hour\nx,1\ny,5\nx,2\n",
                   "line 4: price_per_hour is 2, but line 2 already has 1 for this machine");
}

TEST_WALK(a_list_of_none_is_a_list, price_file, "")
{
    EACH_TEXT(text, HEADER, "{\"prices\":[]}", "[]") {
        EXPECT_PRICES(read_text(walk, text), 0);
    }
}
