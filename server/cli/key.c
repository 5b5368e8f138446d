#include "server/cli/key.h"

#include "common/cleanup.h"
#include "server/cli/process.h"
#include "server/keys/key_file.h"

static void tell_key_rest(const struct config *config)
{
    fprintf(stderr,
            "%s%s has a new key: a server or bench that is running signs with it from its next "
            "start. A hub that knows the old one refuses the new one, until its operator runs "
            "\"pennyworth token rebind NAME\"\n",
            config->database, KEY_FILE_ENDING);
}

int key_command(const struct config *config)
{
    bool rotates = strcmp(config->operands[0], "rotate") == 0;
    struct signing_key key = {.text = ""};
    struct error err = {0};
    bool ok = process_make_folders(config->database, &err) &&
              (rotates ? key_file_rotate(config->database, &key, &err)
                       : key_file_load(config->database, &key, &err));

    explicit_bzero(key.pair.secret, sizeof key.pair.secret);
    if (!ok)
        return command_failed(&err);
    puts(key.text);
    if (rotates)
        tell_key_rest(config);
    if (fflush(stdout) != 0) {
        error_set(&err, ERROR_INTERNAL, NULL, "cannot write the key to stdout");
        return command_failed(&err);
    }
    return 0;
}
