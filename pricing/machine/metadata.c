/* Tested by tests/pricing/machine/identity_test.c and tests/pricing/machine/credentials_test.c.
 */
#include "pricing/machine/metadata.h"

#include "common/cleanup.h"

#include <ctype.h>

#define CONNECT_MS 300
#define TOTAL_MS 1000
#define TOKEN_HEADER "X-aws-ec2-metadata-token"
#define TOKEN_SECONDS "21600" /* the most that is given */

/* A body that goes where the caller wants it. */
struct metadata_body {
    char *text;
    size_t size, used;
};

static enum fetch_take take_body(void *user, const char *data, size_t length, struct error *err)
{
    struct metadata_body *body = user;

    if (length >= body->size - body->used || memchr(data, '\0', length)) {
        error_set(err, ERROR_UPSTREAM, NULL, "the answer is not what was asked for");
        return TAKE_FAILED;
    }
    if (length > 0)
        memcpy(body->text + body->used, data, length);
    body->used += length;
    return TAKE_MORE;
}

static bool metadata_prepare(const struct metadata *service, const char *path,
                             struct fetch_request *ret_request)
{
    size_t length = strlen(service->url);

    *ret_request = (struct fetch_request){.max_bytes = METADATA_DOCUMENT_MAX,
                                          .connect_ms = CONNECT_MS,
                                          .total_ms = TOTAL_MS,
                                          .direct = true};
    if (!fetch_url_add(ret_request, service->url))
        return false;
    while (length > 0 && ret_request->url[length - 1] == '/')
        ret_request->url[--length] = '\0';
    return fetch_url_add(ret_request, path);
}

/* True for any answer. */
static bool metadata_ask(struct metadata *service, const struct fetch_request *request,
                         struct metadata_body *body, struct error *err)
{
    struct fetch_response response = {.retry_after_seconds = -1};
    bool ok = service->fetch(service->fetcher, request, take_body, body, &response, err);

    body->text[body->used] = '\0';
    service->status = response.status;
    snprintf(service->flavor, sizeof service->flavor, "%s", response.flavor);
    return ok || error_set(err, ERROR_UPSTREAM, NULL, "it did not answer");
}

static bool is_token(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c <= 0x20 || *c > 0x7e)
            return false;
    return *text != '\0';
}

/* The result of a status other than 200 and 404. */
static bool metadata_refuse(int status, struct error *err)
{
    if (status == 401)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "it answers 401: it accepts no token of ours");
    if (status == 403)
        return error_set(err, ERROR_UPSTREAM, NULL, "it answers 403: it may be switched off");
    return error_set(err, ERROR_UPSTREAM, NULL, "it answers %d", status);
}

bool metadata_token(struct metadata *service, struct error *err)
{
    char text[METADATA_WORD_MAX];
    struct metadata_body body = {.text = text, .size = sizeof text};
    struct fetch_request request;
    bool ok;

    service->status = 0;
    service->header[0] = '\0';
    if (!metadata_prepare(service, "/latest/api/token", &request) ||
        !fetch_header(&request, "%s-ttl-seconds: %s", TOKEN_HEADER, TOKEN_SECONDS))
        return error_set(err, ERROR_INVALID, "url", "the address of the service is too long");
    request.method = "PUT";
    if (!metadata_ask(service, &request, &body, err))
        return false;
    if (service->status != 200)
        return metadata_refuse(service->status, err);
    metadata_trim(text);
    ok = is_token(text) && (size_t)snprintf(service->header, sizeof service->header, "%s: %s",
                                            TOKEN_HEADER, text) < sizeof service->header;
    explicit_bzero(text, sizeof text);
    if (ok)
        return true;
    service->header[0] = '\0';
    return error_set(err, ERROR_UPSTREAM, NULL, "the answer is not a token");
}

enum metadata_result metadata_get(struct metadata *service, const char *path, char *text,
                                  size_t size, struct error *err)
{
    struct metadata_body body = {.text = text, .size = size};
    struct fetch_request request;
    bool ok;

    service->status = 0;
    text[0] = '\0';
    if (!metadata_prepare(service, path, &request) ||
        (service->header[0] && !fetch_header(&request, "%s", service->header))) {
        error_set(err, ERROR_INVALID, "url", "the address of the service is too long");
        return METADATA_FAILED;
    }
    ok = metadata_ask(service, &request, &body, err);
    explicit_bzero(request.headers, sizeof request.headers);
    if (ok && service->status == 200)
        return METADATA_TOLD;
    text[0] = '\0';
    if (ok && service->status == 404)
        return METADATA_ABSENT;
    if (ok)
        metadata_refuse(service->status, err);
    return METADATA_FAILED;
}

void metadata_trim(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
}

bool metadata_word(char *member, size_t size, const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || length >= size)
        return false;
    for (const char *c = text; *c; c++)
        if (!isascii(*c) || !(isalnum((unsigned char)*c) || strchr("._-", *c)))
            return false;
    memcpy(member, text, length + 1);
    return true;
}
