/* Engines by name: the program that runs a spec. Only the server's configuration names programs;
 * a request chooses among the names. */
#pragma once

#include "common/error.h"
#include "engine/process/engine_user.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>
#include <stddef.h>

#define ENGINES_MAX 16
#define ENGINE_WORDS_MAX 32
#define ENGINES_USER "pennyworth-engine" /* runs our own engine, where it exists */

struct engine {
    char name[ENGINE_NAME_MAX + 1];
    char *command[ENGINE_WORDS_MAX + 1]; /* NULL-terminated, into `text` */
    char *text;
    bool ours; /* our worker, whose abilities are known in advance */
};

struct engines {
    struct engine list[ENGINES_MAX];
    size_t count;
    const char *names[ENGINES_MAX + 1]; /* NULL-terminated, for error messages */
    struct engine_user user;            /* that runs them, if the server runs as root */
    bool user_of_all;                   /* registered engines, too */
};

/* Reads "name=command word word;name=..."; "native" is `native_command` unless it is given. */
MUST_USE bool engines_read(const char *text, const char *native_command,
                           struct engines *ret_engines, struct error *err);

/* Whether the program of each registered engine is there and may be executed. */
MUST_USE bool engines_can_start(const struct engines *engines, struct error *err);

/* Whether the engine that a spec names exists and, as far as we know, can run the spec. */
MUST_USE bool engines_can(const struct engines *engines, const struct run_spec *spec,
                          struct error *err);

/* For an unknown name, returns NULL and lists the known names in err. */
const struct engine *engines_find(const struct engines *engines, const char *name,
                                  struct error *err);

/* Chooses the user that engines run as. With a name (--engine-user): that user, for all engines.
 * Without, as root: our own engine runs as ENGINES_USER if that user exists and may run it (else
 * the log says how it runs); registered engines, which may need the operator's files, run as the
 * server. Fails if the user does not exist or may not run our own engine, or this process may not
 * change users. */
MUST_USE bool engines_choose_user(struct engines *engines, const char *name, struct error *err);

/* NULL: the server's user. */
const struct engine_user *engines_user(const struct engines *engines,
                                       const struct engine *engine);

void engines_free(struct engines *engines);
