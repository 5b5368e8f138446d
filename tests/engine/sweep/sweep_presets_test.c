#include "engine/sweep/sweep_presets.h"

#include "engine/spec/run_spec_text.h"
#include "engine/sweep/sweep.h"
#include "tests/engine/four_cores.h"
#include "tests/test.h"

static bool read_text(const char *text, struct sweep *sweep, struct error *err)
{
    return sweep_from_text(text, strlen(text), &four_cores, sweep, err);
}

TEST(the_ladder_climbs_from_plain_to_tuned)
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
    for (size_t i = 0; i < 4; i++)
        EXPECT_STR(sweep.cells[i].refused, "");
    /* What needs libraries that are not here is skipped, and says which packages to install. */
    for (size_t i = 4; i < COUNT(rungs); i++) {
        EXPECT_PART(sweep.cells[i].refused, "libomp5");
        EXPECT_PART(sweep.cells[i].refused, "libtcmalloc-minimal4");
    }
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
    {"{\"preset\":\"clouds2017\",\"blocks\":2}", 7, "workload=mlp2017", "workload=textgen2017",
     2},
    {"{\"preset\":\"aa\",\"pairs\":9}", 2, "A", "A again", 9},
};

TEST(presets_know_their_cells)
{
    for (size_t i = 0; i < COUNT(presets); i++) {
        AUTO(sweep_clear) struct sweep sweep = {0};

        EXPECT_OK(read_text(presets[i].text, &sweep, &err));
        EXPECT_INT((long long)sweep.count, (long long)presets[i].cells);
        if (sweep.count == 0)
            continue;
        EXPECT_STR(sweep.cells[0].name, presets[i].first);
        EXPECT_STR(sweep.cells[sweep.count - 1].name, presets[i].last);
        EXPECT_INT(sweep.blocks, presets[i].blocks);
    }
}

TEST(equals_are_compared_with_the_workload_that_was_asked_for)
{
    AUTO(sweep_clear) struct sweep sweep = {0};
    AUTO(freep) char *one = NULL, *other = NULL;

    EXPECT(read_text("{\"preset\":\"aa\"}", &sweep, NULL));
    EXPECT_STR(sweep.cells[0].spec.workload, "resnet50");
    one = run_spec_to_text(&sweep.cells[0].spec);
    other = run_spec_to_text(&sweep.cells[1].spec);
    EXPECT_STR(one, other);
}

/* A machine with tiles. Without bf16 in all cells, what is above AVX-512 would be left out. */
TEST(all_cells_have_one_precision_whatever_they_allow)
{
    static const char text[] = "{\"preset\":\"isa\"}",
                      capped[] = "{\"preset\":\"threads\",\"base\":{\"isa\":\"avx2\"}}";
    struct place with = four_cores;
    AUTO(sweep_clear) struct sweep sweep = {0}, slower = {0};

    with.isa = CPU_AMX;
    EXPECT(sweep_from_text(text, strlen(text), &with, &sweep, NULL));
    EXPECT_INT((long long)sweep.count, 5);
    for (size_t i = 0; i < sweep.count; i++)
        EXPECT_STR(sweep.cells[i].spec.precision, "bf16");
    EXPECT(sweep_from_text(capped, strlen(capped), &with, &slower, NULL));
    EXPECT_STR(slower.cells[0].spec.precision, "f32");
}

TEST(the_networks_of_2017_have_their_own_batches_and_no_other_workload)
{
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT(
        read_text("{\"preset\":\"clouds2017\",\"base\":{\"precision\":\"bf16\"}}", &sweep, NULL));
    EXPECT_INT(sweep.cells[0].spec.batch_size, 128);
    EXPECT_STR(sweep.cells[2].spec.workload, "cifar2017");
    EXPECT_INT(sweep.cells[2].spec.batch_size, 32);
    EXPECT_STR(sweep.cells[6].spec.precision, "bf16");
    sweep_clear(&sweep);
    EXPECT_INVALID(
        read_text("{\"preset\":\"clouds2017\",\"base\":{\"workload\":\"gpt2\"}}", &sweep, &err),
        "base.workload");
}

/* The same machine under a server that was started with these engines. */
static bool read_with(const char *const *engines, const char *text, struct sweep *sweep,
                      struct error *err)
{
    struct place with = four_cores;

    with.engines = engines;
    return sweep_from_text(text, strlen(text), &with, sweep, err);
}

static const char *const registered[] = {"pytorch", "jax", "native", NULL};
static const char *const alone[] = {"native", NULL};

TEST(engines_are_ours_first_and_then_every_registered_one)
{
    static const char *const names[] = {"engine=native", "engine=pytorch", "engine=jax"};
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT(read_with(registered,
                     "{\"preset\":\"engines\",\"base\":{\"batch_size\":16},\"blocks\":5}", &sweep,
                     NULL));
    EXPECT_INT(sweep.preset, SWEEP_ENGINES);
    EXPECT_INT(sweep.blocks, 5);
    EXPECT_INT((long long)sweep.count, (long long)COUNT(names));
    for (size_t i = 0; i < sweep.count; i++) {
        EXPECT_STR(sweep.cells[i].name, names[i]);
        EXPECT_STR(sweep.cells[i].spec.engine, names[i] + strlen("engine="));
        EXPECT_STR(sweep.cells[i].spec.workload, "resnet50");
        EXPECT_INT(sweep.cells[i].spec.batch_size, 16);
    }
}

TEST(without_another_engine_there_is_nothing_to_compare_and_the_reason_says_what_to_do)
{
    static const char *const *const sets[] = {alone, NULL};

    for (size_t i = 0; i < COUNT(sets); i++) {
        struct sweep sweep = {.blocks = -7};
        struct error err = {0};

        EXPECT(!read_with(sets[i], "{\"preset\":\"engines\"}", &sweep, &err));
        EXPECT_INT(err.kind, ERROR_UNABLE);
        EXPECT_STR(err.field, "preset");
        EXPECT_PART(err.message, "--engine NAME=COMMAND");
        EXPECT_INT(sweep.blocks, -7);
    }
}

/* As a rung whose library is missing: the rest of the set is still worth its time. */
TEST(engines_that_lack_the_workload_are_skipped_and_named)
{
    AUTO(sweep_clear) struct sweep sweep = {0};

    EXPECT_OK(read_with(registered, "{\"preset\":\"engines\",\"base\":{\"workload\":\"gnn\"}}",
                        &sweep, &err));
    EXPECT_INT((long long)sweep.count, 3);
    EXPECT_STR(sweep.cells[0].name, "engine=native");
    EXPECT_STR(sweep.cells[0].spec.engine, "native");
    EXPECT_STR(sweep.cells[0].spec.workload, "gnn");
    EXPECT_STR(sweep.cells[0].refused, "workload: 'gnn' is not trained by the engine native; a "
                                       "registered engine may train its own");
    EXPECT_STR(sweep.cells[1].refused, "");
    EXPECT_STR(sweep.cells[2].spec.engine, "jax");
    EXPECT_STR(sweep.cells[2].refused, "");
    /* A name that no workload can have is still an error. */
    EXPECT_INVALID(read_with(registered,
                             "{\"preset\":\"engines\",\"base\":{\"workload\":\"a b\"}}", &sweep,
                             &err),
                   "base.workload");
}

TEST(the_base_of_engines_cannot_choose_one)
{
    struct sweep sweep = {0};

    EXPECT_WRONG_SAYS(read_with(registered,
                                "{\"preset\":\"engines\",\"base\":{\"engine\":\"jax\"}}", &sweep,
                                &err),
                      "base.engine", "leave it out");
}

static bool only_f32(const void *user, const struct run_spec *spec, struct error *err)
{
    (void)user;
    return strcmp(spec->engine, "jax") != 0 || strcmp(spec->precision, "f32") == 0 ||
           error_set(err, ERROR_UNABLE, "precision", "jax has f32 alone");
}

TEST(an_engine_that_cannot_train_it_is_kept_with_the_reason)
{
    struct place with = four_cores;
    AUTO(sweep_clear) struct sweep sweep = {0};
    static const char text[] = "{\"preset\":\"engines\",\"base\":{\"precision\":\"bf16\"}}";

    with.engines = registered;
    with.can = only_f32;
    EXPECT(sweep_from_text(text, strlen(text), &with, &sweep, NULL));
    EXPECT_STR(sweep.cells[1].refused, "");
    EXPECT_STR(sweep.cells[2].refused, "precision: jax has f32 alone");
}

TEST(the_preset_of_a_stored_request_is_known_without_a_machine)
{
    EXPECT_INT(sweep_preset_of("{\"preset\":\"engines\"}"), SWEEP_ENGINES);
    EXPECT_INT(sweep_preset_of("{\"preset\":\"aa\",\"pairs\":3}"), SWEEP_AA);
    EXPECT_INT(sweep_preset_of("{\"knobs\":{\"seed\":[1]}}"), SWEEP_MATRIX);
    EXPECT_INT(sweep_preset_of("{\"preset\":7}"), SWEEP_MATRIX);
    EXPECT_INT(sweep_preset_of("{\"preset\":\"of a newer server\"}"), SWEEP_MATRIX);
    EXPECT_INT(sweep_preset_of("{"), SWEEP_MATRIX);
}
