#include "server/cli/bench_load.h"

#include "common/clock.h"
#include "engine/stats/load_advice.h"
#include "server/http/json/present_evidence.h"

bool bench_load_look(struct bench_load *load, struct this_machine *here, long long *ret_wait_ns)
{
    long long due_ns = 0;

    load->threads = topology_threads(&here->topology, false);
    load->known = this_machine_load(here, &load->load, &due_ns);
    if (!load->known)
        *ret_wait_ns = due_ns - clock_monotonic_ns();
    return load->known;
}

void bench_load_tell(const struct bench_load *load, FILE *out)
{
    struct load_opinion opinion;

    if (!load->known)
        return;
    load_advise(&load->load, load->threads, &opinion);
    if (!opinion.is_idle)
        fprintf(out, "%s\n", opinion.words);
}

void bench_load_present(struct json_writer *out, const struct bench_load *load)
{
    if (load->known)
        present_load(out, "load_before", &load->load, load->threads);
    else
        jsonw_null(out, "load_before");
}
