#include "server/hub/hub_event.h"

#include "common/json_writer.h"
#include "common/text.h"

bool hub_event_write(struct bytes *text, const struct capacity_event *event)
{
    struct json_writer out = {.bytes = text};

    jsonw_open(&out, NULL, '{');
    jsonw_text(&out, "kind", event->kind);
    jsonw_text(&out, "price_kind", event->price_kind);
    jsonw_text(&out, "provider", event->provider);
    jsonw_text(&out, "instance_type", event->instance_type);
    jsonw_text(&out, "zone", event->zone);
    jsonw_text(&out, "machine", text_or_null(event->machine));
    jsonw_text(&out, "note", text_or_null(event->note));
    jsonw_time(&out, "at", event->at_us);
    jsonw_close(&out, '}');
    return !out.failed;
}
