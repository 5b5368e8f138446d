#include "server/base/disk_reserve.h"

#include "tests/db/database.h"

TEST_IN_FOLDER(the_reserve_is_what_must_be_left)
{
    AUTO(freep) struct config *config = calloc(1, sizeof *config);

    snprintf(config->database, sizeof config->database, "%s", folder->file);
    config->reserve_mib = 0;
    EXPECT_OK(disk_reserve_check(config, &err) && disk_reserve_check_copy(config, &err));
    long long left = disk_space_left(config);
    EXPECT(left > 0);
    config->reserve_mib = left / (1024 * 1024) + 1024;
    EXPECT_ERROR_SAYS(disk_reserve_check(config, &err), ERROR_STORAGE,
                      "make room, or lower --reserve-mib");
    snprintf(config->database, sizeof config->database, "/no/such/folder/runs.db");
    EXPECT_INT(disk_space_left(config), -1);
    EXPECT_OK(disk_reserve_check(config, &err)); /* the path cannot be asked */
}
