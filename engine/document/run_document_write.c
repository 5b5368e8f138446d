/* Tested by tests/engine/document/run_document_test.c. */
#include "engine/document/run_document_write.h"

#include "common/cleanup.h"
#include "common/json_number.h"
#include "common/rfc3339.h"
#include "engine/document/document_text.h"
#include "engine/document/run_document.h"
#include "engine/machine/load.h"

#include <string.h>

static bool add(struct bytes *text, const char *words)
{
    return bytes_add(text, words, strlen(words));
}

static bool add_name(struct bytes *text, const char *name)
{
    return add(text, ",\"") && add(text, name) && add(text, "\":");
}

static bool add_text(struct bytes *text, const char *name, const char *value)
{
    return add_name(text, name) && document_write_text(text, value);
}

/* JSON text as it is; an imported trace may have newlines between its numbers. */
static bool add_raw(struct bytes *text, const char *name, const char *json)
{
    const char *end;

    if (!add_name(text, name))
        return false;
    for (json = json ? json : "null"; (end = strchr(json, '\n')) != NULL; json = end + 1)
        if (!bytes_add(text, json, (size_t)(end - json)))
            return false;
    return add(text, json);
}

static bool add_time(struct bytes *text, const char *name, long long calendar_us)
{
    char when[RFC3339_TEXT_SIZE] = "";

    if (calendar_us > 0)
        rfc3339_write(calendar_us, when);
    return add_text(text, name, when);
}

/* 0 is not known. */
static bool add_count(struct bytes *text, const char *name, long long count)
{
    char number[JSON_NUMBER_SIZE];

    if (count <= 0)
        return add_raw(text, name, NULL);
    json_number_write_whole(count, number);
    return add_raw(text, name, number);
}

static bool add_cosine(struct bytes *text, const char *name, bool known, double cosine)
{
    char number[JSON_NUMBER_SIZE];

    if (!known)
        return add_raw(text, name, NULL);
    json_number_write(cosine, number);
    return add_raw(text, name, number);
}

static bool add_place(struct bytes *text, const struct run *run)
{
    return add_text(text, "instance_type", run->instance) &&
           add_text(text, "provider", run->where.provider) &&
           add_text(text, "region", run->where.region) &&
           add_text(text, "zone", run->where.zone) && add_text(text, "vm", run->where.vm);
}

static bool add_machine(struct bytes *text, const struct document_parts *parts)
{
    if (!parts->run->machine[0])
        return add_raw(text, "machine", NULL);
    return add(text, ",\"machine\":{\"fingerprint\":") &&
           document_write_text(text, parts->run->machine) &&
           add_text(text, "stratum", parts->stratum) && add_raw(text, "facts", parts->facts) &&
           add(text, "}");
}

static bool add_told(struct bytes *text, const struct run *run)
{
    const struct certified *certified = &run->certified;

    return add_text(text, "software", run->software) &&
           add_raw(text, "engine_details", run->engine_details) &&
           add_raw(text, "loaded", run->loaded) && add_count(text, "samples", run->samples) &&
           add_count(text, "peak_memory_bytes", run->peak_memory_bytes) &&
           add_cosine(text, "gradient_cosine", certified->whole_known, certified->whole) &&
           add_cosine(text, "worst_layer_cosine", certified->worst_known, certified->worst) &&
           add_raw(text, "implementations", run->implementations) &&
           add_count(text, "setup_ns", run->setup_ns);
}

static bool add_percent(struct bytes *text, const char *before, double percent)
{
    char number[JSON_NUMBER_SIZE];

    json_number_write(percent, number);
    return add(text, before) && add(text, number);
}

/* Only the shares: names of processes stay on the machine. */
static bool add_load(struct bytes *text, const struct run *run)
{
    struct load load;

    if (!load_from_text(run->load, &load))
        return true;
    if (!add_percent(text, ",\"load_before\":{\"busy_percent\":", load.busy_percent) ||
        !add_percent(text, ",\"hidden_percent\":", load.hidden_percent) ||
        !add(text, ",\"shares\":["))
        return false;
    for (int i = 0; i < load.count; i++)
        if (!add_percent(text, i > 0 ? "," : "", load.users[i].percent))
            return false;
    return add(text, "]}");
}

/* As in the API, without names. */
static bool add_validity(struct bytes *text, const struct run *run)
{
    if (run->validity == VALIDITY_UNKNOWN)
        return add_raw(text, "validity", NULL);
    return add(text, ",\"validity\":{\"level\":") &&
           document_write_text(text, validity_name(run->validity)) &&
           add_raw(text, "findings", run->findings) && add_load(text, run) && add(text, "}");
}

/* Only for a voided run: older servers refuse unknown members. */
static bool add_void(struct bytes *text, const struct taken_back *voided)
{
    char when[RFC3339_TEXT_SIZE];

    if (voided->at_us == 0)
        return true;
    rfc3339_write(voided->at_us, when);
    return add(text, ",\"void\":{\"at\":") && document_write_text(text, when) &&
           add_text(text, "by", voided->by) && add_text(text, "reason", voided->reason) &&
           add(text, "}");
}

static bool sign(struct bytes *text, size_t start, const struct document_signer *signer)
{
    struct signature signature;

    if (!signer)
        return true;
    signer->sign(signer->user, text->data + start, text->used - start, &signature);
    return signature_write(text, &signature);
}

bool document_write_end(struct bytes *text, const struct run *run,
                        const struct signature *signature)
{
    return signature_write(text, signature) && add_void(text, &run->voided) && add(text, "}\n");
}

bool document_write(struct bytes *text, const struct document_parts *parts,
                    const struct document_signer *signer)
{
    const struct run *run = parts->run;
    AUTO(freep) char *spec = run_spec_to_text(&run->spec);
    size_t start = text->used;

    return bytes_printf(text, "{\"pennyworth_run\":%d", DOCUMENT_VERSION) &&
           add_text(text, "id", run->id.text) && add_raw(text, "spec", spec) &&
           add_place(text, run) && add_machine(text, parts) &&
           add_time(text, "created_at", run->created_us) &&
           add_time(text, "started_at", run->started_us) &&
           add_time(text, "ended_at", run->ended_us) && add_told(text, run) &&
           add_text(text, "ended_by", run->ended_by) && add_raw(text, "cost", run->price) &&
           add_raw(text, "steps", parts->steps) && add_raw(text, "evidence", parts->evidence) &&
           add_raw(text, "summary", run->summary_text) && add_validity(text, run) &&
           sign(text, start, signer) && add_void(text, &run->voided) && add(text, "}\n");
}
