/* `pennyworth-worker verify`: trains a few steps by the recipe and prints what came of it as
 * JSON, so that anybody can hold the engine against another implementation. */
#pragma once

/* The arguments behind "verify"; returns the exit status. */
int verify_main(int argc, char *const argv[]);
