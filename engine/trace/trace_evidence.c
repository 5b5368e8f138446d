#include "engine/trace/trace_evidence.h"

#include "common/cleanup.h"
#include "common/json_number.h"
#include "common/json_scan.h"
#include "common/limits.h"

#include <stdint.h>

#define COUNTER_MAX 1000000000000000000LL /* differences of any two fit 64 bits */
#define HERTZ_MAX 1e12
#define COPY_MAX 1e15

/* Of an observation, in its order. -1: not visible. */
#define AT(member) #member, offsetof(struct observation, member)
static const struct counter {
    const char *name;
    size_t offset;
    long long min;
} counters[] = {
    {AT(steps), 0},
    {AT(taken_ns), 0},
    {AT(cpu_ticks), -1},
    {AT(steal_ticks), -1},
    {AT(throttled_periods), -1},
    {AT(throttled_us), -1},
    {AT(involuntary_switches), -1},
    {AT(waited_ns), -1},
    {AT(own_cpu_ns), -1},
    {AT(major_faults), -1},
    {AT(swap_ins), -1},
};
#undef AT

/* One of the two arrays, as it is read. */
struct list {
    const char *name;
    bool (*read)(struct json_scan *scan, struct evidence *evidence, const char **ret_reason);
    bool seen;
};

/* The next number of a row, and the comma before it. */
static bool next_number(struct json_scan *scan, bool *first)
{
    if (json_scan_element(scan, first) != JSON_SCAN_MEMBER)
        return false;
    json_scan_blanks(scan);
    return true;
}

static bool read_counters(struct json_scan *scan, struct observation *observation)
{
    bool first = true;

    if (!json_scan_take(scan, '['))
        return false;
    for (size_t i = 0; i < COUNT(counters); i++) {
        long long number;

        if (!next_number(scan, &first) ||
            !json_number_read_whole(&scan->at, scan->end, &number) || number < counters[i].min ||
            number > COUNTER_MAX)
            return false;
        memcpy((char *)observation + counters[i].offset, &number, sizeof number);
    }
    return json_scan_take(scan, ']');
}

static bool read_observation(struct json_scan *scan, struct evidence *evidence,
                             const char **ret_reason)
{
    const struct observation *before =
        evidence->observation_count > 0 ? &evidence->observations[evidence->observation_count - 1]
                                        : NULL;
    struct observation observation;

    *ret_reason = "must be eleven whole numbers: two from 0, the others from -1, to 10^18";
    if (!read_counters(scan, &observation))
        return false;
    *ret_reason = "must not be earlier than the one before it";
    if (before && (observation.taken_ns < before->taken_ns || observation.steps < before->steps))
        return false;
    evidence_observe(evidence, &observation);
    return true;
}

/* More than 0. */
static bool read_rate(struct json_scan *scan, bool *first, double max, double *ret_rate)
{
    return next_number(scan, first) && json_number_read(&scan->at, scan->end, ret_rate) &&
           *ret_rate > 0 && *ret_rate <= max;
}

static bool read_reading(struct json_scan *scan, struct evidence *evidence,
                         const char **ret_reason)
{
    const struct canary_reading *before =
        evidence->reading_count > 0 ? &evidence->readings[evidence->reading_count - 1] : NULL;
    struct canary_reading reading;
    bool first = true;

    *ret_reason = "must be steps, hertz and bytes a second: above 0, to 10^18, 10^12 and 10^15";
    if (!json_scan_take(scan, '[') || !next_number(scan, &first) ||
        !json_number_read_whole(&scan->at, scan->end, &reading.steps) || reading.steps < 0 ||
        reading.steps > COUNTER_MAX ||
        !read_rate(scan, &first, HERTZ_MAX, &reading.canary.hertz) ||
        !read_rate(scan, &first, COPY_MAX, &reading.canary.copy_bytes_per_second) ||
        !json_scan_take(scan, ']'))
        return false;
    *ret_reason = "must not be earlier than the one before it";
    if (before && reading.steps < before->steps)
        return false;
    evidence_add_reading(evidence, &reading);
    return true;
}

static bool refuse_row(struct error *err, const char *name, size_t index, const char *reason)
{
    char field[64];

    snprintf(field, sizeof field, "evidence.%s[%zu]", name, index);
    return error_set(err, ERROR_INVALID, field, "%s", reason);
}

static bool refuse_list(struct error *err, const char *name, const char *reason)
{
    char field[64];

    snprintf(field, sizeof field, "evidence.%s", name);
    return error_set(err, ERROR_INVALID, field, "%s", reason);
}

static bool read_list(const struct list *list, struct json_scan *scan, struct evidence *evidence,
                      struct error *err)
{
    enum json_scan_step step;
    bool first = true;
    const char *reason;
    size_t count = 0;

    if (!json_scan_take(scan, '['))
        return refuse_list(err, list->name, "must be an array of arrays");
    while ((step = json_scan_element(scan, &first)) == JSON_SCAN_MEMBER) {
        if (count == RUN_STEPS_MAX)
            return refuse_list(err, list->name, "must have at most a million elements");
        if (!list->read(scan, evidence, &reason))
            return refuse_row(err, list->name, count, reason);
        count++;
    }
    if (step == JSON_SCAN_BROKEN)
        return refuse_row(err, list->name, count, "must be followed by a comma or a bracket");
    return true;
}

static bool read_lists(struct json_scan *scan, struct evidence *evidence, struct error *err)
{
    struct list lists[] = {{"observations", read_observation, false},
                           {"canaries", read_reading, false}};
    const struct known_names known = {.list = {lists[0].name, lists[1].name}, .count = 2};
    enum json_scan_step step;
    struct span name;
    bool first = true;

    if (!json_scan_take(scan, '{'))
        return error_set(err, ERROR_INVALID, "evidence", "must be an object of arrays");
    while ((step = json_scan_member(scan, &first, &name)) == JSON_SCAN_MEMBER) {
        struct list *list = span_is(name, lists[0].name)   ? &lists[0]
                            : span_is(name, lists[1].name) ? &lists[1]
                                                           : NULL;

        if (!list)
            return json_scan_refuse_name("evidence", name, &known, err);
        if (list->seen)
            return refuse_list(err, list->name, "is there twice");
        list->seen = true;
        if (!read_list(list, scan, evidence, err))
            return false;
    }
    if (step == JSON_SCAN_BROKEN || !json_scan_is_over(scan))
        return error_set(err, ERROR_INVALID, "evidence", "is not JSON");
    for (size_t i = 0; i < COUNT(lists); i++)
        if (!lists[i].seen)
            return refuse_list(err, lists[i].name, "is missing");
    return true;
}

bool trace_read_evidence(const char *text, size_t length, struct evidence *ret_evidence,
                         struct error *err)
{
    AUTO(evidence_free) struct evidence evidence = {0};
    struct json_scan scan = {text, text + length};

    if (!read_lists(&scan, &evidence, err))
        return false;
    *ret_evidence = evidence;
    evidence = (struct evidence){0};
    return true;
}

static bool add_observation(struct bytes *text, const struct observation *observation, bool comma)
{
    char row[COUNT(counters) * JSON_NUMBER_SIZE + 3];
    size_t used = 0;

    if (comma)
        row[used++] = ',';
    for (size_t i = 0; i < COUNT(counters); i++) {
        long long number;

        memcpy(&number, (const char *)observation + counters[i].offset, sizeof number);
        row[used++] = i == 0 ? '[' : ',';
        used += (size_t)json_number_write_whole(number, row + used);
    }
    row[used++] = ']';
    return bytes_add(text, row, used);
}

static bool add_reading(struct bytes *text, const struct canary_reading *reading, bool comma)
{
    char steps[JSON_NUMBER_SIZE], hertz[JSON_NUMBER_SIZE], copy[JSON_NUMBER_SIZE];

    json_number_write_whole(reading->steps, steps);
    json_number_write(reading->canary.hertz, hertz);
    json_number_write(reading->canary.copy_bytes_per_second, copy);
    return bytes_printf(text, "%s[%s,%s,%s]", comma ? "," : "", steps, hertz, copy);
}

bool trace_write_evidence(struct bytes *text, const struct evidence *evidence)
{
    static const char between[] = "],\"canaries\":[", head[] = "{\"observations\":[";

    if (!bytes_add(text, head, sizeof head - 1))
        return false;
    for (size_t i = 0; i < evidence->observation_count; i++)
        if (!add_observation(text, &evidence->observations[i], i > 0))
            return false;
    if (!bytes_add(text, between, sizeof between - 1))
        return false;
    for (size_t i = 0; i < evidence->reading_count; i++)
        if (!add_reading(text, &evidence->readings[i], i > 0))
            return false;
    return bytes_add(text, "]}", 2);
}
