/* `pennyworth-worker verify`: trains a few steps on data that any program can make again, and
 * prints the result as JSON, so that the engine can be compared with another implementation. */
#pragma once

/* The arguments behind "verify"; returns the exit status. */
int verify_main(int argc, char *const argv[]);
