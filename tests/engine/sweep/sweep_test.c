#include "engine/sweep/sweep.h"

#include "tests/engine/four_cores.h"
#include "tests/test.h"

static bool read_text(const char *text, struct sweep *sweep, struct error *err)
{
    return sweep_from_text(text, strlen(text), &four_cores, sweep, err);
}

TEST(a_matrix_has_a_cell_for_every_combination)
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

TEST(cells_are_listed_where_a_product_would_be_too_much)
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

TEST(limits_name_a_cell_only_where_nothing_else_does)
{
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT(read_text("{\"cells\":[{\"max_seconds\":9,\"precision\":\"f32\",\"min_seconds\":1},"
                     "{\"max_seconds\":8,\"max_dollars\":1}]}",
                     &sweep, NULL));
    EXPECT_INT((long long)sweep.count, 2);
    EXPECT_STR(sweep.cells[0].name, "precision=f32");
    EXPECT_INT(sweep.cells[0].spec.max_seconds, 9);
    EXPECT_STR(sweep.cells[1].name, "max_seconds=8 max_dollars=1");
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
    {"{\"knobs\":{\"mood\":[1]}}", "knobs.mood", "is not a known field; the nearest of 22 are "},
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

TEST(a_refused_request_names_the_field)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct sweep sweep = {.blocks = -7};

        EXPECT_WRONG_SAYS(read_text(refused[i].text, &sweep, &err), refused[i].field,
                          refused[i].words);
        EXPECT_INT(sweep.blocks, -7);
    }
}

TEST(impossible_cells_are_kept_with_their_reasons)
{
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT(read_text("{\"knobs\":{\"isa\":[\"avx2\",\"avx512\"]}}", &sweep, NULL));
    EXPECT_STR(sweep.cells[0].refused, "");
    EXPECT_STR(sweep.cells[1].refused, "isa: 'avx512' is more than this processor has: avx2");
    EXPECT_ERROR(read_text("{\"knobs\":{\"isa\":[\"avx512\",\"amx\"]}}", &sweep, &err),
                 ERROR_UNABLE);
}
