/* Property: an answer either tells of each line what became of it, refusing as many as it says,
 * or leaves all lines alone and says what is odd. The first byte says how many lines were sent.
 */
#include "common/text.h"
#include "server/hub/hub_reply.h"
#include "tests/fuzz/fuzz.h"

#include <jansson.h>

static void check_told(const struct hub_line *lines, size_t count, const char *text,
                       size_t length)
{
    json_t *report = json_loadb(text, length, 0, NULL);
    size_t refused = 0;

    for (size_t i = 0; i < count; i++) {
        const struct delivery *delivery = &lines[i].delivery;

        ALWAYS(delivery->verdict != DELIVERY_WAITING && delivery->run == (long long)i + 7);
        ALWAYS((delivery->verdict == DELIVERY_REFUSED) == (delivery->reason[0] != '\0'));
        ALWAYS(text_is_utf8(delivery->reason, strlen(delivery->reason)));
        refused += delivery->verdict == DELIVERY_REFUSED;
    }
    ALWAYS(json_integer_value(json_object_get(report, "refused")) == (json_int_t)refused);
    ALWAYS(json_integer_value(json_object_get(report, "imported")) +
               json_integer_value(json_object_get(report, "known")) ==
           (json_int_t)(count - refused));
    json_decref(report);
}

FUZZ(data, size)
{
    size_t count = size > 0 ? 1 + data[0] % HUB_LINES_MAX : 1;
    const char *text = size > 0 ? (const char *)data + 1 : "";
    struct hub_line lines[HUB_LINES_MAX] = {0}, before[HUB_LINES_MAX];
    struct hub_answer answer = {"application/json", text, size > 0 ? size - 1 : 0};
    struct error err = {0};

    for (size_t i = 0; i < count; i++) {
        snprintf(lines[i].id.text, sizeof lines[i].id.text, "01HF7YAT0000000000000000%02zu", i);
        lines[i].delivery.run = (long long)i + 7;
    }
    memcpy(before, lines, sizeof lines);
    if (hub_reply_read(&answer, lines, count, &err)) {
        check_told(lines, count, answer.text, answer.length);
        return;
    }
    ALWAYS(err.kind == ERROR_UPSTREAM && err.message[0]);
    ALWAYS(memcmp(before, lines, sizeof lines) == 0);
}
