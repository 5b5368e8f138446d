#include "engine/document/run_document_read.h"

#include "engine/machine/vm.h"
#include "tests/engine/document/documents.h"

#define NOT_A_RUN "is missing: this is not a run document"
#define NO_VERSION "must be the number of a version"
#define NO_TIME "must be a time like 2026-01-02T03:04:05.678Z, from 1970 to 9999"
#define NO_COUNT "must be a whole number from 1 to 9007199254740991"
#define NO_RATE "must be a number above 0, at most 1e+15"
#define NO_NAME "must be sixteen digits of 0-9 and a-f"
#define NO_FACTS "is not JSON, has a name twice, or a number that does not fit"
#define SUMMARY(members) "\"summary\":null", "\"summary\":{" members "}"
#define VOID(members) "\"validity\":null", "\"validity\":null,\"void\":{" members "}"

/* In the whole document the first `from` becomes `to`. */
static const struct {
    const char *from, *to, *field, *message;
} refusals[] = {
    {"\"pennyworth_run\":1,", "", "pennyworth_run", NOT_A_RUN},
    {"\"pennyworth_run\":1,", "\"pennyworth_run\":null,", "pennyworth_run", NOT_A_RUN},
    {"\"pennyworth_run\":1,", "\"pennyworth_run\":2,\"news\":1,", "pennyworth_run",
     "is version 2; version 1 is read here"},
    {"\"pennyworth_run\":1,", "\"pennyworth_run\":\"1\",", "pennyworth_run", NO_VERSION},
    {"\"pennyworth_run\":1,", "\"pennyworth_run\":1.0,", "pennyworth_run", NO_VERSION},
    {"\"instance_type\":", "\"instanze\":", "instanze",
     "is not a known field; the nearest of 29 are instance_type, software, evidence, machine, "
     "signature, zone; docs/run-document.md lists all"},
    {"\"instance_type\":", "\"inst\\u0061nce\":", "inst\\u0061nce",
     "is not a known field; the nearest of 29 are instance_type, evidence, gradient_cosine, "
     "implementations, signature, software; docs/run-document.md lists all"},
    {"\"instance_type\":", "\"zone\":", "zone", "is there twice"},
    {"\"01ARZ3NDEKTSV4RRFFQ69G5FAV\"", "null", "id", "is missing"},
    {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav", "id",
     "must be a ULID in upper case"},
    {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAVX", "id",
     "must have at most 26 bytes, got 27"},
    {"\"01ARZ3NDEKTSV4RRFFQ69G5FAV\"", "5", "id", "must be a string"},
    {"\"batch_size\":32", "\"batch_size\":0", "spec.batch_size",
     "must be between 1 and 65536, got 0"},
    {"\"batch_size\":32", "\"batchsize\":32", "spec.batchsize",
     "is not a known field; the nearest of 23 are batch_size, engine, workload, precision, "
     "layout, threads; docs/api.md lists all"},
    {"\"batch_size\":32", "\"batch_size\":32,\"batch_size\":32", "spec",
     "the body is not JSON: duplicate object key near '\"batch_size\"' at line 1 column 88"},
    {SPEC, "[]", "spec", "the body must be a JSON object"},
    {SPEC, "null", "spec", "is missing"},
    {"\"main\"", "\"ma\\u0007n\"", "spec.labels",
     "the value of 'branch' must not hold control characters"},
    {"\"c7i.large\"", "7", "instance_type", "must be a string"},
    {"\"c7i.large\"", "{}", "instance_type", "must be a string"},
    {"\"c7i.large\"", "\"c7i\\nlarge\"", "instance_type", "must not hold control characters"},
    {"\"c7i.large\"", "\"c7i\\u007flarge\"", "instance_type", "must not hold control characters"},
    {"\"aws\"", "\"a provider of ours\"", "provider", "must have at most 15 bytes, got 18"},
    {"i123456789abcdef", "0123456789abcdef", "vm", "must be " VM_FORM},
    {"i123456789abcdef", "x123456789abcdef", "vm", "must be " VM_FORM},
    {"i123456789abcdef", "i123456789abcde", "vm", "must be " VM_FORM},
    {"972f2cbf2a910fb8", "972f2cbf2a910fbx", "machine.fingerprint", NO_NAME},
    {"\"972f2cbf2a910fb8\"", "null", "machine.fingerprint", "is missing"},
    {"7a97254c079c9076", "", "machine.stratum", NO_NAME},
    {"\"stratum\":", "\"startum\":", "machine.startum",
     "is not a known field; known are fingerprint, stratum, facts"},
    {"\"stratum\":", "\"fingerprint\":", "machine", "has 'fingerprint' twice"},
    {"\"facts\":{", "\"facts\":[{", "", "the document is not JSON at byte 1911"},
    {"\"cores\":2", "\"isa\":2", "machine.facts", NO_FACTS},
    {"\"cores\":2", "\"\\u0069sa\":2", "machine.facts", NO_FACTS},
    {"\"cores\":2", "\"cores\":99999999999999999999", "machine.facts", NO_FACTS},
    {"\"cores\":2", "\"cores\":1e999", "machine.facts", NO_FACTS},
    {"\"cores\":2", "\"cores\":NaN", "machine.facts", NO_FACTS},
    {"\"cores\":2", "\"cores\":\"\\u0000\"", "", "the document is not JSON at byte 688"},
    {"\"cores\":2", "\"cores\":\"two\"", "machine.facts.cores",
     "must be an integer, got a string"},
    {"\"cores\":2", "\"cores\":-2", "machine.facts.cores",
     "must be between 0 and 9223372036854775807, got -2"},
    {"\"cores\":2", "\"quota_processors\":\"2\"", "machine.facts.quota_processors",
     "must be a number, got a string"},
    {"\"cores\":2", "\"kernel\":6.1", "machine.facts.kernel", "must be a string"},
    {"\"cores\":2", "\"cpu_flags\":[\"avx\",1]", "machine.facts.cpu_flags",
     "must be an array of strings"},
    {"\"cores\":2", "\"caches\":[48,2048]", "machine.facts.caches", "must be an object"},
    {"\"cores\":2", "\"caches\":{\"l2_bytes\":true}", "machine.facts.caches.l2_bytes",
     "must be an integer, got true"},
    {"\"isa\":\"amx\"", "\"isa\":\"neon\"", "machine.facts.isa", "'neon' is not supported"},
    {"\"isa\":\"amx\"", "\"isa\":7", "machine.facts.isa", "must be a string, got a number"},
    {"2026-11-21T15:08:17.123Z", "2026-11-21 15:08", "created_at", NO_TIME},
    {"2026-11-21T15:10:18.000Z", "1969-12-31T23:59:59Z", "ended_at", NO_TIME},
    {"2026-11-21T15:10:18.000Z", "10000-01-01T00:00:00Z", "ended_at", NO_TIME},
    {"2026-11-21T15:10:18.000Z", "2026-11-21T15:08:18Z", "ended_at",
     "must not be before started_at"},
    {"2026-11-21T15:08:17.123Z", "2026-11-21T15:10:18.001Z", "ended_at",
     "must not be before created_at"},
    {"\"2026-11-21T15:10:18.000Z\"", "null", "ended_at", "is missing"},
    {"\"threads\":2,\"parameters\"", "\"threads\":-2,\"parameters\"", "engine_details.threads",
     "must be between 0 and 9007199254740991, got -2"},
    {"\"huge_pages\":null}", "\"huge_page\":null}", "engine_details.huge_page",
     "is not a known field; the nearest of 15 are huge_pages, library, isa, plan, layout, "
     "threads; docs/api.md lists all"},
    {DETAILS, "\"oneDNN\"", "engine_details", "must be an object"},
    {"\"openmp\":\"gnu\",\"dnn\"", "\"dnn\"", "loaded.openmp", "is missing"},
    {"\"openmp\":\"gnu\",\"dnn\"", "\"openmp\":1,\"dnn\"", "loaded.openmp", "must be a string"},
    {"{\"allocator\":\"system\"", "{\"allocator\":\"sistem\"", "loaded.allocator",
     "'sistem' is not supported"},
    {"\"openmp\":\"gnu\",\"dnn\"", "\"openmp\":\"icl\",\"dnn\"", "loaded.openmp",
     "'icl' is not supported"},
    {"\"dnn\":", "\"dnnl\":", "loaded.dnnl",
     "is not a known field; known are allocator, openmp, dnn"},
    {"\"samples\":64", "\"samples\":0", "samples", NO_COUNT},
    {"\"samples\":64", "\"samples\":64.5", "samples", NO_COUNT},
    {"1073741824", "-1", "peak_memory_bytes", NO_COUNT},
    {"0.9997", "1.5", "gradient_cosine", "must be a number from -1 to 1"},
    {"0.9997", "NaN", "gradient_cosine", "must be a number from -1 to 1"},
    {"\"worst_layer_cosine\":-1", "\"worst_layer_cosine\":\"-1\"", "worst_layer_cosine",
     "must be a number from -1 to 1"},
    {"{\"forward\":\"jit:avx2\"}", "[]", "implementations",
     "must be an object of objects of strings"},
    {"{\"forward\":\"jit:avx2\"}", "{\"a\":\"b\",\"a\":\"b\"}", "implementations",
     "is not JSON: duplicate object key near '\"a\"'"},
    {"1500000000,", "1000000000000001,", "setup_ns",
     "must be a whole number from 1 to 1000000000000000"},
    {"\"target\"", "\"go_on\"", "ended_by", "'go_on' is not a reason for the end of a run"},
    {"\"spot\":null", "\"dollars\":null", "cost", NO_FACTS},
    {"\"cost\":{", "\"cost\":\"x\",\"x\":{", "x",
     "is not a known field; the nearest of 29 are pennyworth_run, id, spec, instance_type, "
     "provider, "
     "region; docs/run-document.md lists all"},
    {"[0.1,1e-9]", "[0.1,}1e-9]", "", "the document is not JSON at byte 1591"},
    {STEPS, "null", "steps", "is missing"},
    {STEPS, "{\"nanoseconds\":[],\"loss\":[]}", "steps.nanoseconds", "must not be empty"},
    {"50000002", "0", "steps.nanoseconds[1]",
     "must be a whole number from 1 to 1000000000000000"},
    {"-0.5", "NaN", "steps.loss[1]", "must be a number from -1e+300 to 1e+300"},
    {"-0.5", "1e308", "steps.loss[1]", "must be a number from -1e+300 to 1e+300"},
    {"-0.5", "-0.5,1", "steps.loss", "is longer than the arrays before it"},
    {"[0,3100000000,", "[0,0,", "evidence.canaries[0]",
     "must be steps, hertz and bytes a second: above 0, to 10^18, 10^12 and 10^15"},
    {EVIDENCE, "[]", "evidence", "must be an object of arrays"},
    {"\"summary\":null", "\"summary\":1", "summary", "must be an object"},
    {SUMMARY("\"samples_per_second\":0"), "summary.samples_per_second", NO_RATE},
    {SUMMARY("\"samples_per_second\":1e16"), "summary.samples_per_second", NO_RATE},
    {SUMMARY("\"samples_per_second\":\"9\""), "summary.samples_per_second", NO_RATE},
    {SUMMARY("\"samples_per_second\":1,\"samples_per_second\":2"), "summary",
     "must be an object"},
    {"\"validity\":null", "\"validity\":{\"a\":01}", "validity", "is not JSON"},
    {"\"validity\":null}\n", "\"validity\":null", "", "the document is not JSON at byte 1908"},
    {"\"validity\":null}\n", "\"validity\":null}}", "", "the document is not JSON at byte 1909"},
    {"\"validity\":null}\n", "\"validity\":null,}", "", "the document is not JSON at byte 1909"},
    {"\"validity\":null", "\"validity\":null,\"void\":true", "void", "must be an object"},
    {VOID(""), "void.at", "is missing"},
    {VOID("\"at\":\"2026-11-22T10:00:00Z\""), "void.reason", "is missing"},
    {VOID("\"at\":\"today\",\"reason\":\"x\""), "void.at", NO_TIME},
    {VOID("\"at\":\"2026-11-22T10:00:00Z\",\"reason\":\"  \""), "void.reason",
     "must not be empty"},
    {VOID("\"at\":\"2026-11-22T10:00:00Z\",\"who\":\"x\""), "void.who",
     "is not a known field; known are at, by, reason"},
    {"caf\xc3\xa9", "caf\xc3", "", "the document is not UTF-8"},
    {"caf\xc3\xa9", "caf\n", "", "the document is not JSON at byte 905"},
};

TEST(a_refused_document_names_the_field_and_the_reason)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        AUTO(freep) char *text = replaced(whole_document, refusals[i].from, refusals[i].to);
        struct document document = {.claimed = 77};

        EXPECT_WRONG(read_text(text, &document, &err), refusals[i].field, refusals[i].message);
        EXPECT(!document.run.spec.engine[0] && !document.steps.items); /* nothing is half read */
        EXPECT_NEAR(document.claimed, 77, 0);
    }
}

TEST(text_that_is_not_a_document_is_refused)
{
    static const char *const texts[] = {
        "",    " ",    "null",       "[]",         "7",          "\"x\"", "{",
        "{\"", "{\"a", "{\"a\"",     "{\"a\":",    "{\"a\":1",   "{a:1}", "{}x",
        "{,}", "{}",   "{\"a\":{}}", "{\"a\":[[[", "{\"a\":\"\\"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct document document;
        struct error err = {0};

        EXPECT(!read_text(texts[i], &document, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT(err.message[0] != '\0');
    }
}

TEST(every_truncation_is_refused)
{
    for (size_t length = 0; length < strlen(whole_document) - 1; length++) {
        struct document document;

        EXPECT_ERROR(read_bytes(whole_document, length, &document, &err), ERROR_INVALID);
    }
}

/* No byte may become a NUL, wherever it stands. */
TEST(no_nul_is_let_through)
{
    for (size_t at = 0; at < strlen(whole_document) - 1; at++) {
        AUTO(freep) char *text = strdup(whole_document);
        struct document document;

        text[at] = '\0';
        EXPECT_ERROR(read_bytes(text, strlen(whole_document), &document, &err), ERROR_INVALID);
    }
}

TEST(depth_has_an_end)
{
    static const char *const members[] = {"summary",        "validity", "cost",
                                          "spec",           "steps",    "evidence",
                                          "engine_details", "machine",  "loaded"};
    AUTO(bytes_free) struct bytes deep = {.limit = 1 << 20};

    for (int i = 0; i < 200000; i++)
        EXPECT(bytes_add(&deep, i % 2 ? "[" : "{\"a\":", i % 2 ? 1 : 5));
    for (int i = 199999; i >= 0; i--)
        EXPECT(bytes_add(&deep, i % 2 ? "]" : "}", 1));
    for (size_t i = 0; i < COUNT(members); i++) {
        AUTO(bytes_free) struct bytes text = {.limit = 1 << 22};
        struct document document;
        struct error err = {0};

        EXPECT(bytes_printf(&text,
                            "{\"pennyworth_run\":1,\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\","
                            "%s\"ended_at\":\"2026-11-21T15:10:18Z\",%s\"%s\":%s}",
                            strcmp(members[i], "spec") == 0 ? "" : "\"spec\":{},",
                            strcmp(members[i], "steps") == 0
                                ? ""
                                : "\"steps\":{\"nanoseconds\":[5],\"loss\":[1]},",
                            members[i], deep.data));
        EXPECT(!read_bytes(text.data, text.used, &document, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT(strncmp(err.field, members[i], strlen(members[i])) == 0);
    }
}

TEST(a_document_has_a_limit)
{
    AUTO(freep) char *text = malloc(DOCUMENT_MAX + 1);
    AUTO(document_clear) struct document document = {0};

    memset(text, ' ', DOCUMENT_MAX + 1);
    memcpy(text, least_document, sizeof least_document - 1);
    EXPECT_MESSAGE(document_read(text, DOCUMENT_MAX + 1, &document, &err),
                   "the document has more than 33554432 bytes");
    EXPECT(document_read(text, DOCUMENT_MAX, &document, NULL));
}
