/* Stores that the cloud takes this machine back, among the events of capacity. */
#pragma once

struct config;
struct this_machine;

/* Opens the database for this alone. A failure is logged: what follows from a notice must not
 * depend on it. Does nothing where the type of this machine is not known. */
void preemption_event_store(const struct config *config, struct this_machine *here,
                            const char *why);
