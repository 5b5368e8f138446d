#include "server/hub/hub_wanted.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/text.h"
#include "server/hub/hub_reply.h"
#include "server/hub/hub_upload.h"

#define PATH "/v1/wanted?engine=" ENGINE_NATIVE "&limit=10&instance_type="
#define ANSWER_MAX (256 * 1024)
#define WANTED_REQUEST_MS (60 * 1000)

static bool wanted_refuse(struct error *err, const char *what)
{
    return error_set(err, ERROR_UPSTREAM, NULL, "the hub's list of what is wanted: %s", what);
}

static bool read_one(json_t *json, struct hub_wanted *wanted, struct error *err)
{
    const char *words = json_string_value(json_object_get(json, "words"));
    json_t *spec = json_object_get(json, "spec");

    if (!json_is_object(spec) || !words)
        return wanted_refuse(err, "an entry has no spec or no words");
    if (wanted->count == HUB_WANTED_MAX ||
        !run_spec_from_json(spec, &wanted->list[wanted->count], NULL)) /* of a newer version */
        return true;
    wanted->list[wanted->count].label_count = 0;
    snprintf(wanted->words[wanted->count], sizeof wanted->words[0], "%s", words);
    text_make_clean(wanted->words[wanted->count], strlen(wanted->words[wanted->count]));
    wanted->count++;
    return true;
}

bool hub_wanted_read(const struct hub_answer *answer, struct hub_wanted *ret_wanted,
                     struct error *err)
{
    AUTO(json_decrefp) json_t *json = NULL;
    struct hub_wanted wanted = {.count = 0};
    json_error_t why;
    json_t *list;

    json = json_read(answer->text, answer->length, 0, &why);
    if (!json)
        return wanted_refuse(err, "it is not JSON");
    list = json_object_get(json, "wanted");
    if (!json_is_array(list))
        return wanted_refuse(err, "it is not there");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!read_one(json_array_get(list, i), &wanted, err))
            return false;
    *ret_wanted = wanted;
    return true;
}

static bool make_wanted_request(const struct hub_wanted_question *question,
                                struct fetch_request *request, struct error *err)
{
    char hub[HUB_UPLOAD_HUB_SIZE];

    hub_upload_hub(question->hub, hub);
    *request = (struct fetch_request){
        .ca_file = question->ca, .max_bytes = ANSWER_MAX, .total_ms = WANTED_REQUEST_MS};
    return (fetch_url_add(request, hub) && fetch_url_add(request, PATH) &&
            fetch_url_value(request, question->instance_type) &&
            (!question->provider[0] || (fetch_url_add(request, "&provider=") &&
                                        fetch_url_value(request, question->provider))) &&
            fetch_header(request, "Accept: application/json") &&
            fetch_header(request, "User-Agent: pennyworth/" PENNYWORTH_VERSION " (bench)") &&
            (!question->token[0] ||
             fetch_header(request, "Authorization: Bearer %s", question->token))) ||
           error_set(err, ERROR_INVALID, "--report-to", "is too long");
}

bool hub_wanted_ask(const struct hub_wanted_question *question, struct hub_wanted *ret_wanted,
                    struct error *err)
{
    AUTO(bytes_free) struct bytes text = {.limit = ANSWER_MAX + 1};
    struct fetch_response response = {0};
    struct fetch_request request;

    if (!make_wanted_request(question, &request, err) ||
        !question->fetch(question->fetcher, &request, hub_reply_take, &text, &response, err))
        return false;
    if (response.status == 401 || response.status == 403)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the hub answered %d: to say what is wanted, it requires a token that "
                         "may read (--report-token-file)",
                         response.status);
    if (response.status != 200)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the hub answered %d when asked what is wanted (--report-to)",
                         response.status);
    return hub_wanted_read(&(struct hub_answer){.content_type = response.content_type,
                                                .text = text.data ? text.data : "",
                                                .length = text.used},
                           ret_wanted, err);
}
