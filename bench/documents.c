/* How many run documents a second are read and written, by one thread. Of a build of the tree:
 *
 *     cmake --preset release && cmake --build --preset release --target engine
 *     cc -std=c17 -D_GNU_SOURCE -O2 -I. bench/documents.c \
 *         build/release/engine/libengine.a build/release/common/libcommon.a -ljansson -lm
 *     ./a.out [steps of each; default: 60] [splits: 0 or 1; default: 0]
 */
#include "common/cleanup.h"
#include "common/clock.h"
#include "engine/document/run_document_read.h"
#include "engine/document/run_document_write.h"
#include "engine/spec/run_spec_text.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_evidence.h"
#include "tests/engine/trace/traces.h"

#define ROUNDS 9
#define EACH 2000

static char facts[] =
    "{\"isa\":\"amx\",\"model\":\"AMD EPYC "
    "9R14\",\"family\":25,\"microcode\":\"0xa101148\",\"sockets\":"
    "1,\"cores\":2,\"threads\":2,\"nodes\":1,\"flags\":[\"sse4_1\",\"avx\",\"avx2\",\"fma\","
    "\"f16c\","
    "\"avx512f\",\"avx512bw\",\"avx512_vnni\",\"avx512_bf16\"],\"caches\":{\"l1d\":49152,\"l2\":"
    "1048576,\"l3\":33554432},\"memory_gib\":24,\"hypervisor\":\"KVMKVMKVM\",\"kernel\":\"6.18."
    "44\","
    "\"os\":\"Debian GNU/Linux 12 (bookworm)\",\"governor\":null,\"huge_pages\":\"madvise\"}";
static char details[] =
    "{\"library\":\"oneDNN 2.6.3\",\"isa\":\"avx512_bf16\",\"plan\":\"cached\",\"threads\":2,"
    "\"parameters\":25557032,\"multiply_adds\":4089184256,\"memory_bytes\":null,"
    "\"emulated\":false,\"huge_pages\":null}";
static char loaded[] = "{\"allocator\":\"system\",\"openmp\":\"gnu\",\"dnn\":\"libdnnl.so.2\"}";

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static void make_trace(size_t count, bool splits, struct steps *steps, struct evidence *evidence)
{
    struct chance chance = seeded(1);

    for (size_t i = 0; i < count; i++) {
        struct step step = {(long long)(STEP_NS * (1 + 0.03 * normal(&chance))),
                            6.9 - normal(&chance) / 10,
                            {0, 0, 0, 0, 0}};

        if (splits)
            step.split = (struct step_split){1234567, step.nanoseconds / 3, step.nanoseconds / 2,
                                             3456789, 0};
        steps_add(steps, step);
        if (i % 20 == 0)
            evidence_observe(evidence,
                             &(struct observation){(long long)i, (long long)i * 50000000, 12345,
                                                   1, 0, 0, 17, 123456, 50000000, 0, 0});
    }
    for (int i = 0; i < 2; i++)
        evidence_add_reading(evidence,
                             &(struct canary_reading){(long long)count * i,
                                                      {3.1e9 + normal(&chance), 1.2e10 / 7}});
}

static bool write_document(const struct run *run, const struct steps *steps,
                           const struct evidence *evidence, struct bytes *text)
{
    AUTO(bytes_free) struct bytes trace = {.limit = DOCUMENT_MAX};
    AUTO(bytes_free) struct bytes seen = {.limit = DOCUMENT_MAX};

    return trace_write_steps(&trace, steps) && trace_write_evidence(&seen, evidence) &&
           document_write(text,
                          &(struct document_parts){.run = run,
                                                   .stratum = "7a97254c079c9076",
                                                   .facts = facts,
                                                   .steps = trace.data,
                                                   .evidence = seen.data},
                          NULL);
}

static void report(const char *what, double *seconds, size_t bytes)
{
    qsort(seconds, ROUNDS, sizeof *seconds, by_size);
    printf("%s: %.0f documents a second (%.0f to %.0f), %.1f us and %zu bytes each, %.0f MB/s\n",
           what, EACH / seconds[ROUNDS / 2], EACH / seconds[ROUNDS - 1], EACH / seconds[0],
           1e6 * seconds[ROUNDS / 2] / EACH, bytes,
           (double)bytes * EACH / seconds[ROUNDS / 2] / 1e6);
}

static bool measure_reading(const char *text, size_t length, bool with_memo)
{
    AUTO(document_memo_clear) struct document_memo memo = {0};
    double seconds[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        long long start = clock_monotonic_ns();

        for (int j = 0; j < EACH; j++) {
            AUTO(document_clear) struct document document = {0};
            struct error err = {0};

            if (!document_read_next(with_memo ? &memo : NULL, text, length, &document, &err)) {
                fprintf(stderr, "%s: %s\n", err.field, err.message);
                return false;
            }
        }
        seconds[i] = (double)(clock_monotonic_ns() - start) / 1e9;
    }
    report(with_memo ? "read, with a memo" : "read", seconds, length);
    return true;
}

static bool measure_trace(const struct bytes *trace)
{
    double seconds[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        long long start = clock_monotonic_ns();

        for (int j = 0; j < EACH; j++) {
            AUTO(steps_free) struct steps steps = {0};

            if (!trace_read_steps(trace->data, trace->used, &steps, NULL))
                return false;
        }
        seconds[i] = (double)(clock_monotonic_ns() - start) / 1e9;
    }
    report("  of that the steps", seconds, trace->used);
    return true;
}

int main(int argc, char *argv[])
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 60;
    bool splits = argc > 2 && argv[2][0] == '1';
    AUTO(steps_free) struct steps steps = {0};
    AUTO(evidence_free) struct evidence evidence = {0};
    AUTO(bytes_free) struct bytes text = {.limit = DOCUMENT_MAX}, trace = {.limit = DOCUMENT_MAX};
    struct run_spec spec = run_spec_default();
    AUTO(freep) char *spec_text = run_spec_to_text(&spec);
    const struct run run = {.id = {"01ARZ3NDEKTSV4RRFFQ69G5FAV"},
                            .spec_text = spec_text,
                            .instance = "c7i.large",
                            .where = {"aws", "us-east-1", "us-east-1a", "0123456789abcdef"},
                            .created_us = 1795273697123000,
                            .started_us = 1795273698123456,
                            .ended_us = 1795273758123000,
                            .software = "pennyworth-worker 0.1.0, oneDNN 2.6.3, 2 threads",
                            .engine_details = details,
                            .loaded = loaded,
                            .samples = 1920,
                            .machine = "972f2cbf2a910fb8",
                            .setup_ns = 1500000000,
                            .ended_by = "target"};
    double seconds[ROUNDS];

    make_trace(count, splits, &steps, &evidence);
    for (int i = 0; i < ROUNDS; i++) {
        long long start = clock_monotonic_ns();

        for (int j = 0; j < EACH; j++) {
            bytes_free(&text);
            if (!write_document(&run, &steps, &evidence, &text))
                return 1;
        }
        seconds[i] = (double)(clock_monotonic_ns() - start) / 1e9;
    }
    report("written", seconds, text.used);
    if (!measure_reading(text.data, text.used, false) ||
        !measure_reading(text.data, text.used, true) || !trace_write_steps(&trace, &steps) ||
        !measure_trace(&trace))
        return 1;
    return 0;
}
