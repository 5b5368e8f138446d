/* What readers share, and the list of feeds itself. */
#include "pricing/feeds/source.h"

#include "pricing/freshness.h"
#include "tests/pricing/feeds/walk.h"

TEST(every_feed_is_whole_and_has_a_name_of_its_own)
{
    for (const struct source *const *source = sources; *source; source++) {
        EXPECT(source_find((*source)->name) == *source); /* so no two are alike */
        EXPECT(strlen((*source)->name) > 0 && strlen((*source)->name) < 32);
        EXPECT((*source)->title[0] && (*source)->period_seconds >= 60 &&
               (*source)->max_bytes > 0);
        EXPECT(strlen((*source)->provider) < 16);
        EXPECT((!(*source)->read->open == !!(*source)->read->form) && (*source)->read->ask &&
               (*source)->read->take && (*source)->read->page && (*source)->read->close);
        if ((*source)->needs & NEEDS_FILE)
            EXPECT_STR((*source)->url, "");
        else
            EXPECT(strncmp((*source)->url, "https://", 8) == 0);
        EXPECT((*source)->url[0] == '\0' || (*source)->url[strlen((*source)->url) - 1] != '/');
    }
    EXPECT(source_find("") == NULL);
    EXPECT(source_find("aws") == NULL);
    EXPECT(source_find("AWS-OFFER") == NULL);
}

TEST(amounts_of_memory_are_read_or_are_not_said)
{
    EXPECT_NEAR(source_gib("16 GiB"), 16, 0);
    EXPECT_NEAR(source_gib("24,576 GiB"), 24576, 0);
    EXPECT_NEAR(source_gib("128.0 GiB"), 128, 0);
    EXPECT_NEAR(source_gib("0.5 GiB"), 0.5, 0);
    EXPECT_NEAR(source_gib("1,952.25 GiB"), 1952.25, 0);
    EXPECT_NEAR(source_gib("16 GB"), 0, 0);
    EXPECT_NEAR(source_gib("16GiB"), 0, 0);
    EXPECT_NEAR(source_gib("NA"), 0, 0);
    EXPECT_NEAR(source_gib(""), 0, 0);
    EXPECT_NEAR(source_gib(" GiB"), 0, 0);
    EXPECT_NEAR(source_gib("-1 GiB"), 0, 0);
    EXPECT_NEAR(source_gib("1.2.3 GiB"), 0, 0);
    EXPECT_NEAR(source_gib("99999999 GiB"), 0, 0);
    EXPECT_NEAR(source_count("8"), 8, 0);
    EXPECT_NEAR(source_count("0.25"), 0.25, 0);
    EXPECT_NEAR(source_count("1,000"), 1000, 0);
    EXPECT_NEAR(source_count("8 vCPU"), 0, 0);
    EXPECT_NEAR(source_count("1e3"), 0, 0);
    EXPECT_NEAR(source_count("nan"), 0, 0);
    EXPECT_NEAR(source_count("1000000"), 0, 0);
}

TEST(only_text_is_text)
{
    AUTO(json_decrefp)
    json_t *json = json_pack("{s:s,s:i,s:n,s:[]}", "text", "word", "number", 5, "null", "list");

    EXPECT_STR(source_text(json, "text"), "word");
    EXPECT_STR(source_text(json, "number"), "");
    EXPECT_STR(source_text(json, "null"), "");
    EXPECT_STR(source_text(json, "list"), "");
    EXPECT_STR(source_text(json, "nothing"), "");
    EXPECT_STR(source_text(NULL, "text"), "");
}

TEST(json_is_json_or_the_feed_is_to_blame)
{
    EACH_TEXT(wrong, "", "{", "{\"a\":1,\"a\":2}", "nan", "\"\\u0000\"", "1 2", "\"\xff\"") {
        EXPECT_ERROR(source_json(wrong, strlen(wrong), &err), ERROR_UPSTREAM);
    }
    AUTO(json_decrefp) json_t *null = source_json("null", 4, NULL);
    EXPECT(json_is_null(null));
    AUTO(json_decrefp) json_t *part = source_json("12345", 2, NULL);
    EXPECT_INT(json_integer_value(part), 12);
}

TEST(a_page_that_is_asked_for_once_is_asked_for_on_condition)
{
    static struct fetch_request request = {.url = "left over"};
    struct reading reading = {.url = "https://a/b", .etag = "\"e\"", .last_modified = "then"};
    struct {
        const struct reading *reading;
    } reader = {&reading};
    char address[FETCH_URL_MAX + 10];

    EXPECT_OK(source_ask_once(&reader, &request, &err));
    EXPECT_HAS(request, (url, "https://a/b"), (etag, "\"e\""), (last_modified, "then"));
    memset(address, 'x', sizeof address);
    address[sizeof address - 1] = '\0';
    reading.url = address;
    EXPECT_INVALID(source_ask_once(&reader, &request, &err), "url");
}

static void expect_refusal(const char *body, const char *expected)
{
    struct fetch_response response = {.status = 403};
    char text[200];

    snprintf(response.excerpt, sizeof response.excerpt, "%s", body);
    memset(text, 'x', sizeof text);
    source_refusal(&response, text, sizeof text);
    EXPECT_STR(text, expected);
}

TEST(refusals_quote_the_message_of_each_cloud)
{
    expect_refusal("{\"__type\":\"AccessDeniedException\",\"Message\":\"not you\"}",
                   "AccessDeniedException: not you");
    expect_refusal("{\"error\":{\"code\":403,\"message\":\"no key\",\"status\":\"DENIED\"}}",
                   "DENIED: no key");
    expect_refusal("{\"error\":{\"code\":\"429\",\"message\":\"slow\"}}", "429: slow");
    expect_refusal("{\"Error\":{\"Code\":\"BadRequest\",\"Message\":\"filter\"}}",
                   "BadRequest: filter");
    expect_refusal("{\"message\":\"only this\"}", "only this");
    expect_refusal(
        "<Response><Errors><Error><Code>AuthFailure</Code><Message>no</Message></Error>"
        "</Errors></Response>",
        "AuthFailure: no");
    expect_refusal("<Error><Code>AccessDenied</Code></Error>", "AccessDenied");
    expect_refusal("<Error><Message>cut of", "");
    expect_refusal("<html>Forbidden</html>", "");
    expect_refusal("", "");
    expect_refusal("[]", "");
    expect_refusal("{\"error\":\"invalid\"}", "");
    expect_refusal("{\"error\":{\"message\":7}}", "");
}

TEST(refusals_that_clouds_have_sent_are_quoted)
{
    static const char *const samples[][2] = {
        {"aws-getproducts-error.json", "AccessDeniedException: User: arn:aws:iam::123456789012"},
        {"aws-ec2-error-authfailure.xml",
         "AuthFailure: AWS was not able to validate the provided access credentials"},
        {"aws-ec2-error-authfailure-moto.xml",
         "AuthFailure: AWS was not able to validate the provided access credentials"},
        {"aws-ec2-error-throttle.xml", "RequestLimitExceeded: Request limit exceeded."},
        {"gcp-error-nokey.json", "PERMISSION_DENIED: Method doesn't allow unregistered"},
    };

    for (size_t i = 0; i < COUNT(samples) && walk_has_samples(samples[i][0]); i++) {
        AUTO(freep) char *body = walk_sample(samples[i][0], NULL);
        struct fetch_response response = {.status = 403};
        char text[300];

        snprintf(response.excerpt, sizeof response.excerpt, "%s", body);
        source_refusal(&response, text, sizeof text);
        text[strlen(samples[i][1])] = '\0'; /* as it begins */
        EXPECT_STR(text, samples[i][1]);
    }
}

TEST(long_refusals_are_cut_to_what_fits)
{
    struct fetch_response response = {.status = 403};
    char text[20];

    snprintf(response.excerpt, sizeof response.excerpt, "{\"message\":\"%0900d\"}", 7);
    source_refusal(&response, text, sizeof text);
    EXPECT_INT((long long)strlen(text), 19);
    snprintf(response.excerpt, sizeof response.excerpt, "<Code>%0900d</Code>", 7);
    source_refusal(&response, text, sizeof text);
    EXPECT_INT((long long)strlen(text), 19);
}

/* Up to a tenth later than planned. */
static long long next_reading_us(const struct source *source)
{
    return source->period_seconds * 1100000;
}

TEST(a_spot_price_is_fresh_until_its_feed_is_read_again)
{
    static const struct {
        const char *feed;
        long long published_seconds; /* between two publications, at most */
    } paces[] = {{"aws-spot-page", 3600}, {"gcp-third-party", 7 * 24 * 3600}};

    for (const struct source *const *source = sources; *source; source++) {
        long long age_us = next_reading_us(*source);

        for (size_t i = 0; i < COUNT(paces); i++)
            if (strcmp((*source)->name, paces[i].feed) == 0)
                age_us += paces[i].published_seconds * 1000000;
        EXPECT(!(*source)->has_spot ||
               freshness_of(PRICE_SPOT, age_us, source_pace_us((*source)->name)) == PRICE_FRESH);
        EXPECT(freshness_of(PRICE_ON_DEMAND, age_us, source_pace_us((*source)->name)) ==
               PRICE_FRESH);
    }
    EXPECT_INT(source_pace_us("typed"), 0);
}
