/* Tested by tests/api/test_bench_wanted.py. */
#include "server/cli/bench_wanted.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/run/spec_fits.h"
#include "server/hub/hub_wanted.h"

static bool wanted_ask(const struct config *config, const struct identity *here,
                       struct hub_wanted *wanted, struct error *err)
{
    struct fetcher *fetcher = fetcher_new(err);
    const struct hub_wanted_question question = {.hub = config->report_to,
                                                 .token = config->report_token,
                                                 .ca = config->report_ca,
                                                 .instance_type = here->instance_type,
                                                 .provider = here->provider,
                                                 .fetch = fetch_with_curl,
                                                 .fetcher = fetcher};
    bool ok = fetcher && hub_wanted_ask(&question, wanted, err);

    fetcher_free(fetcher);
    return ok;
}

bool bench_wanted_choose(const struct config *config, struct this_machine *machine,
                         struct bench_wanted *ret_wanted, struct error *err)
{
    AUTO(freep) struct hub_wanted *wanted = xcalloc(1, sizeof *wanted);
    struct identity here;
    struct error why = {0};

    *ret_wanted = (struct bench_wanted){.found = false};
    this_machine_identity(machine, &here);
    if (!here.instance_type[0])
        return error_set(err, ERROR_UNABLE, "--wanted",
                         "the type of this machine is not known; --instance-type names it");
    if (!wanted_ask(config, &here, wanted, err))
        return false;
    for (size_t i = 0; i < wanted->count && !ret_wanted->found; i++) {
        error_clear(&why);
        if (!spec_fits(&wanted->list[i], &machine->place, &why))
            continue;
        ret_wanted->found = true;
        ret_wanted->spec = wanted->list[i];
        snprintf(ret_wanted->words, sizeof ret_wanted->words,
                 "the hub wants %s in %s, batch %lld: %s", wanted->list[i].workload,
                 wanted->list[i].precision, wanted->list[i].batch_size, wanted->words[i]);
    }
    if (!ret_wanted->found && wanted->count == 0)
        snprintf(ret_wanted->words, sizeof ret_wanted->words,
                 "the hub wants nothing more of %s: nothing was measured", here.instance_type);
    else if (!ret_wanted->found)
        snprintf(ret_wanted->words, sizeof ret_wanted->words,
                 "this machine can run nothing that the hub wants of %s (%s: %s): nothing was "
                 "measured",
                 here.instance_type, why.field, why.message);
    return true;
}
