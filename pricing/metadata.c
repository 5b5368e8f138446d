#include "pricing/metadata.h"

#include <stdio.h>
#include <string.h>

#define AWS_TOKEN_SECONDS "21600"

static enum fetch_take take_text(void *user, const char *data, size_t length, struct error *err)
{
    struct metadata_answer *answer = user;

    if (length > METADATA_MAX - answer->length) {
        error_set(err, ERROR_UPSTREAM, NULL, "the answer is too long");
        return TAKE_FAILED;
    }
    memcpy(answer->text + answer->length, data, length);
    answer->length += length;
    answer->text[answer->length] = '\0';
    return TAKE_MORE;
}

void metadata_ask(const struct metadata *metadata, const char *method, const char *path,
                  struct metadata_answer *ret_answer)
{
    struct fetch_request request = {.method = method,
                                    .max_bytes = METADATA_MAX,
                                    .connect_ms = 300,
                                    .total_ms = 1000,
                                    .direct = true};
    struct fetch_response response = {0};
    struct error err = {0};

    ret_answer->status = 0;
    ret_answer->length = 0;
    ret_answer->text[0] = ret_answer->why[0] = ret_answer->flavor[0] = '\0';
    if (!fetch_url_add(&request, metadata->url) || !fetch_url_add(&request, path) ||
        (metadata->header[0] && !fetch_header(&request, "%s", metadata->header))) {
        snprintf(ret_answer->why, sizeof ret_answer->why, "the address is too long");
        return;
    }
    if (!metadata->fetch(metadata->fetcher, &request, take_text, ret_answer, &response, &err)) {
        snprintf(ret_answer->why, sizeof ret_answer->why, "%.150s", err.message);
        ret_answer->text[0] = '\0';
        return;
    }
    ret_answer->status = response.status;
    memcpy(ret_answer->flavor, response.flavor, sizeof ret_answer->flavor);
    if (response.status != 200)
        snprintf(ret_answer->why, sizeof ret_answer->why, "it answered %d", response.status);
}

bool metadata_take_token(struct metadata *metadata, struct metadata_answer *answer)
{
    int length;

    snprintf(metadata->header, sizeof metadata->header,
             "X-aws-ec2-metadata-token-ttl-seconds: " AWS_TOKEN_SECONDS);
    metadata_ask(metadata, "PUT", "/latest/api/token", answer);
    if (answer->status != 200)
        return false;
    length = snprintf(metadata->header, sizeof metadata->header, "X-aws-ec2-metadata-token: %s",
                      answer->text);
    if (length > 0 && (size_t)length < sizeof metadata->header &&
        !strpbrk(metadata->header, "\r\n"))
        return true;
    snprintf(answer->why, sizeof answer->why, "its token is none");
    return false;
}
