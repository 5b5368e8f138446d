/* Documents for tests: one with everything in it, one with only what must be there, and how to
 * make others of them. */
#pragma once

#include "engine/document/run_document_read.h"
#include "engine/document/run_document_write.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_evidence.h"
#include "tests/test.h"

#define SPEC                                                                                     \
    "{\"workload\":\"resnet50\",\"engine\":\"native\",\"precision\":\"bf16\",\"batch_size\":32," \
    "\"layout\":\"auto\",\"threads\":0,\"warmup_steps\":\"auto\",\"steps\":\"auto\","            \
    "\"max_seconds\":120,\"seed\":1,\"plan\":\"auto\",\"isa\":\"auto\",\"input_workers\":0,"     \
    "\"pinning\":\"cores\",\"numa\":\"auto\",\"huge_pages\":\"auto\",\"openmp\":\"gnu\","        \
    "\"allocator\":\"system\",\"protocol\":\"detected\",\"min_seconds\":60,"                     \
    "\"target_percent\":1.0,\"max_dollars\":null,\"labels\":{\"branch\":\"main\"}}"
#define STEPS                                                                                    \
    "{\"nanoseconds\":[50000001,50000002],\"loss\":[6.907755278982137,-0.5],\"input\":[1,2],"    \
    "\"forward\":[3,4],\"backward\":[5,6],\"update\":[7,8],\"communication\":[0,9]}"
#define EVIDENCE                                                                                 \
    "{\"observations\":[[0,1,2,3,-1,-1,4,5,6,7,8],[2,1000,2,3,-1,-1,4,5,6,7,8]],"                \
    "\"canaries\":[[0,3100000000,12500000000.5]]}"
#define DETAILS                                                                                  \
    "{\"library\":\"oneDNN 2.6.3\",\"isa\":\"avx512_bf16\",\"plan\":\"cached\","                 \
    "\"layout\":\"nhwc\",\"threads\":2,"                                                         \
    "\"parameters\":25557032,\"multiply_adds\":4089184256,\"backward_multiply_adds\":"           \
    "8060354560,"                                                                                \
    "\"memory_bytes\":null,\"step_bytes\":null,\"peak_unit\":\"AMX\","                           \
    "\"peak_multiply_adds_per_second\":2000000000000,\"peak_read_bytes_per_second\":null,"       \
    "\"emulated\":false,\"huge_pages\":null}"
#define HEAD "{\"pennyworth_run\":1,\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"spec\":" SPEC

/* As document_write() makes it of a run without conclusion. */
static const char whole_document[] = HEAD
    ",\"instance_type\":\"c7i.large\",\"provider\":\"aws\",\"region\":\"us-east-1\","
    "\"zone\":\"us-east-1a\",\"vm\":\"i123456789abcdef\",\"machine\":{\"fingerprint\":"
    "\"972f2cbf2a910fb8\",\"stratum\":\"7a97254c079c9076\",\"facts\":{\"isa\":\"amx\","
    "\"cores\":2,\"gib\":24.25,\"levels\":[48,2048,null],\"model\":\"AMD \\\"EPYC\\\"\"}},"
    "\"created_at\":\"2026-11-21T15:08:17.123Z\",\"started_at\":"
    "\"2026-11-21T15:08:18.000001Z\",\"ended_at\":\"2026-11-21T15:10:18.000Z\","
    "\"software\":\"pennyworth-worker 0.1.0, caf\xc3\xa9 \\\"x\\\"\",\"engine_details\":" DETAILS
    ",\"loaded\":{\"allocator\":\"system\",\"openmp\":\"gnu\",\"dnn\":\"libdnnl.so.2\"},"
    "\"samples\":64,\"peak_memory_bytes\":1073741824,\"gradient_cosine\":0.9997,"
    "\"worst_layer_cosine\":-1,\"implementations\":{\"fc\":{\"forward\":\"jit:avx2\"}},"
    "\"setup_ns\":1500000000,\"ended_by\":\"target\",\"cost\":{\"dollars\":\"0.0892500000\","
    "\"spot\":null,\"a\":[0.1,1e-9]},\"steps\":" STEPS ",\"evidence\":" EVIDENCE
    ",\"summary\":null,\"validity\":null}\n";

static const char least_document[] =
    HEAD ",\"ended_at\":\"2026-11-21T15:10:18Z\",\"steps\":{\"nanoseconds\":[5],\"loss\":[1]}}";

/* From memory of exactly its size, so that reading on is seen. The spans of what was read do not
 * outlive it: they are checked here. */
static inline bool read_bytes(const char *text, size_t length, struct document *ret_document,
                              struct error *err)
{
    AUTO(freep) char *exact = malloc(length > 0 ? length : 1);
    bool ok;

    memcpy(exact, text, length);
    ok = document_read(exact, length, ret_document, err);
    if (ok)
        EXPECT(ret_document->steps_text.start >= exact &&
               ret_document->steps_text.start + ret_document->steps_text.length < exact + length);
    return ok;
}

static inline bool read_text(const char *text, struct document *ret_document, struct error *err)
{
    return read_bytes(text, strlen(text), ret_document, err);
}

/* The text with the first `from` in it replaced. The caller frees it. */
static inline char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    size_t size = strlen(text) + strlen(to) + 1;
    char *copy = malloc(size);

    EXPECT(at != NULL && copy != NULL);
    if (at && copy)
        snprintf(copy, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return copy;
}

/* A document as it would be written now; the trace is that which was read. */
static inline bool write_again(const struct document *document, struct bytes *text)
{
    AUTO(bytes_free) struct bytes steps = {.limit = DOCUMENT_MAX};
    AUTO(bytes_free) struct bytes evidence = {.limit = DOCUMENT_MAX};

    return trace_write_steps(&steps, &document->steps) &&
           trace_write_evidence(&evidence, &document->evidence) &&
           document_write(text,
                          &(struct document_parts){.run = &document->run,
                                                   .stratum = document->stratum,
                                                   .facts = document->facts,
                                                   .steps = steps.data,
                                                   .evidence = evidence.data},
                          NULL);
}
