#include "server/here.h"

#include "common/clock.h"
#include "db/machines.h"

bool here_look(struct here *here, struct error *err)
{
    enum cpu_isa isa = cpu_probe();

    topology_read("", &here->topology);
    vm_read("", here->vm);
    here->place = (struct place){.topology = &here->topology, .isa = isa, .root = ""};
    return machine_read("", &here->topology, isa, &here->machine) ||
           error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

bool here_store(struct here *here, struct db *db, struct error *err)
{
    const struct machine_row row = {.fingerprint = here->machine.fingerprint,
                                    .stratum = here->machine.stratum,
                                    .facts = here->machine.facts,
                                    .seen_us = clock_calendar_us()};

    return machines_store(db, &row, &here->number, err);
}

void here_clear(struct here *here)
{
    machine_clear(&here->machine);
}
