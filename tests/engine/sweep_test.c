#include "engine/sweep.h"

#include "common/cleanup.h"
#include "tests/test.h"

/* A machine of four cores with AVX2, on which nothing can be loaded beforehand. */
static struct topology topology = {
    .cpu_count = 4, .core_count = 4, .package_count = 1, .node_count = 1};
static const struct place place = {.topology = &topology, .isa = CPU_AVX2, .root = "/nowhere"};

static bool read_text(const char *text, struct sweep *sweep, struct error *err)
{
    return sweep_from_text(text, strlen(text), &place, sweep, err);
}

static void a_matrix_has_a_cell_for_every_combination(void)
{
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT(read_text("{\"base\":{\"steps\":7,\"labels\":{\"a\":\"b\"}},"
                     "\"knobs\":{\"batch_size\":[8,16],\"precision\":[\"f32\",\"bf16\"]}}",
                     &sweep, NULL));
    EXPECT_INT(sweep.preset, SWEEP_MATRIX);
    EXPECT_INT(sweep.blocks, 3);
    EXPECT_INT((long long)sweep.count, 4);
    EXPECT_STR(sweep.cells[0].name, "batch_size=8 precision=f32");
    EXPECT_STR(sweep.cells[1].name, "batch_size=8 precision=bf16");
    EXPECT_STR(sweep.cells[3].name, "batch_size=16 precision=bf16");
    EXPECT_INT(sweep.cells[3].spec.batch_size, 16);
    EXPECT_STR(sweep.cells[3].spec.precision, "bf16");
    for (size_t i = 0; i < sweep.count; i++) {
        EXPECT_INT(sweep.cells[i].spec.steps, 7);
        EXPECT_INT(sweep.cells[i].spec.label_count, 1);
        EXPECT_STR(sweep.cells[i].refused, "");
    }
}

static void cells_are_listed_where_a_product_would_be_too_much(void)
{
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT(read_text("{\"base\":{\"batch_size\":8},\"blocks\":6,"
                     "\"cells\":[{},{\"batch_size\":16,\"precision\":\"bf16\"}]}",
                     &sweep, NULL));
    EXPECT_INT((long long)sweep.count, 2);
    EXPECT_STR(sweep.cells[0].name, "base");
    EXPECT_INT(sweep.cells[0].spec.batch_size, 8);
    EXPECT_STR(sweep.cells[1].name, "batch_size=16 precision=bf16");
    EXPECT_INT(sweep.cells[1].spec.batch_size, 16);
}

static const struct {
    const char *text, *field, *words;
} refused[] = {
    {"[]", "", "must be a JSON object"},
    {"{\"cells\":[]}", "cells", "one at least"},
    {"{\"cells\":[7]}", "cells", "must hold objects"},
    {"{\"cells\":[{},{\"batch_size\":0}]}", "cells.batch_size", "got 0"},
    {"{\"cells\":[{\"mood\":1}]}", "cells.mood", "is not a known field"},
    {"{\"cells\":[{}],\"knobs\":{\"seed\":[1]}}", "cells", "instead of knobs"},
    {"{\"cells\":[{}],\"preset\":\"batch\"}", "cells", "belong to no preset"},
    {"{", "", "is not JSON"},
    {"{}", "knobs", "are missing"},
    {"{\"knobs\":{}}", "knobs", "one at least"},
    {"{\"knobs\":[]}", "knobs", "must be an object of lists"},
    {"{\"knobs\":{\"batch_size\":8}}", "knobs", "must be a list"},
    {"{\"knobs\":{\"batch_size\":[]}}", "knobs", "must be a list"},
    {"{\"knobs\":{\"mood\":[1]}}", "knobs", "'mood' is not a field"},
    {"{\"knobs\":{\"batch_size\":[8,0]}}", "knobs.batch_size", "between 1 and 65536, got 0"},
    {"{\"base\":{\"threads\":-1},\"knobs\":{\"batch_size\":[8]}}", "base.threads", "got -1"},
    {"{\"base\":7,\"knobs\":{\"batch_size\":[8]}}", "base", "must be a spec"},
    {"{\"base\":{\"mood\":1},\"knobs\":{\"seed\":[8]}}", "base.mood", "is not a known field"},
    {"{\"preset\":\"magic\"}", "preset", "'magic' is not supported"},
    {"{\"preset\":\"batch\",\"knobs\":{\"seed\":[1]}}", "knobs", "belong to no preset"},
    {"{\"preset\":\"batch\",\"blocks\":51}", "blocks", "between 1 and 50"},
    {"{\"preset\":\"aa\",\"pairs\":1}", "pairs", "between 2 and 100"},
    {"{\"preset\":\"batch\",\"mood\":1}", "mood", "is not a known field"},
    {"{\"knobs\":{\"seed\":[1,2,3,4,5,6,7,8,9],\"batch_size\":[1,2,3,4,5,6,7,8]}}", "knobs",
     "more than 64 cells"},
    {"{\"blocks\":50,\"knobs\":{\"seed\":[1,2,3,4,5,6,7,8,9,10,11]}}", "blocks",
     "550 runs, more than 500"},
};

static void a_refused_request_names_the_field(void)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct sweep sweep = {.blocks = -7};
        struct error err = {0};

        EXPECT(!read_text(refused[i].text, &sweep, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.field, refused[i].field);
        if (!strstr(err.message, refused[i].words))
            EXPECT_STR(err.message, refused[i].words);
        EXPECT_INT(sweep.blocks, -7);
    }
}

static void what_is_not_possible_here_is_kept_with_its_reason(void)
{
    AUTO(sweep_clear) struct sweep sweep = {0};
    struct error err = {0};

    EXPECT(read_text("{\"knobs\":{\"isa\":[\"avx2\",\"avx512\"]}}", &sweep, NULL));
    EXPECT_STR(sweep.cells[0].refused, "");
    EXPECT_STR(sweep.cells[1].refused, "isa: 'avx512' is more than this processor has: avx2");
    EXPECT(!read_text("{\"knobs\":{\"isa\":[\"avx512\",\"amx\"]}}", &sweep, &err));
    EXPECT_INT(err.kind, ERROR_UNABLE);
}

static void the_ladder_climbs_from_plain_to_tuned(void)
{
    static const char *const rungs[] = {"f32 plain", "bf16",    "channels-last",
                                        "fused",     "runtime", "tuned"};
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT(read_text("{\"preset\":\"ladder\",\"base\":{\"batch_size\":16},\"blocks\":2}", &sweep,
                     NULL));
    EXPECT_INT((long long)sweep.count, (long long)COUNT(rungs));
    for (size_t i = 0; i < COUNT(rungs); i++) {
        EXPECT_STR(sweep.cells[i].name, rungs[i]);
        EXPECT_STR(sweep.cells[i].spec.workload, "resnet50");
        EXPECT_INT(sweep.cells[i].spec.batch_size, 16);
    }
    EXPECT_STR(sweep.cells[0].spec.layout, "nchw");
    EXPECT_STR(sweep.cells[2].spec.layout, "nhwc");
    EXPECT_STR(sweep.cells[3].spec.plan, "fixed");
    EXPECT_STR(sweep.cells[5].spec.plan, "auto");
    EXPECT(strstr(sweep.cells[4].refused, "libomp5") != NULL);
}

static const struct {
    const char *text;
    size_t cells;
    const char *first, *last;
    long long blocks;
} presets[] = {
    {"{\"preset\":\"batch\"}", 6, "batch_size=8", "batch_size=256", 3},
    {"{\"preset\":\"input_workers\"}", 5, "input_workers=0", "input_workers=4", 3},
    {"{\"preset\":\"threads\",\"blocks\":5}", 4, "threads=1", "threads=4", 5},
    {"{\"preset\":\"isa\"}", 2, "isa=sse41", "isa=avx2", 3},
    {"{\"preset\":\"tune\"}", 6, "fixed", "batch_size=128", 3},
    {"{\"preset\":\"aa\",\"pairs\":9}", 2, "A", "A again", 9},
};

static void presets_know_their_cells(void)
{
    for (size_t i = 0; i < COUNT(presets); i++) {
        AUTO(sweep_clear) struct sweep sweep = {0};
        struct error err = {0};

        EXPECT(read_text(presets[i].text, &sweep, &err));
        EXPECT_STR(err.message, "");
        EXPECT_INT((long long)sweep.count, (long long)presets[i].cells);
        if (sweep.count == 0)
            continue;
        EXPECT_STR(sweep.cells[0].name, presets[i].first);
        EXPECT_STR(sweep.cells[sweep.count - 1].name, presets[i].last);
        EXPECT_INT(sweep.blocks, presets[i].blocks);
    }
}

static void equals_are_compared_with_the_workload_that_was_asked_for(void)
{
    AUTO(sweep_clear) struct sweep sweep = {0};
    AUTO(freep) char *one = NULL, *other = NULL;

    EXPECT(read_text("{\"preset\":\"aa\"}", &sweep, NULL));
    EXPECT_STR(sweep.cells[0].spec.workload, "mlp");
    one = run_spec_to_text(&sweep.cells[0].spec);
    other = run_spec_to_text(&sweep.cells[1].spec);
    EXPECT_STR(one, other);
}

int main(void)
{
    RUN(a_matrix_has_a_cell_for_every_combination);
    RUN(cells_are_listed_where_a_product_would_be_too_much);
    RUN(a_refused_request_names_the_field);
    RUN(what_is_not_possible_here_is_kept_with_its_reason);
    RUN(the_ladder_climbs_from_plain_to_tuned);
    RUN(presets_know_their_cells);
    RUN(equals_are_compared_with_the_workload_that_was_asked_for);
    return test_result();
}
