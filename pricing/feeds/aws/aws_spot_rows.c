/* Tested by tests/pricing/feeds/aws/aws_spot_history_test.c. */
#include "pricing/feeds/aws/aws_spot_rows.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "pricing/parse_time.h"

#include <expat.h>

#define ROWS_MAX 8192 /* zones times instance types, in one region */
#define DEPTH_MAX 16
#define FIELD_SIZE 128

enum field { FIELD_TYPE, FIELD_PRODUCT, FIELD_PRICE, FIELD_TIME, FIELD_ZONE, FIELD_ZONE_ID };
static const char *const field_names[] = {
    "instanceType", "productDescription", "spotPrice",
    "timestamp",    "availabilityZone",   "availabilityZoneId",
};

/* The position in the document, from the top; other elements are skipped. */
static const char *const levels[] = {"DescribeSpotPriceHistoryResponse", "spotPriceHistorySet",
                                     "item"};

struct spot_xml {
    XML_Parser parser;
    struct spot_rows *rows;
    struct error error; /* of a handler, which cannot return one */
    int depth, known;   /* the upper `known` levels of the depth are in `levels` */
    bool has_set, has_token;
    char *text; /* of the element that is being read; NULL: the element is skipped */
    size_t used, size;
    char fields[COUNT(field_names)][FIELD_SIZE];
    bool twice; /* a field came twice in an item */
    char token[SPOT_TOKEN_SIZE];
};

void spot_rows_free(struct spot_rows *rows)
{
    freep(&rows->list);
}

static struct spot_row *spot_rows_find(const struct spot_rows *rows, const struct price *price)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->list[i].price.zone, price->zone) == 0 &&
            strcmp(rows->list[i].price.instance_type, price->instance_type) == 0)
            return &rows->list[i];
    return NULL;
}

static bool spot_rows_add(struct spot_rows *rows, const struct price *price, struct error *err)
{
    struct spot_row *known = spot_rows_find(rows, price);

    if (known) {
        if (price->source_us > known->price.source_us)
            *known = (struct spot_row){.price = *price};
        else if (price->source_us == known->price.source_us && price->nanos != known->price.nanos)
            known->contradicted = true;
        return true;
    }
    if (rows->count == ROWS_MAX)
        return error_set(err, ERROR_UPSTREAM, NULL, "it lists more than %d zones and types",
                         ROWS_MAX);
    rows->list = xgrow(rows->list, rows->count, &rows->room, sizeof *rows->list);
    rows->list[rows->count++] = (struct spot_row){.price = *price};
    return true;
}

bool spot_rows_finish(const struct spot_rows *rows, struct price_batch *batch, struct error *err)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct spot_row *row = &rows->list[i];

        if (row->contradicted)
            rows->tally->ambiguous++;
        else if (row->price.nanos > 0 &&
                 !price_batch_add(batch, &row->price, TWIN_IS_AMBIGUOUS, err))
            return false;
    }
    return true;
}

/* Zones are identified by their id, if there is one: their names are shuffled per account. */
static bool set_zone(const struct spot_xml *xml, struct price *price)
{
    const char *name = xml->fields[FIELD_ZONE], *id = xml->fields[FIELD_ZONE_ID];
    const char *region = xml->rows->region;

    if (*name && strncmp(name, region, strlen(region)) != 0)
        return false; /* of another region than requested */
    return PRICE_WORD(price->zone, *id ? id : name);
}

static bool end_item(struct spot_xml *xml)
{
    const char *product = xml->fields[FIELD_PRODUCT];
    struct price_batch_tally *tally = xml->rows->tally;
    struct price price = {.provider = "aws", .kind = PRICE_SPOT, .currency = "USD"};

    tally->seen++;
    if (!xml->twice && strcmp(product, "Linux/UNIX") != 0 &&
        strcmp(product, "Linux/UNIX (Amazon VPC)") != 0)
        return true;
    if (xml->twice || !set_zone(xml, &price) || !PRICE_WORD(price.region, xml->rows->region) ||
        !PRICE_WORD(price.instance_type, xml->fields[FIELD_TYPE]) ||
        !parse_time(xml->fields[FIELD_TIME], &price.source_us)) {
        tally->malformed++;
        return true;
    }
    /* A row with an unreadable price still ends the one before it. */
    if (!price_set(&price, xml->fields[FIELD_PRICE]))
        tally->malformed++;
    return spot_rows_add(xml->rows, &price, &xml->error);
}

/* Without a namespace: AWS's and others' differ in it. */
static const char *local_name(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon ? colon + 1 : name;
}

static void spot_rows_stop(struct spot_xml *xml, const char *why)
{
    error_set(&xml->error, ERROR_UPSTREAM, NULL, "%s", why);
    XML_StopParser(xml->parser, XML_FALSE);
}

static void want_text(struct spot_xml *xml, char *text, size_t size)
{
    xml->text = text;
    xml->size = size;
    xml->used = 0;
    text[0] = '\0';
}

static void begin_field(struct spot_xml *xml, const char *name)
{
    for (size_t i = 0; i < COUNT(field_names); i++)
        if (strcmp(name, field_names[i]) == 0) {
            xml->twice |= xml->fields[i][0] != '\0';
            want_text(xml, xml->fields[i], FIELD_SIZE);
        }
}

static void begin_token(struct spot_xml *xml)
{
    if (xml->has_token) {
        spot_rows_stop(xml, "it has two tokens for the next page");
        return;
    }
    xml->has_token = true;
    want_text(xml, xml->token, sizeof xml->token);
}

static void XMLCALL on_start(void *user, const char *qualified, const char **attributes)
{
    struct spot_xml *xml = user;
    const char *name = local_name(qualified);
    bool direct = xml->depth == xml->known; /* we know all that is above */

    (void)attributes;
    if (xml->text)
        spot_rows_stop(xml, "there is an element where a text must be");
    else if (xml->depth == DEPTH_MAX)
        spot_rows_stop(xml, "it is nested too deeply");
    else if (xml->depth == 0 && strcmp(name, levels[0]) != 0)
        spot_rows_stop(xml, "it is not an answer to DescribeSpotPriceHistory");
    else if (direct && xml->depth < (int)COUNT(levels) && strcmp(name, levels[xml->depth]) == 0)
        xml->known++;
    else if (direct && xml->depth == 1 && strcmp(name, "nextToken") == 0)
        begin_token(xml);
    else if (direct && xml->depth == (int)COUNT(levels))
        begin_field(xml, name);
    xml->depth++;
    xml->has_set |= xml->known == 2;
    if (xml->known == (int)COUNT(levels) && xml->depth == xml->known) {
        memset(xml->fields, 0, sizeof xml->fields);
        xml->twice = false;
    }
}

static void trim_end(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && text_is_space(text[length - 1]))
        text[--length] = '\0';
}

static void XMLCALL on_end(void *user, const char *qualified)
{
    struct spot_xml *xml = user;

    (void)qualified;
    if (xml->text)
        trim_end(xml->text);
    xml->text = NULL;
    if (xml->known == xml->depth) {
        if (xml->known == (int)COUNT(levels) && !end_item(xml))
            XML_StopParser(xml->parser, XML_FALSE);
        xml->known--;
    }
    xml->depth--;
}

/* White space around a text is not part of it. */
static void XMLCALL on_text(void *user, const char *data, int length)
{
    struct spot_xml *xml = user;

    if (!xml->text)
        return;
    for (int i = 0; i < length; i++) {
        if (text_is_space(data[i]) && xml->used == 0)
            continue;
        if (xml->used + 1 == xml->size) {
            spot_rows_stop(xml, "a text is too long");
            return;
        }
        xml->text[xml->used++] = data[i];
        xml->text[xml->used] = '\0';
    }
}

static void XMLCALL on_doctype(void *user, const char *name, const char *system_id,
                               const char *public_id, int has_internal)
{
    (void)name, (void)system_id, (void)public_id, (void)has_internal;
    spot_rows_stop(user, "it has a DOCTYPE, which no answer of AWS has");
}

struct spot_xml *spot_xml_new(struct spot_rows *rows)
{
    struct spot_xml *xml = xcalloc(1, sizeof *xml);

    xml->parser = XML_ParserCreate(NULL);
    if (!xml->parser) /* nothing else can be wrong */
        memory_is_out(sizeof *xml);
    xml->rows = rows;
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, on_start, on_end);
    XML_SetCharacterDataHandler(xml->parser, on_text);
    XML_SetStartDoctypeDeclHandler(xml->parser, on_doctype);
    return xml;
}

void spot_xml_free(struct spot_xml *xml)
{
    if (!xml)
        return;
    XML_ParserFree(xml->parser);
    free(xml);
}

static bool spot_rows_parse(struct spot_xml *xml, const char *data, size_t length, bool last,
                            struct error *err)
{
    if (XML_Parse(xml->parser, data, (int)length, last) == XML_STATUS_OK)
        return true;
    if (xml->error.kind != ERROR_NONE)
        return error_set(err, xml->error.kind, NULL, "%s", xml->error.message);
    return error_set(err, ERROR_UPSTREAM, NULL, "it is not XML");
}

bool spot_xml_feed(struct spot_xml *xml, const char *data, size_t length, struct error *err)
{
    const size_t most = 1024 * 1024;

    for (; length > most; data += most, length -= most)
        if (!spot_rows_parse(xml, data, most, false, err))
            return false;
    return spot_rows_parse(xml, data, length, false, err);
}

bool spot_xml_end(struct spot_xml *xml, const char **ret_token, struct error *err)
{
    if (!spot_rows_parse(xml, "", 0, true, err))
        return false;
    if (!xml->has_set)
        return error_set(err, ERROR_UPSTREAM, NULL, "it has no spotPriceHistorySet");
    *ret_token = xml->token;
    return true;
}
