/* AWS's DescribeSpotPriceHistory: what spot instances cost now in each zone. Asked from now on,
 * it tells of each zone the last change before, which is what holds, however old it is. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "pricing/feeds/aws/aws_selection.h"
#include "pricing/feeds/aws/aws_spot_rows.h"
#include "pricing/feeds/pages.h"
#include "pricing/feeds/sources.h"

#define REQUEST_BODY_MAX (64 * 1024)
#define TYPES_MAX 500

struct history_reader {
    const struct reading *reading;
    char url[FETCH_URL_MAX];
    struct spot_rows rows;
    struct spot_xml *xml;
    struct bytes body;
    char token[SPOT_TOKEN_SIZE]; /* of the page that is next; "" for the first */
    struct pages pages;
};

static bool add_value(struct bytes *body, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._~";
    bool ok = true;

    for (; ok && *text; text++)
        ok = bytes_printf(body, strchr(plain, *text) ? "%c" : "%%%02X", (unsigned char)*text);
    return ok;
}

/* A name may be one as it is sent, like "InstanceType.1". */
static bool add_pair(struct bytes *body, const char *name, const char *value, struct error *err)
{
    return (bytes_printf(body, "%s%s=", body->used > 0 ? "&" : "", name) &&
            add_value(body, value)) ||
           error_set(err, ERROR_INVALID, NULL, "the request is longer than %zu bytes",
                     body->limit);
}

/* One InstanceType.N for each of the types. */
static bool add_types(struct bytes *body, const char *types, struct error *err)
{
    static const char blanks[] = ", \t";
    int number = 0;

    for (types += strspn(types, blanks); *types; types += strspn(types, blanks)) {
        int length = (int)strcspn(types, blanks);
        char name[32], type[64];

        if ((size_t)length >= sizeof type || number == TYPES_MAX)
            return error_set(
                err, ERROR_INVALID, NULL,
                "the instance types have a name that is too long, or are more than %d",
                TYPES_MAX);
        snprintf(type, sizeof type, "%.*s", length, types);
        snprintf(name, sizeof name, "InstanceType.%d", ++number);
        if (!add_pair(body, name, type, err))
            return false;
        types += length;
    }
    return number > 0 || error_set(err, ERROR_INVALID, NULL, "no instance types are named");
}

static bool make_history_body(struct history_reader *reader, struct error *err)
{
    struct bytes *body = &reader->body;
    char now[RFC3339_SIZE];

    body->used = 0;
    clock_rfc3339(reader->reading->now_us, now);
    return add_pair(body, "Action", "DescribeSpotPriceHistory", err) &&
           add_pair(body, "Version", "2016-11-15", err) &&
           add_pair(body, "StartTime", now, err) &&
           add_pair(body, "ProductDescription.1", "Linux/UNIX", err) &&
           add_pair(body, "ProductDescription.2", "Linux/UNIX (Amazon VPC)", err) &&
           add_pair(body, "MaxResults", "1000", err) &&
           add_types(body, reader->reading->types, err) &&
           (!reader->token[0] || add_pair(body, "NextToken", reader->token, err));
}

/* The address with the region in it. China's regions have a domain of their own. */
static bool make_url(const char *pattern, const char *region, char *ret_url, size_t size)
{
    static const char place[] = "{region}", domain[] = ".amazonaws.com";
    const char *found = strstr(pattern, place);
    int before = found ? (int)(found - pattern) : (int)strlen(pattern);
    const char *after = found ? found + strlen(place) : "";
    bool china = found && strncmp(region, "cn-", 3) == 0 && strcmp(after, domain) == 0;

    return (size_t)snprintf(ret_url, size, "%.*s%s%s%s/", before, pattern, found ? region : "",
                            after, china ? ".cn" : "") < size;
}

static bool check_history_reading(const struct reading *reading, struct error *err)
{
    if (!aws_is_region(reading->scope.name))
        return error_set(err, ERROR_INVALID, NULL, "'%s' is not a region of AWS, like us-east-1",
                         reading->scope.name);
    return reading->credentials ||
           error_set(err, ERROR_UNABLE, NULL, "spot price history needs credentials of AWS");
}

static void close_history(void *user)
{
    struct history_reader *reader = user;

    spot_xml_free(reader->xml);
    spot_rows_free(&reader->rows);
    bytes_free(&reader->body);
    free(reader);
}

static void *open_history(const struct reading *reading, struct error *err)
{
    struct history_reader *reader;

    if (!check_history_reading(reading, err))
        return NULL;
    reader = xcalloc(1, sizeof *reader);
    reader->reading = reading;
    reader->body.limit = REQUEST_BODY_MAX;
    reader->rows = (struct spot_rows){.region = reading->scope.name,
                                      .tally = &price_batch_facts(reading->batch)->tally};
    if (make_url(reading->url, reading->scope.name, reader->url, sizeof reader->url))
        return reader;
    error_set(err, ERROR_INVALID, NULL, "the URL is too long");
    close_history(reader);
    return NULL;
}

static bool history_ask(void *user, struct fetch_request *request, struct error *err)
{
    struct history_reader *reader = user;

    spot_xml_free(reader->xml);
    reader->xml = spot_xml_new(&reader->rows);
    if (!make_history_body(reader, err))
        return false;
    request->body = reader->body.data;
    request->credentials = reader->reading->credentials;
    snprintf(request->service, sizeof request->service, "ec2");
    memcpy(request->region, reader->reading->scope.name, sizeof request->region);
    if (!fetch_url_add(request, reader->url) ||
        !fetch_header(request, "Content-Type: application/x-www-form-urlencoded"))
        return error_set(err, ERROR_INVALID, NULL, "the URL is too long");
    return true;
}

static enum fetch_take take_bytes(void *user, const char *data, size_t length, struct error *err)
{
    struct history_reader *reader = user;

    return spot_xml_feed(reader->xml, data, length, err) ? TAKE_MORE : TAKE_FAILED;
}

/* A page without a row may be followed by one that has some: only the token tells. */
static enum reading_state history_page(void *user, const struct fetch_response *response,
                                       struct error *err)
{
    struct history_reader *reader = user;
    const char *token;

    (void)response;
    if (!spot_xml_end(reader->xml, &token, err))
        return READING_FAILED;
    if (!*token)
        return spot_rows_finish(&reader->rows, reader->reading->batch, err) ? READING_DONE
                                                                            : READING_FAILED;
    if (!pages_go_on(&reader->pages, token, err))
        return READING_FAILED;
    snprintf(reader->token, sizeof reader->token, "%s", token);
    return READING_ASKS;
}

static const struct reader_ops spot_history_ops = {open_history, history_ask,   take_bytes,
                                                   history_page, close_history, NULL};

const struct source aws_spot_history = {
    .name = "aws-spot-history",
    .title = "zone spot (AWS spot price history)",
    .provider = "aws",
    .url = "https://ec2.{region}.amazonaws.com",
    .on = true,
    .has_spot = true,
    .needs = NEEDS_CREDENTIALS | NEEDS_REGIONS | NEEDS_TYPES,
    .period_seconds = 15 * 60,
    .max_bytes = 8 * 1024 * 1024,
    .read = &spot_history_ops,
};
