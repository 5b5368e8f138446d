#include "server/http/json/present_capacity.h"

#include "common/text.h"

#include <math.h>

void present_capacity_event(struct json_writer *out, const struct capacity_event *event)
{
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "provider", event->provider);
    jsonw_text(out, "instance_type", event->instance_type);
    jsonw_text(out, "zone", event->zone);
    jsonw_text(out, "kind", event->kind);
    jsonw_text(out, "price_kind", event->price_kind);
    jsonw_time(out, "at", event->at_us);
    jsonw_text(out, "machine", text_or_null(event->machine));
    jsonw_text(out, "note", text_or_null(event->note));
    jsonw_text(out, "sender", text_or_null(event->sender));
    jsonw_close(out, '}');
}

static void present_counts(struct json_writer *out, const struct capacity_count *count)
{
    long long asked = count->launched + count->launch_failed;

    jsonw_integer(out, "launched", count->launched);
    jsonw_integer(out, "launch_failed", count->launch_failed);
    jsonw_integer(out, "preempted", count->preempted);
    jsonw_number(out, "failed_share",
                 asked > 0 ? (double)count->launch_failed / (double)asked : NAN);
    jsonw_time(out, "first_at", count->first_us);
    jsonw_time(out, "newest_at", count->newest_us);
}

void present_capacity_count(struct json_writer *out, const struct capacity_count *count)
{
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "provider", count->provider);
    jsonw_text(out, "instance_type", count->instance_type);
    jsonw_text(out, "zone", count->zone);
    jsonw_text(out, "price_kind", count->price_kind);
    present_counts(out, count);
    jsonw_close(out, '}');
}

void present_row_capacity(struct json_writer *out, const struct capacity_count *count)
{
    if (!count) {
        jsonw_null(out, "capacity");
        return;
    }
    jsonw_open(out, "capacity", '{');
    jsonw_integer(out, "days", CAPACITY_DAYS);
    present_counts(out, count);
    jsonw_close(out, '}');
}
