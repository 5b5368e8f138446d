/* Stores a preemption of this machine as a capacity event. */
#pragma once

struct config;
struct this_machine;

/* Opens its own database connection. A failure is only logged: handling the notice must not
 * depend on it. Does nothing if this machine's type is unknown. */
void preemption_event_store(const struct config *config, struct this_machine *here,
                            const char *why);
