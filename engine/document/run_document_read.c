/* Tested by tests/engine/document/run_document_test.c and
 * tests/engine/document/run_document_refusals_test.c. */
#include "engine/document/run_document_read.h"

#include "common/cleanup.h"
#include "common/json_number.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/text.h"
#include "engine/document/document_member.h"
#include "engine/document/document_text.h"
#include "engine/machine/vm.h"
#include "engine/run/pace.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_evidence.h"

#include <stdint.h>

#define SPEED_MAX 1e15

static void *document_place(const struct document_member *member, struct document *document)
{
    return (char *)document + member->offset;
}

static bool read_text(const struct document_member *member, struct span value,
                      struct document *document, struct error *err)
{
    return document_read_text(value, member->name, member->size, document_place(member, document),
                              err);
}

static bool read_vm(const struct document_member *member, struct span value,
                    struct document *document, struct error *err)
{
    char *vm = document->run.where.vm;

    if (!document_read_text(value, member->name, sizeof document->run.where.vm, vm, err))
        return false;
    return vm_kind_of(vm) != VM_UNKNOWN ||
           error_set(err, ERROR_INVALID, member->name, "must be " VM_FORM);
}

static bool read_id(const struct document_member *member, struct span value,
                    struct document *document, struct error *err)
{
    char *id = document->run.id.text;

    if (!document_read_text(value, member->name, sizeof document->run.id.text, id, err))
        return false;
    return run_id_is_valid(id) ||
           error_set(err, ERROR_INVALID, member->name, "must be a ULID in upper case");
}

static bool read_time(const struct document_member *member, struct span value,
                      struct document *document, struct error *err)
{
    long long us;

    if (!member_read_time(value, member->name, &us, err))
        return false;
    memcpy(document_place(member, document), &us, sizeof us);
    return true;
}

static bool read_whole(const struct document_member *member, struct span value,
                       struct document *document, struct error *err)
{
    const char *at = value.start, *end = at + value.length;
    const struct allowed allowed = {.ranged = true, .min = member->min, .max = member->max};
    long long number;

    if (!json_number_read_whole(&at, end, &number) || at != end || number < member->min ||
        number > member->max)
        return error_not_allowed(err, member->name, allowed,
                                 "must be a whole number from %lld to %lld", member->min,
                                 member->max);
    memcpy(document_place(member, document), &number, sizeof number);
    return true;
}

/* As in event.c: a little more than 1 is rounding. */
static bool read_cosine(const struct document_member *member, struct span value,
                        double *ret_cosine, struct error *err)
{
    const char *at = value.start, *end = at + value.length;

    if (!json_number_read(&at, end, ret_cosine) || at != end ||
        !(*ret_cosine >= -1.001 && *ret_cosine <= 1.001))
        return error_set(err, ERROR_INVALID, member->name, "must be a number from -1 to 1");
    return true;
}

static bool read_whole_gradient(const struct document_member *member, struct span value,
                                struct document *document, struct error *err)
{
    struct certified *certified = &document->run.certified;

    certified->whole_known = read_cosine(member, value, &certified->whole, err);
    return certified->whole_known;
}

static bool read_worst_layer(const struct document_member *member, struct span value,
                             struct document *document, struct error *err)
{
    struct certified *certified = &document->run.certified;

    certified->worst_known = read_cosine(member, value, &certified->worst, err);
    return certified->worst_known;
}

static bool read_ended_by(const struct document_member *member, struct span value,
                          struct document *document, struct error *err)
{
    char word[32];

    if (!document_read_text(value, member->name, sizeof word, word, err))
        return false;
    document->run.ended_by = pace_verdict_from_name(word);
    return document->run.ended_by || error_set(err, ERROR_INVALID, member->name,
                                               "'%s' is not a reason for the end of a run", word);
}

static bool read_spec(const struct document_member *member, struct span value,
                      struct document *document, struct error *err)
{
    struct error inner = {0};

    if (!run_spec_from_text(value.start, value.length, &document->run.spec, &inner))
        return document_refuse_inside(err, member->name, &inner);
    if (document->run.spec.batch_size == FIELD_IS_AUTO)
        return error_set(err, ERROR_INVALID, member->name,
                         "batch_size must be the number of the run, not \"auto\"");
    return true;
}

static bool read_cost(const struct document_member *member, struct span value,
                      struct document *document, struct error *err)
{
    document->run.price = document_copy_object(value, member->name, err);
    return document->run.price != NULL;
}

static bool read_steps(const struct document_member *member, struct span value,
                       struct document *document, struct error *err)
{
    (void)member;
    if (!trace_read_steps(value.start, value.length, &document->steps, err))
        return false;
    if (document->steps.count == 0)
        return error_set(err, ERROR_INVALID, "steps.nanoseconds", "must not be empty");
    document->steps_text = value;
    document->run.steps = (long long)document->steps.count;
    return true;
}

static bool read_evidence(const struct document_member *member, struct span value,
                          struct document *document, struct error *err)
{
    (void)member;
    document->evidence_text = value;
    return trace_read_evidence(value.start, value.length, &document->evidence, err);
}

/* The sender's own results: only the speed is kept. */
static bool read_summary(const struct document_member *member, struct span value,
                         struct document *document, struct error *err)
{
    static const char field[] = "summary.samples_per_second";
    struct json_scan strict = json_scan_of(value), scan = strict;
    struct span whole, name, item;
    bool first = true;

    if (!json_scan_value(&strict, &whole) || !json_scan_take(&scan, '{'))
        return error_set(err, ERROR_INVALID, member->name, "must be an object");
    while (json_scan_member(&scan, &first, &name) == JSON_SCAN_MEMBER &&
           json_scan_extent(&scan, &item)) {
        const char *at = item.start, *end = at + item.length;

        if (span_is(name, "method") && !json_number_read(&at, end, &document->method))
            return error_set(err, ERROR_INVALID, "summary.method", "must be a number");
        if (!span_is(name, "samples_per_second") || span_is(item, "null"))
            continue;
        if (!json_number_read(&at, end, &document->claimed) || at != end ||
            !(document->claimed > 0 && document->claimed <= SPEED_MAX))
            return error_set(err, ERROR_INVALID, field, "must be a number above 0, at most %g",
                             SPEED_MAX);
    }
    return true;
}

static bool read_nothing(const struct document_member *member, struct span value,
                         struct document *document, struct error *err)
{
    struct json_scan scan = json_scan_of(value);
    struct span whole;

    (void)document;
    return json_scan_value(&scan, &whole) ||
           error_set(err, ERROR_INVALID, member->name, "is not JSON");
}

static bool read_version(const struct document_member *member, struct span value,
                         struct document *document, struct error *err)
{
    const char *at = value.start, *end = at + value.length;
    long long version;

    (void)document;
    if (!json_number_read_whole(&at, end, &version) || at != end)
        return error_set(err, ERROR_INVALID, member->name, "must be the number of a version");
    return version == DOCUMENT_VERSION ||
           error_set(err, ERROR_INVALID, member->name, "is version %lld; version %d is read here",
                     version, DOCUMENT_VERSION);
}

#define IN_RUN(member) .offset = offsetof(struct document, run.member)
#define TEXT(member)                                                                             \
    .read = read_text, IN_RUN(member), .size = sizeof((struct document *)NULL)->run.member
#define SPEC 2 /* its place */
/* In reading order, except for the spec, which comes second. */
static const struct document_member members[] = {
    {"pennyworth_run", .read = read_version, .required = true},
    {"id", .read = read_id, .required = true},
    {"spec", .read = read_spec, .required = true},
    {"instance_type", TEXT(instance)},
    {"provider", TEXT(where.provider)},
    {"region", TEXT(where.region)},
    {"zone", TEXT(where.zone)},
    {"vm", .read = read_vm},
    {"machine", .read = member_read_machine, .long_text = true} /* its facts have the limit */,
    {"created_at", .read = read_time, IN_RUN(created_us)},
    {"started_at", .read = read_time, IN_RUN(started_us)},
    {"ended_at", .read = read_time, IN_RUN(ended_us), .required = true},
    {"software", TEXT(software)},
    {"engine_details", .read = member_read_details},
    {"loaded", .read = member_read_loaded},
    {"samples", .read = read_whole, IN_RUN(samples), .min = 1, .max = WHOLE_MAX},
    {"peak_memory_bytes", .read = read_whole, IN_RUN(peak_memory_bytes), .min = 1,
     .max = WHOLE_MAX},
    {"gradient_cosine", .read = read_whole_gradient},
    {"worst_layer_cosine", .read = read_worst_layer},
    {"implementations", .read = member_read_implementations},
    {"setup_ns", .read = read_whole, IN_RUN(setup_ns), .min = 1, .max = STEP_NS_MAX},
    {"ended_by", .read = read_ended_by},
    {"cost", .read = read_cost},
    {"steps", .read = read_steps, .required = true, .long_text = true},
    {"evidence", .read = read_evidence, .long_text = true},
    {"summary", .read = read_summary},
    {"validity", .read = read_nothing},
    {"void", .read = member_read_void},
    {"signature", .read = member_read_signature},
};
#define VOID (COUNT(members) - 2)
#define SIGNATURE (COUNT(members) - 1)
#undef TEXT
#undef IN_RUN

static size_t member_named(struct span name)
{
    size_t i = 0;

    while (i < COUNT(members) && !span_is(name, members[i].name))
        i++;
    return i;
}

static bool refuse_at(const struct json_scan *scan, const char *text, struct error *err)
{
    return error_set(err, ERROR_INVALID, NULL, "the document is not JSON at byte %zu",
                     (size_t)(scan->at - text));
}

/* Finds the members. An unknown one is only remembered: errors about the format and its version
 * come first. */
static bool find_members(struct span text, struct span *ret_values, struct span *ret_unknown,
                         struct error *err)
{
    struct json_scan scan = json_scan_of(text);
    enum json_scan_step step;
    bool first = true;
    struct span name;

    if (!json_scan_take(&scan, '{'))
        return error_set(err, ERROR_INVALID, NULL, "the document must be a JSON object");
    while ((step = json_scan_member(&scan, &first, &name)) == JSON_SCAN_MEMBER) {
        size_t member = member_named(name);
        struct span value;

        if (!json_scan_extent(&scan, &value))
            return refuse_at(&scan, text.start, err);
        if (member == COUNT(members))
            *ret_unknown = ret_unknown->start ? *ret_unknown : name;
        else if (ret_values[member].start)
            return error_set(err, ERROR_INVALID, members[member].name, "is there twice");
        else
            ret_values[member] = value;
    }
    if (step == JSON_SCAN_BROKEN || !json_scan_is_over(&scan))
        return refuse_at(&scan, text.start, err);
    return true;
}

static bool read_member(size_t i, struct span value, struct document *document, struct error *err)
{
    if (value.start && !span_is(value, "null"))
        return (members[i].long_text || member_fits(value, members[i].name, err)) &&
               members[i].read(&members[i], value, document, err);
    if (!members[i].required)
        return true;
    return error_set(err, ERROR_INVALID, members[i].name, "is missing%s",
                     i == 0 ? ": this is not a run document" : "");
}

/* The memo's result for this text. */
static bool document_recall(const struct document_memo *memo, struct span value,
                            struct document *document)
{
    if (!memo || !memo->written || memo->length != value.length ||
        memcmp(memo->written, value.start, value.length) != 0)
        return false;
    document->run.spec = memo->spec;
    return true;
}

static void document_remember(struct document_memo *memo, struct span value,
                              const struct document *document)
{
    document_memo_clear(memo);
    memo->written = xmemdup(value.start, value.length);
    memo->length = value.length;
    memo->spec = document->run.spec;
}

void document_memo_clear(struct document_memo *memo)
{
    freep(&memo->written);
}

static bool read_spec_once(struct document_memo *memo, struct span value,
                           struct document *document, struct error *err)
{
    if (value.start && document_recall(memo, value, document))
        return true;
    if (!read_member(SPEC, value, document, err))
        return false;
    if (memo)
        document_remember(memo, value, document);
    return true;
}

/* A signature covers the bytes up to the comma before its name. Only the void of the run may
 * follow it, which others than the sender may decide. */
static bool find_signed(struct span text, const struct span *values, struct span *ret_signed,
                        struct error *err)
{
    const size_t name = sizeof SIGNATURE_NAME - 1;
    const char *at = values[SIGNATURE].start;

    if (!at || span_is(values[SIGNATURE], "null"))
        return true;
    if ((size_t)(at - text.start) < name || memcmp(at - name, SIGNATURE_NAME, name) != 0)
        return error_set(err, ERROR_INVALID, "signature",
                         "must follow another member, without blanks: %s{; a document that was "
                         "written anew has none",
                         SIGNATURE_NAME);
    for (size_t i = 0; i < SIGNATURE; i++)
        if (values[i].start && (values[i].start > at) != (i == VOID))
            return error_set(err, ERROR_INVALID, members[i].name, "must stand %s the signature",
                             i == VOID ? "behind" : "before");
    *ret_signed = (struct span){text.start, (size_t)(at - text.start) - name};
    return true;
}

static bool refuse_document_name(struct span name, struct error *err)
{
    struct known_names known = {.all = "docs/run-document.md"};

    for (size_t i = 0; i < COUNT(members); i++)
        known_names_add(&known, members[i].name);
    return json_scan_refuse_name("", name, &known, err);
}

static bool read_members(struct document_memo *memo, struct span text, struct document *document,
                         struct error *err)
{
    struct span values[COUNT(members)] = {{NULL, 0}}, unknown = {NULL, 0};

    if (!find_members(text, values, &unknown, err) || !read_member(0, values[0], document, err))
        return false;
    if (unknown.start)
        return refuse_document_name(unknown, err);
    if (!find_signed(text, values, &document->signed_text, err))
        return false;
    if (!read_spec_once(memo, values[SPEC], document, err))
        return false;
    for (size_t i = 1; i < COUNT(members); i++)
        if (i != SPEC && !read_member(i, values[i], document, err))
            return false;
    return true;
}

static bool is_in_order(const struct run *run, struct error *err)
{
    if (run->started_us > run->ended_us)
        return error_set(err, ERROR_INVALID, "ended_at", "must not be before started_at");
    if (run->created_us > run->ended_us)
        return error_set(err, ERROR_INVALID, "ended_at", "must not be before created_at");
    return true;
}

/* Most documents are plain ASCII; this checks eight bytes at a time. */
static bool is_utf8(const char *text, size_t length)
{
    const uint64_t high = 0x8080808080808080ULL;
    size_t i = 0;
    uint64_t eight;

    for (; i + sizeof eight <= length; i += sizeof eight) {
        memcpy(&eight, text + i, sizeof eight);
        if (eight & high)
            break;
    }
    return text_is_utf8(text + i, length - i);
}

bool document_read_next(struct document_memo *memo, const char *text, size_t length,
                        struct document *ret_document, struct error *err)
{
    static const char no_evidence[] = "{\"observations\":[],\"canaries\":[]}";
    AUTO(document_clear)
    struct document document = {.run = {.state = RUN_FINISHED, .provenance = PROVENANCE_IMPORTED},
                                .evidence_text = {no_evidence, sizeof no_evidence - 1}};

    if (length > DOCUMENT_MAX)
        return error_set(err, ERROR_INVALID, NULL, "the document has more than %d bytes",
                         DOCUMENT_MAX);
    /* jansson 2.14 skips a NUL after a number. */
    if (length > 0 && memchr(text, '\0', length))
        return error_set(err, ERROR_INVALID, NULL, "the document has a NUL in it");
    if (!is_utf8(text, length))
        return error_set(err, ERROR_INVALID, NULL, "the document is not UTF-8");
    if (!read_members(memo, (struct span){text, length}, &document, err) ||
        !is_in_order(&document.run, err))
        return false;
    *ret_document = document;
    document = (struct document){0};
    return true;
}

bool document_read(const char *text, size_t length, struct document *ret_document,
                   struct error *err)
{
    return document_read_next(NULL, text, length, ret_document, err);
}

void document_clear(struct document *document)
{
    run_clear(&document->run);
    freep(&document->facts);
    steps_free(&document->steps);
    evidence_free(&document->evidence);
    *document = (struct document){0};
}
