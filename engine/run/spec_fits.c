#include "engine/run/spec_fits.h"

#include "engine/process/preload.h"

#include <string.h>

static bool threads_have_a_place(const struct run_spec *spec, const struct topology *topology,
                                 struct error *err)
{
    if (strcmp(spec->pinning, "smt") == 0 && topology->core_count == topology->cpu_count)
        return error_set(err, ERROR_UNABLE, "pinning",
                         "'smt' needs processors with more than one thread a core that we may "
                         "use; here are none");
    if (spec->threads > topology->cpu_count)
        return error_set(err, ERROR_UNABLE, "threads",
                         "must be at most %d here, as many as there are processors for us",
                         topology->cpu_count);
    return true;
}

static bool nodes_are_there(const struct run_spec *spec, const struct topology *topology,
                            struct error *err)
{
    if (strcmp(spec->numa, "auto") == 0 || topology->node_count > 1)
        return true;
    return error_set(err, ERROR_UNABLE, "numa", "'%s' needs several nodes; this machine has one",
                     spec->numa);
}

static bool processor_is_able(const struct run_spec *spec, enum cpu_isa isa, struct error *err)
{
    enum cpu_isa wanted;

    if (strcmp(spec->isa, "auto") == 0 ||
        (cpu_isa_from_name(spec->isa, &wanted) && wanted <= isa))
        return true;
    return error_set(err, ERROR_UNABLE, "isa", "'%s' is more than this processor has: %s",
                     spec->isa, cpu_isa_name(isa));
}

static bool price_is_known(const struct run_spec *spec, double dollars_per_hour,
                           struct error *err)
{
    if (!(spec->max_dollars > 0) || dollars_per_hour > 0)
        return true;
    return error_set(err, ERROR_UNABLE, "max_dollars",
                     "cannot be kept: the server does not know this machine's price "
                     "(--price-per-hour)");
}

bool spec_fits(const struct run_spec *spec, const struct place *place, struct error *err)
{
    char preload[PRELOAD_MAX];

    return (!place->can || place->can(place->user, spec, err)) &&
           threads_have_a_place(spec, place->topology, err) &&
           nodes_are_there(spec, place->topology, err) &&
           processor_is_able(spec, place->isa, err) &&
           price_is_known(spec, place->dollars_per_hour, err) &&
           preload_find(spec, place->root, preload, err);
}
