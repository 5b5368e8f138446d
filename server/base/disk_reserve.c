#include "server/base/disk_reserve.h"

#include "common/units.h"
#include "db/disk.h"

#include <sys/stat.h>

long long disk_space_left(const struct config *config)
{
    long long bytes;

    return disk_free_bytes(config->database, &bytes, NULL) ? bytes : -1;
}

bool disk_reserve_check(const struct config *config, struct error *err)
{
    long long left = disk_space_left(config);

    return left < 0 || left >= config->reserve_mib * MIB ||
           error_set(err, ERROR_STORAGE, NULL,
                     "%lld MiB are free on the database's disk, %lld are reserved: make room, or "
                     "lower --reserve-mib",
                     left / MIB, config->reserve_mib);
}

bool disk_reserve_check_copy(const struct config *config, struct error *err)
{
    long long left = disk_space_left(config);
    struct stat file;

    return left < 0 || stat(config->database, &file) != 0 ||
           left - (long long)file.st_size >= config->reserve_mib * MIB ||
           error_set(err, ERROR_STORAGE, NULL,
                     "the copy takes %lld MiB of the %lld free on the database's disk, and %lld "
                     "are reserved",
                     (long long)file.st_size / MIB + 1, left / MIB, config->reserve_mib);
}
