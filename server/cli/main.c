/* pennyworth: reads the command and its options, and runs the command. */
#include "common/cleanup.h"
#include "common/memory.h"
#include "db/db.h"
#include "engine/process/confine.h"
#include "server/base/log.h"
#include "server/cli/bench.h"
#include "server/cli/config/config_read.h"
#include "server/cli/database.h"
#include "server/cli/health.h"
#include "server/cli/key.h"
#include "server/cli/prices.h"
#include "server/cli/push.h"
#include "server/cli/serve.h"
#include "server/cli/token.h"

#include <fcntl.h>
#include <sys/prctl.h>

static command_fn *const commands[COMMANDS] = {
    [COMMAND_SERVE] = serve_command,     [COMMAND_BENCH] = bench_command,
    [COMMAND_PUSH] = push_command,       [COMMAND_BACKUP] = backup_command,
    [COMMAND_RESTORE] = restore_command, [COMMAND_CHECK] = check_command,
    [COMMAND_HEALTH] = health_command,   [COMMAND_TOKEN] = token_command,
    [COMMAND_KEY] = key_command,         [COMMAND_PRICES] = prices_command,
};

/* Opens the standard streams that the parent has closed. Otherwise a socket or the database would
 * get such a descriptor, and our log would be written into it. */
static void hold_standard_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDWR);
}

int main(int argc, char *argv[])
{
    AUTO(freep) struct config *config = xcalloc(1, sizeof *config);
    struct error err = {0};

    hold_standard_streams();
    confine_hide(); /* our environment and our memory hold tokens and keys */
    /* No program that we execute may gain privileges. */
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    db_setup();
    switch (config_read(argc, argv, environ, config, &err)) {
    case CONFIG_HELP:
        config_help(config->command, stdout);
        return 0;
    case CONFIG_VERSION:
        puts("pennyworth " PENNYWORTH_VERSION);
        return 0;
    case CONFIG_WRONG:
        (void)command_failed(&err);
        return 2;
    default:
        log_set_level(strcmp(config->log, "debug") == 0   ? LOG_DEBUG
                      : strcmp(config->log, "error") == 0 ? LOG_ERROR
                                                          : LOG_INFO);
        return commands[config->command](config);
    }
}
