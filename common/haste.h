/* Shortens the service's own pauses in tests. */
#pragma once

#define HASTE_VARIABLE "PENNYWORTH_HASTE"

/* Divides a pause, in any unit, by the number in PENNYWORTH_HASTE (1 to 1000); without one,
 * returns it as it is. For pauses between two actions of the service, never for a time that a
 * client, a feed or an option sets. The variable is read once. Thread-safe. */
long long haste_pause(long long pause);
