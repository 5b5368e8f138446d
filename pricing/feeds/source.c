#include "pricing/feeds/source.h"

#include "common/cleanup.h"
#include "common/json_read.h"

json_t *source_json(const char *text, size_t length, struct error *err)
{
    json_error_t why;
    json_t *json = json_read(text, length, JSON_DECODE_ANY, &why);

    if (!json)
        error_set(err, ERROR_UPSTREAM, NULL, "an element is not JSON: %s", why.text);
    return json;
}

const char *source_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

bool source_ask_once(void *reader, struct fetch_request *request, struct error *err)
{
    const struct reading *reading = *(const struct reading *const *)reader;

    snprintf(request->etag, sizeof request->etag, "%s", reading->etag);
    snprintf(request->last_modified, sizeof request->last_modified, "%s", reading->last_modified);
    request->url[0] = '\0';
    return fetch_url_add(request, reading->url) ||
           error_set(err, ERROR_INVALID, "url", "is too long");
}

/* Digits, with commas between thousands and one point; ignores what follows. */
static double read_number(const char *text, const char **ret_rest)
{
    double number = 0, unit = 0;

    for (; (*text >= '0' && *text <= '9') || *text == ',' || (*text == '.' && unit == 0); text++)
        if (*text == '.') {
            unit = 1;
        } else if (*text != ',') {
            number = number * 10 + (*text - '0');
            unit *= 10;
        }
    *ret_rest = text;
    return unit > 1 ? number / unit : number;
}

double source_gib(const char *text)
{
    const char *rest;
    double amount = read_number(text, &rest);

    return strcmp(rest, " GiB") == 0 && amount < 1e7 ? amount : 0;
}

double source_count(const char *text)
{
    const char *rest;
    double amount = read_number(text, &rest);

    return *rest == '\0' && amount < 1e6 ? amount : 0;
}

/* The text between <name> and </name>, cut to fit; "" if there is none. */
static void xml_text(const char *xml, const char *name, char *ret_text, size_t size)
{
    char open[40];
    const char *start, *end;

    ret_text[0] = '\0';
    snprintf(open, sizeof open, "<%s>", name);
    start = strstr(xml, open);
    if (!start)
        return;
    start += strlen(open);
    end = strchr(start, '<');
    if (end)
        snprintf(ret_text, size, "%.*s", (int)(end - start), start);
}

static const char *source_either_text(const json_t *object, const char *one, const char *other)
{
    const char *text = source_text(object, one);

    return *text ? text : source_text(object, other);
}

/* {"__type", "message"} of AWS, {"error": {"status" or "code", "message"}} of Google and Azure,
 * {"Error": {"Code", "Message"}} of Azure's price list. */
static bool json_refusal(const char *body, char *ret_text, size_t size)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(body, strlen(body), 0, &why);
    const json_t *inner = json_object_get(json, "error");
    const char *code, *message;

    if (!json_is_object(inner))
        inner = json_object_get(json, "Error");
    if (!json_is_object(inner))
        inner = json;
    message = source_either_text(inner, "message", "Message");
    code = source_either_text(inner, "__type", "status");
    if (!*code)
        code = source_either_text(inner, "code", "Code");
    if (!*code && !*message)
        return false;
    snprintf(ret_text, size, "%s%s%s", code, *code && *message ? ": " : "", message);
    return true;
}

void source_refusal(const struct fetch_response *response, char *ret_text, size_t size)
{
    char code[100], message[400];

    ret_text[0] = '\0';
    if (json_refusal(response->excerpt, ret_text, size))
        return;
    xml_text(response->excerpt, "Code", code, sizeof code);
    xml_text(response->excerpt, "Message", message, sizeof message);
    if (code[0] || message[0])
        snprintf(ret_text, size, "%s%s%s", code, code[0] && message[0] ? ": " : "", message);
}
