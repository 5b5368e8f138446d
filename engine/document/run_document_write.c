/* Tested by tests/engine/document/run_document_test.c. */
#include "engine/document/run_document_write.h"

#include "common/json_number.h"
#include "common/rfc3339.h"
#include "common/rows/members.h"
#include "common/text.h"
#include "engine/document/run_document.h"
#include "engine/machine/load.h"
#include "engine/spec/run_spec_text.h"

#include <string.h>

static void write_text(struct json_writer *out, const struct member *row, const void *object)
{
    jsonw_text(out, row->name, text_or_null((const char *)object + row->offset));
}

static void write_time(struct json_writer *out, const struct member *row, const void *object)
{
    long long calendar_us = MEMBER_VALUE(long long, row, object);
    char when[RFC3339_TEXT_SIZE] = "";

    if (calendar_us > 0)
        rfc3339_write(calendar_us, when);
    jsonw_text(out, row->name, text_or_null(when));
}

/* 0 is not known. */
static void write_count(struct json_writer *out, const struct member *row, const void *object)
{
    long long count = MEMBER_VALUE(long long, row, object);

    if (count > 0)
        jsonw_integer(out, row->name, count);
    else
        jsonw_null(out, row->name);
}

static void write_cosine(struct json_writer *out, const struct member *row, const void *object)
{
    const struct certified *certified = &((const struct run *)object)->certified;
    bool is_whole = row->offset == offsetof(struct run, certified.whole);
    char number[JSON_NUMBER_SIZE];

    json_number_write(MEMBER_VALUE(double, row, object), number);
    jsonw_raw(out, row->name,
              (is_whole ? certified->whole_known : certified->worst_known) ? number : NULL);
}

/* JSON text as it is; an imported trace may have newlines between its numbers. */
static void write_raw(struct json_writer *out, const struct member *row, const void *object)
{
    const char *json = MEMBER_VALUE(char *, row, object);
    size_t length;

    jsonw_raw(out, row->name, json ? "" : NULL);
    for (; json && *json && !out->failed; json += length + (json[length] == '\n')) {
        length = strcspn(json, "\n");
        out->failed = !bytes_add(out->bytes, json, length);
    }
}

#define HASH .pattern = "^[0-9a-f]{16}$"
MEMBER_KNOWN(has_machine, struct document_parts, parts, parts->run->machine[0] != '\0')
MEMBER_WRITES(write_fingerprint, text, struct document_parts, parts, parts->run->machine)

static const struct member machine_rows[] = {
    {MEMBER_WRITTEN("fingerprint", MEMBER_TEXT, write_fingerprint), HASH},
    {MEMBER(struct document_parts, stratum), HASH},
    {MEMBER(struct document_parts, facts), .write = write_raw,
     .schema = "{\"type\": \"object\"}"},
    {0},
};
static const struct members machine_members = {
    .name = "DocumentMachine",
    .meaning = "As in Machine; a fingerprint stands for the same facts everywhere.",
    .rows = machine_rows,
    .is_known = has_machine};

#define PERCENT .range = MEMBER_NOT_NEGATIVE, .schema = "{\"maximum\": 100}"
static void write_shares(struct json_writer *out, const struct member *row, const void *object)
{
    const struct load *load = object;

    jsonw_open(out, row->name, '[');
    for (int i = 0; i < load->count; i++)
        jsonw_number(out, NULL, load->users[i].percent);
    jsonw_close(out, ']');
}

static const struct member load_rows[] = {
    {MEMBER(struct load, busy_percent), PERCENT, .meaning = "Of all processors of the machine."},
    {MEMBER(struct load, hidden_percent), PERCENT,
     .meaning = "Part of it, by processes that were not visible."},
    {MEMBER_WRITTEN("shares", MEMBER_LIST, write_shares), .most = LOAD_USERS_MAX,
     .schema = "{\"type\": \"number\", \"minimum\": 0, \"maximum\": 100}",
     .meaning = "Of the largest processes."},
    {0},
};
static const struct members load_members = {.rows = load_rows};

/* Only the shares: names of processes stay on the machine. */
static void write_load(struct json_writer *out, const struct member *row, const void *object)
{
    const struct load *load = &((const struct run *)object)->load;

    if (load->processors > 0)
        members_write(out, row->name, row->members, load);
}

MEMBER_KNOWN(is_judged, struct run, run, run->validity != VALIDITY_UNKNOWN)

static const struct member validity_rows[] = {
    {MEMBER_AS(struct run, "level", validity), .words = validity_names + VALIDITY_OK,
     .first = VALIDITY_OK},
    {MEMBER(struct run, findings), .write = write_raw,
     .reference = "Validity/properties/findings"},
    {MEMBER_WRITTEN("load_before", MEMBER_OBJECT, write_load), .members = &load_members,
     .optional = true,
     .meaning = "In percent, without names of processes. Left out where it was not seen."},
    {0},
};
static const struct members validity_members = {
    .name = "DocumentValidity",
    .meaning = "The sender's judgement, and what others took of the processors when the run "
               "began.",
    .rows = validity_rows,
    .is_known = is_judged};

/* As the run has it in an answer, but as written here. */
/* clang-format off */
#define AS_IN_RUN(called, member, by)                                                            \
    {                                                                                            \
        MEMBER_AS(struct run, called, member), .write = (by), .optional = true,                  \
                                               .reference = "Run/properties/" called             \
    }
/* clang-format on */
#define TIME(called, member)                                                                     \
    MEMBER_AS(struct run, called, member), .write = write_time, .reference = "DocumentTime"
static const struct member head_rows[] = {
    {MEMBER_AS(struct run, "id", id.text), .reference = "RunId"},
    {MEMBER_SPEC_AT(struct run, spec), .reference = "DocumentSpec"},
    AS_IN_RUN("instance_type", instance, write_text),
    AS_IN_RUN("provider", where.provider, write_text),
    AS_IN_RUN("region", where.region, write_text),
    AS_IN_RUN("zone", where.zone, write_text),
    AS_IN_RUN("vm", where.vm, write_text),
    {0},
};
static const struct members head_members = {.rows = head_rows};

static const struct member told_rows[] = {
    {TIME("created_at", created_us), .optional = true, .nullable = true},
    {TIME("started_at", started_us), .optional = true, .nullable = true},
    {TIME("ended_at", ended_us)},
    AS_IN_RUN("software", software, write_text),
    AS_IN_RUN("engine_details", engine_details, write_raw),
    AS_IN_RUN("loaded", loaded, write_raw),
    AS_IN_RUN("samples", samples, write_count),
    AS_IN_RUN("peak_memory_bytes", peak_memory_bytes, write_count),
    AS_IN_RUN("gradient_cosine", certified.whole, write_cosine),
    AS_IN_RUN("worst_layer_cosine", certified.worst, write_cosine),
    {MEMBER(struct run, implementations), .write = write_raw, .optional = true,
     .reference = "ImplementationList/properties/implementations"},
    {MEMBER(struct run, setup_ns), .nullable = true, .optional = true, .range = MEMBER_POSITIVE,
     .schema = "{\"maximum\": 1000000000000000}",
     .meaning = "From the start of the worker to the start of its first step."},
    AS_IN_RUN("ended_by", ended_by, NULL),
    {MEMBER_AS(struct run, "cost", price), .write = write_raw, .optional = true, .nullable = true,
     .reference = "DocumentCost", .meaning = "As in Run, without `why_not_ranked`."},
    {0},
};
static const struct members told_members = {.rows = told_rows};

static const struct member judged_rows[] = {
    {MEMBER_AS(struct run, "summary", summary_text), .write = write_raw, .optional = true,
     .schema = "{\"type\": [\"object\", \"null\"]}"},
    {MEMBER_GROUP("validity", &validity_members), .optional = true, .nullable = true},
    {0},
};
static const struct members judged_members = {.rows = judged_rows};

MEMBER_FINDS(find_run, struct document_parts, parts, parts->run)

static const struct member signed_rows[] = {
    {MEMBER_CONSTANT("pennyworth_run", LIMIT_TEXT(DOCUMENT_VERSION))},
    {MEMBER_ROWS(&head_members), .find = find_run},
    {MEMBER_GROUP("machine", &machine_members), .optional = true, .nullable = true},
    {MEMBER_ROWS(&told_members), .find = find_run},
    {MEMBER(struct document_parts, steps), .write = write_raw, .reference = "DocumentSteps"},
    {MEMBER(struct document_parts, evidence), .write = write_raw, .optional = true,
     .nullable = true, .reference = "DocumentEvidence"},
    {MEMBER_ROWS(&judged_members), .find = find_run},
    {0},
};
static const struct members signed_members = {.rows = signed_rows};

static const struct member signature_rows[] = {
    {MEMBER(struct signature, key), .pattern = "^[0-9a-f]{64}$", .meaning = "The public key."},
    {MEMBER_CONSTANT("algorithm", "\"" SIGNATURE_ALGORITHM "\"")},
    {MEMBER(struct signature, value), .pattern = "^[0-9a-f]{128}$",
     .meaning = "The signature of the bytes."},
    {0},
};
static const struct members signature_members = {
    .name = "DocumentSignature",
    .meaning = "The signature of a document: of all its bytes before `" SIGNATURE_NAME "`.",
    .rows = signature_rows};

static const struct member void_rows[] = {
    {MEMBER_AS(struct taken_back, "at", at_us), .write = write_time, .reference = "DocumentTime"},
    {MEMBER(struct taken_back, by), .write = write_text, .reference = "TakenBack/properties/by"},
    {MEMBER(struct taken_back, reason), .write = write_text,
     .reference = "Reason/properties/reason"},
    {0},
};
static const struct members void_members = {
    .name = "DocumentVoid", .meaning = "As in TakenBack.", .rows = void_rows};

static const struct member rows[] = {
    {MEMBER_ROWS(&signed_members)},
    {.name = "signature",
     .type = MEMBER_OBJECT,
     .members = &signature_members,
     .optional = true,
     .nullable = true,
     .meaning = "Follows all other members except `void`."},
    {.name = "void",
     .type = MEMBER_OBJECT,
     .members = &void_members,
     .optional = true,
     .nullable = true,
     .meaning = "There only for a run that was voided where it comes from."},
    {0},
};
const struct members run_document_members = {
    .name = "RunDocument",
    .meaning = "A finished run in transit, in one line. All members except `pennyworth_run`, "
               "`id`, `spec`, `ended_at` and `steps` may be null or left out; so may fields of "
               "`spec` that have their defaults. Members are as in Run; `summary` and "
               "`validity` are for people, and the importing server computes them again.",
    .rows = rows};

/* The void only for a voided run: older servers refuse unknown members. */
static bool write_end(struct json_writer *out, const struct run *run,
                      const struct signature *signature)
{
    if (signature)
        members_write(out, "signature", &signature_members, signature);
    if (run->voided.at_us != 0)
        members_write(out, "void", &void_members, &run->voided);
    jsonw_close(out, '}');
    return !out->failed && bytes_add(out->bytes, "\n", 1);
}

bool document_write_end(struct bytes *text, const struct run *run,
                        const struct signature *signature)
{
    struct json_writer out = {.bytes = text, .comma = true, .depth = 1};

    return write_end(&out, run, signature);
}

bool document_write(struct bytes *text, const struct document_parts *parts,
                    const struct document_signer *signer)
{
    struct json_writer out = {.bytes = text};
    struct signature signature;
    size_t start = text->used;

    jsonw_open(&out, NULL, '{');
    members_write_rows(&out, &signed_members, parts);
    if (signer && !out.failed)
        signer->sign(signer->user, text->data + start, text->used - start, &signature);
    return write_end(&out, parts->run, signer ? &signature : NULL);
}
