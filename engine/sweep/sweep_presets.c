#include "engine/sweep/sweep_presets.h"

#include "common/cleanup.h"

struct rung {
    const char *name, *change;
};

/* The published steps from a plain framework's arithmetic to a tuned one, each on top of the one
 * before. */
static const struct rung ladder[] = {
    {"f32 plain", "{\"precision\":\"f32\",\"plan\":\"plain\",\"layout\":\"nchw\","
                  "\"pinning\":\"none\"}"},
    {"bf16", "{\"precision\":\"bf16\",\"plan\":\"plain\",\"layout\":\"nchw\","
             "\"pinning\":\"none\"}"},
    {"channels-last", "{\"precision\":\"bf16\",\"plan\":\"plain\",\"layout\":\"nhwc\","
                      "\"pinning\":\"none\"}"},
    {"fused", "{\"precision\":\"bf16\",\"plan\":\"fixed\",\"pinning\":\"none\"}"},
    {"runtime", "{\"precision\":\"bf16\",\"plan\":\"fixed\",\"pinning\":\"cores\","
                "\"openmp\":\"llvm\",\"allocator\":\"tcmalloc\"}"},
    {"tuned", "{\"precision\":\"bf16\",\"plan\":\"auto\",\"pinning\":\"cores\","
              "\"openmp\":\"llvm\",\"allocator\":\"tcmalloc\"}"},
};

/* Where a tune begins: the fixed configuration, then batch sizes. */
static const struct rung tune[] = {
    {"fixed", "{\"plan\":\"fixed\"}"},        {"batch_size=8", "{\"batch_size\":8}"},
    {"batch_size=16", "{\"batch_size\":16}"}, {"batch_size=32", "{\"batch_size\":32}"},
    {"batch_size=64", "{\"batch_size\":64}"}, {"batch_size=128", "{\"batch_size\":128}"},
};

static bool add_rungs(struct sweep *sweep, const struct rung *rungs, size_t count,
                      const struct place *place, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        AUTO(json_decrefp) json_t *change = json_loads(rungs[i].change, 0, NULL);

        if (!sweep_add(sweep, rungs[i].name, change, place, err))
            return false;
    }
    return true;
}

static bool add_value(struct sweep *sweep, const char *knob, json_t *given,
                      const struct place *place, struct error *err)
{
    AUTO(json_decrefp) json_t *value = given;
    AUTO(json_decrefp) json_t *change = json_object();
    char name[SWEEP_NAME_MAX];

    json_object_set(change, knob, value);
    if (json_is_string(value))
        snprintf(name, sizeof name, "%s=%s", knob, json_string_value(value));
    else
        snprintf(name, sizeof name, "%s=%lld", knob, (long long)json_integer_value(value));
    return sweep_add(sweep, name, change, place, err);
}

static bool add_batches(struct sweep *sweep, const struct place *place, struct error *err)
{
    for (int batch = 8; batch <= 256; batch *= 2)
        if (!add_value(sweep, "batch_size", json_integer(batch), place, err))
            return false;
    return true;
}

static bool add_input_workers(struct sweep *sweep, const struct place *place, struct error *err)
{
    int most = place->topology->cpu_count < 8 ? place->topology->cpu_count : 8;

    for (int workers = 0; workers <= most; workers++)
        if (!add_value(sweep, "input_workers", json_integer(workers), place, err))
            return false;
    return true;
}

/* One by one on small machines, doubling on large ones, and all there are. */
static bool add_threads(struct sweep *sweep, const struct place *place, struct error *err)
{
    int most = topology_threads(place->topology, false);

    for (int threads = 1; threads < most; threads += threads < 4 ? 1 : threads)
        if (!add_value(sweep, "threads", json_integer(threads), place, err))
            return false;
    return add_value(sweep, "threads", json_integer(most), place, err);
}

static bool add_isas(struct sweep *sweep, const struct place *place, struct error *err)
{
    for (enum cpu_isa isa = CPU_SSE41; isa <= place->isa; isa++)
        if (!add_value(sweep, "isa", json_string(cpu_isa_name(isa)), place, err))
            return false;
    return true;
}

static bool add_twins(struct sweep *sweep, const struct place *place, struct error *err)
{
    AUTO(json_decrefp) json_t *nothing = json_object();

    return sweep_add(sweep, "A", nothing, place, err) &&
           sweep_add(sweep, "A again", nothing, place, err);
}

/* Ours first, so that the others are compared with it; then in the order of registration. */
static bool add_engines(struct sweep *sweep, const struct place *place, struct error *err)
{
    size_t others = 0;

    if (json_object_get(sweep->base, "engine"))
        return error_set(err, ERROR_INVALID, "base.engine",
                         "the preset engines measures each of them: leave it out");
    for (size_t i = 0; place->engines && place->engines[i]; i++)
        others += strcmp(place->engines[i], ENGINE_NATIVE) != 0;
    if (others == 0)
        return error_set(err, ERROR_UNABLE, "preset",
                         "engines: this server knows no engine but " ENGINE_NATIVE
                         "; start it with --engine NAME=COMMAND (engine/peers/README.md)");
    if (!add_value(sweep, "engine", json_string(ENGINE_NATIVE), place, err))
        return false;
    for (size_t i = 0; place->engines[i]; i++)
        if (strcmp(place->engines[i], ENGINE_NATIVE) != 0 &&
            !add_value(sweep, "engine", json_string(place->engines[i]), place, err))
            return false;
    return true;
}

/* The networks of an article of 2017 that compared clouds, each with its batch of then. What they
 * share is the base's: the precision, and the engine. */
static bool add_clouds2017(struct sweep *sweep, const struct place *place, struct error *err)
{
    static const char *const networks[] = {"mlp2017",    "cnn2017",  "cifar2017",  "fasttext2017",
                                           "bilstm2017", "lstm2017", "textgen2017"};

    if (json_object_get(sweep->base, "workload"))
        return error_set(err, ERROR_INVALID, "base.workload",
                         "the preset clouds2017 measures seven workloads: leave it out");
    for (size_t i = 0; i < COUNT(networks); i++)
        if (!add_value(sweep, "workload", json_string(networks[i]), place, err))
            return false;
    return true;
}

bool sweep_add_preset(struct sweep *sweep, const struct place *place, struct error *err)
{
    switch (sweep->preset) {
    case SWEEP_LADDER:
        return add_rungs(sweep, ladder, COUNT(ladder), place, err);
    case SWEEP_BATCH:
        return add_batches(sweep, place, err);
    case SWEEP_INPUT_WORKERS:
        return add_input_workers(sweep, place, err);
    case SWEEP_THREADS:
        return add_threads(sweep, place, err);
    case SWEEP_ISA:
        return add_isas(sweep, place, err);
    case SWEEP_ENGINES:
        return add_engines(sweep, place, err);
    case SWEEP_CLOUDS2017:
        return add_clouds2017(sweep, place, err);
    case SWEEP_TUNE:
        return add_rungs(sweep, tune, COUNT(tune), place, err);
    default:
        return add_twins(sweep, place, err);
    }
}
