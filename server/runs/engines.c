#include "server/runs/engines.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/run/native.h"
#include "server/base/log.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Splits engine->text at spaces. */
static bool split_words(struct engine *engine, struct error *err)
{
    char *rest = engine->text;
    size_t count = 0;

    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        if (!*word)
            continue;
        if (count == ENGINE_WORDS_MAX)
            return error_set(err, ERROR_INVALID, "--engine", "'%s' has more than %d words",
                             engine->name, ENGINE_WORDS_MAX);
        engine->command[count++] = word;
    }
    if (count == 0)
        return error_set(err, ERROR_INVALID, "--engine", "'%s' has no command", engine->name);
    return true;
}

/* Refuse a name that no spec can contain: such an engine could never run. */
static bool engine_name_is_valid(const char *name, size_t length)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-/";

    return length >= 1 && length <= ENGINE_NAME_MAX && strspn(name, allowed) >= length;
}

/* The whole command is one word. */
static bool engines_add(struct engines *engines, const char *name, size_t name_length,
                        const char *command, size_t command_length, struct error *err)
{
    struct engine *engine = &engines->list[engines->count];

    if (!engine_name_is_valid(name, name_length))
        return error_set(
            err, ERROR_INVALID, "--engine",
            "must be NAME=COMMAND with a name of 1 to %d letters, digits and . _ - /",
            ENGINE_NAME_MAX);
    if (engines->count == ENGINES_MAX)
        return error_set(err, ERROR_INVALID, "--engine", "more than %d engines", ENGINES_MAX);
    snprintf(engine->name, sizeof engine->name, "%.*s", (int)name_length, name);
    for (size_t i = 0; i < engines->count; i++)
        if (strcmp(engines->list[i].name, engine->name) == 0)
            return error_set(err, ERROR_INVALID, "--engine", "'%s' is given twice", engine->name);
    engine->text = xstrndup(command, command_length);
    engine->command[0] = engine->text;
    engines->names[engines->count++] = engine->name;
    return true;
}

bool engines_read(const char *text, const char *native_command, struct engines *ret_engines,
                  struct error *err)
{
    struct engines *engines = ret_engines;
    bool ok = true, native = false;

    *engines = (struct engines){0};
    while (ok && *text) {
        size_t length = strcspn(text, ";");
        const char *equals = memchr(text, '=', length);
        size_t name_length = equals ? (size_t)(equals - text) : 0;

        if (length > 0)
            ok = engines_add(engines, text, name_length, equals ? equals + 1 : "",
                             equals ? length - name_length - 1 : 0, err) &&
                 split_words(&engines->list[engines->count - 1], err);
        text += length + (text[length] == ';');
    }
    for (size_t i = 0; i < engines->count; i++)
        native = native || strcmp(engines->list[i].name, ENGINE_NATIVE) == 0;
    if (ok && !native) {
        ok = engines_add(engines, ENGINE_NATIVE, strlen(ENGINE_NATIVE), native_command,
                         strlen(native_command), err);
        if (ok)
            engines->list[engines->count - 1].ours = true;
    }
    if (!ok)
        engines_free(engines);
    return ok;
}

static bool is_in_path(const char *program)
{
    char file[PATH_MAX];

    for (const char *folder = getenv("PATH"); folder && *folder; folder += *folder == ':') {
        size_t length = strcspn(folder, ":");

        snprintf(file, sizeof file, "%.*s/%s", (int)length, folder, program);
        if (access(file, X_OK) == 0)
            return true;
        folder += length;
    }
    return false;
}

bool engines_can_start(const struct engines *engines, struct error *err)
{
    for (size_t i = 0; i < engines->count; i++) {
        const struct engine *engine = &engines->list[i];
        const char *program = engine->command[0];

        if (engine->ours ||
            (strchr(program, '/') ? access(program, X_OK) == 0 : is_in_path(program)))
            continue;
        return error_set(err, ERROR_INVALID, "--engine", "'%s' cannot be started: %.100s %s",
                         engine->name, program,
                         strchr(program, '/') ? strerror(errno) : "is in no folder of PATH");
    }
    return true;
}

const struct engine *engines_find(const struct engines *engines, const char *name,
                                  struct error *err)
{
    for (size_t i = 0; i < engines->count; i++)
        if (strcmp(engines->list[i].name, name) == 0)
            return &engines->list[i];
    error_not_allowed(err, "engine", (struct allowed){.choices = engines->names},
                      "'%s' is not an engine of this server", name);
    return NULL;
}

bool engines_can(const struct engines *engines, const struct run_spec *spec, struct error *err)
{
    const struct engine *engine = engines_find(engines, spec->engine, err);

    return engine && (!engine->ours || native_can_train(spec, err));
}

static const char *own_program(const struct engines *engines)
{
    for (size_t i = 0; i < engines->count; i++)
        if (engines->list[i].ours)
            return engines->list[i].command[0];
    return NULL;
}

static void choose_usual(const char *program, struct engine_user *ret_user)
{
    struct engine_user user;

    if (geteuid() != 0 || !program)
        return;
    if (!engine_user_find(ENGINES_USER, &user, NULL)) {
        log_line(LOG_INFO, "the engine runs as root, without capabilities; a user " ENGINES_USER
                           ", or the one of --engine-user, would have fewer rights");
    } else if (!engine_user_can_run(&user, program)) {
        log_line(LOG_INFO, "the engine runs as root: the user " ENGINES_USER " may not run %s",
                 program);
    } else {
        *ret_user = user;
    }
}

bool engines_choose_user(struct engines *engines, const char *name, struct error *err)
{
    const char *program = own_program(engines);
    struct engine_user user;

    if (!name[0]) {
        choose_usual(program, &engines->user);
        return true;
    }
    if (geteuid() != 0)
        return error_set(err, ERROR_INVALID, "--engine-user",
                         "only root can start engines as another user");
    if (!engine_user_find(name, &user, err))
        return false;
    if (program && !engine_user_can_run(&user, program))
        return error_set(err, ERROR_INVALID, "--engine-user",
                         "'%s' may not read and run %s, or not enter a folder on the way to it",
                         name, program);
    engines->user = user;
    engines->user_of_all = true;
    return true;
}

const struct engine_user *engines_user(const struct engines *engines, const struct engine *engine)
{
    return engines->user.is_another && (engine->ours || engines->user_of_all) ? &engines->user
                                                                              : NULL;
}

void engines_free(struct engines *engines)
{
    for (size_t i = 0; i < engines->count; i++)
        free(engines->list[i].text);
    *engines = (struct engines){0};
}
