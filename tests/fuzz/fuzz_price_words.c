/* Properties of the small parsers behind prices: what is read is within what is allowed, reads
 * back as what it is written as, and nothing is written by what is refused. */
#include "common/cleanup.h"
#include "pricing/feeds/manual_price.h"
#include "pricing/instance_family.h"
#include "pricing/machine/azure_identity.h"
#include "pricing/machine/credentials_file.h"
#include "pricing/machine/credentials_role.h"
#include "pricing/parse_time.h"
#include "server/prices/feeds.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <time.h>

#define UNTOUCHED (-77)
#define NOW_US 1790000000000000LL
#define YEAR_10000_US 253402300800000000LL

static void check_nanos(const char *text)
{
    long long nanos = UNTOUCHED, again;
    char shortest[PRICE_TEXT_SIZE];

    if (!price_read_nanos(text, &nanos)) {
        ALWAYS(nanos == UNTOUCHED);
        return;
    }
    ALWAYS(nanos > 0 && nanos <= PRICE_NANOS_MAX);
    ALWAYS(fabsl(strtold(text, NULL) * 1e9L - (long double)nanos) < 0.501L);
    price_write_nanos(nanos, shortest);
    ALWAYS(price_read_nanos(shortest, &again) && again == nanos);
}

static void check_number(const char *text)
{
    double number = strtod(text, NULL);
    struct price price = {.nanos = UNTOUCHED};

    if (!price_set_number(&price, number)) {
        ALWAYS(price.nanos == UNTOUCHED);
        ALWAYS(!(number >= 1e-9 && number <= 1e5));
        return;
    }
    ALWAYS(price.nanos > 0 && price.nanos <= PRICE_NANOS_MAX);
    ALWAYS(!(strtod(price.text, NULL) < number) && !(strtod(price.text, NULL) > number));
}

static void check_times(const char *text)
{
    long long us = UNTOUCHED, again;
    char written[64];
    struct tm when;
    time_t seconds;

    if (!parse_time(text, &us) && !parse_time_http(text, &us)) {
        ALWAYS(us == UNTOUCHED);
        return;
    }
    ALWAYS(us >= 0 && us < YEAR_10000_US);
    seconds = us / 1000000;
    ALWAYS(gmtime_r(&seconds, &when));
    ALWAYS(strftime(written, sizeof written, "%Y-%m-%dT%H:%M:%S", &when) > 0);
    ALWAYS(parse_time(written, &again) && again == us - us % 1000000);
    ALWAYS(strftime(written, sizeof written, "%a, %d %b %Y %H:%M:%S GMT", &when) > 0);
    ALWAYS(parse_time_http(written, &again) && again == us - us % 1000000);
}

static void check_typed(const char *text)
{
    AUTO(json_decrefp) json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    struct price price = {.nanos = UNTOUCHED};
    struct error err = {0};
    long long nanos;

    if (!json)
        return;
    if (!manual_from_json(json, NOW_US, &price, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && err.message[0] && price.nanos == UNTOUCHED);
        return;
    }
    ALWAYS((price.nanos == 0) == json_is_null(json_object_get(json, "price_per_hour")));
    ALWAYS(price.nanos == 0 || (price_read_nanos(price.text, &nanos) && nanos == price.nanos));
    ALWAYS(price.kind == PRICE_TYPED || price.kind == PRICE_OWN);
    ALWAYS(price.instance_type[0] && strlen(price.currency) == 3 && price.source_us >= 0);
    ALWAYS(strcmp(price.instance_type,
                  json_string_value(json_object_get(json, "instance_type"))) == 0);
}

static void check_list(const char *list, size_t size)
{
    char word[64];
    size_t commas = strspn(list, ",");

    ALWAYS(size <= sizeof word);
    while (feeds_next_word(&list, word, size))
        ALWAYS(word[0] && !strchr(word, ','));
    ALWAYS(*list == '\0' || commas == strlen(list)); /* all of it was read */
}

static void check_feeds(const char *text)
{
    static struct feeds feeds;
    struct error err = {0};

    if (!feeds_read(text, &feeds, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && strcmp(err.field, "--feed") == 0);
        return;
    }
    for (size_t i = 0; i < feeds.count; i++) {
        const struct feed *feed = &feeds.list[i];

        ALWAYS(feed->source == sources[i]);
        ALWAYS(feed->every_seconds >= 60 && feed->patience_seconds >= 0);
        ALWAYS(feed->source->needs & NEEDS_FILE || strncmp(feed->url, "http", 4) == 0);
        check_list(feed->regions, 40);
        check_list(feed->types, 64);
    }
}

/* Any text has a family: no longer than itself, and never none. */
static void check_family(const char *text)
{
    char family[INSTANCE_SIZE];

    instance_family(text, family);
    ALWAYS(strlen(family) <= strlen(text));
    ALWAYS((family[0] == '\0') == (text[0] == '\0'));
}

FUZZ_TEXT(text)
{

    check_nanos(text);
    check_number(text);
    check_times(text);
    check_typed(text);
    check_feeds(text);
    check_family(text);
}
