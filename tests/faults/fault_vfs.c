#include "tests/faults/fault_vfs.h"

#include "tests/test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR 512

/* What of one file would be there after a power loss. A file exists when it was synced once:
 * SQLite syncs the folder of a new log or journal together with its first sync. */
struct durable {
    char path[512];
    bool exists;
    unsigned char *image;
    size_t size;
};

struct fault_file {
    sqlite3_file base; /* must be first: SQLite sees only this */
    struct durable *durable;
    sqlite3_file *real; /* right behind this struct */
};

static sqlite3_vfs *real_vfs;
static struct fault_plan plan;
static bool armed;
static long long failures;
static struct durable watched[3]; /* database, log, journal */

void fault_arm(struct fault_plan new_plan)
{
    plan = new_plan;
    failures = 0;
    armed = true;
}

long long fault_disarm(void)
{
    armed = false;
    return failures;
}

/* Counts a call; SQLITE_OK lets it through. */
static int judge(int code, bool may_be_full)
{
    if (!armed || plan.allowed-- > 0 || (failures > 0 && !plan.for_good))
        return SQLITE_OK;
    failures++;
    return plan.full && may_be_full ? SQLITE_FULL : code;
}

static void *must_have(void *memory)
{
    if (!memory)
        abort(); /* the disk of a test must not run out of memory */
    return memory;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((struct fault_file *)file)->real;
}

static int fault_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int fault_read(sqlite3_file *file, void *data, int length, sqlite3_int64 offset)
{
    int rc = plan.reads ? judge(SQLITE_IOERR_READ, false) : SQLITE_OK;

    return rc ? rc : real_of(file)->pMethods->xRead(real_of(file), data, length, offset);
}

static int fault_write(sqlite3_file *file, const void *data, int length, sqlite3_int64 offset)
{
    int rc = judge(SQLITE_IOERR_WRITE, true);

    return rc ? rc : real_of(file)->pMethods->xWrite(real_of(file), data, length, offset);
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int rc = judge(SQLITE_IOERR_TRUNCATE, true);

    return rc ? rc : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

/* Through SQLite's own descriptor: closing another one would drop its locks. */
static int remember(struct durable *durable, sqlite3_file *real)
{
    sqlite3_int64 size = 0;
    int rc = real->pMethods->xFileSize(real, &size);

    if (rc != SQLITE_OK)
        return rc;
    durable->image = must_have(realloc(durable->image, (size_t)size + 1));
    durable->size = (size_t)size;
    durable->exists = true;
    return size > 0 ? real->pMethods->xRead(real, durable->image, (int)size, 0) : SQLITE_OK;
}

static int fault_sync(sqlite3_file *file, int flags)
{
    struct durable *durable = ((struct fault_file *)file)->durable;
    int rc = judge(SQLITE_IOERR_FSYNC, false);

    (void)flags;
    return rc == SQLITE_OK && durable ? remember(durable, real_of(file)) : rc;
}

static int fault_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), ret_size);
}

static int fault_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int fault_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int fault_check_lock(sqlite3_file *file, int *ret_locked)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_locked);
}

static int fault_control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int fault_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int fault_characteristics(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int fault_shm_map(sqlite3_file *file, int page, int size, int extend,
                         void volatile **ret_memory)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, ret_memory);
}

static int fault_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void fault_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int fault_shm_unmap(sqlite3_file *file, int delete_it)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete_it);
}

/* Version 2: shared memory, but no mapped reads, which would go past us. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = fault_close,
    .xRead = fault_read,
    .xWrite = fault_write,
    .xTruncate = fault_truncate,
    .xSync = fault_sync,
    .xFileSize = fault_size,
    .xLock = fault_lock,
    .xUnlock = fault_unlock,
    .xCheckReservedLock = fault_check_lock,
    .xFileControl = fault_control,
    .xSectorSize = fault_sector_size,
    .xDeviceCharacteristics = fault_characteristics,
    .xShmMap = fault_shm_map,
    .xShmLock = fault_shm_lock,
    .xShmBarrier = fault_shm_barrier,
    .xShmUnmap = fault_shm_unmap,
};

static struct durable *find_watched(const char *path)
{
    for (size_t i = 0; path && i < sizeof watched / sizeof watched[0]; i++)
        if (strcmp(watched[i].path, path) == 0)
            return &watched[i];
    return NULL;
}

static int fault_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
                      int *ret_flags)
{
    struct fault_file *ours = (struct fault_file *)file;
    int rc = judge(SQLITE_CANTOPEN, false);

    (void)vfs;
    ours->base.pMethods = NULL; /* so that SQLite does not close what was not opened */
    ours->durable = find_watched(path);
    ours->real = (sqlite3_file *)(ours + 1);
    if (rc == SQLITE_OK)
        rc = real_vfs->xOpen(real_vfs, path, ours->real, flags, ret_flags);
    if (rc == SQLITE_OK)
        ours->base.pMethods = &methods;
    return rc;
}

static int fault_delete(sqlite3_vfs *vfs, const char *path, int sync_folder)
{
    struct durable *durable = find_watched(path);
    int rc = judge(SQLITE_IOERR_DELETE, false);

    (void)vfs;
    if (rc == SQLITE_OK)
        rc = real_vfs->xDelete(real_vfs, path, 0);
    if (rc == SQLITE_OK && durable && sync_folder) {
        durable->exists = false;
        durable->size = 0;
    }
    return rc;
}

bool test_begin(void)
{
    static sqlite3_vfs vfs;

    real_vfs = sqlite3_vfs_find(NULL);
    vfs = *real_vfs;
    vfs.zName = "fault";
    vfs.szOsFile = (int)sizeof(struct fault_file) + real_vfs->szOsFile;
    vfs.xOpen = fault_open;
    vfs.xDelete = fault_delete;
    return sqlite3_vfs_register(&vfs, 1) == SQLITE_OK;
}

/* Reads the file as it is; `exists` says whether it is. */
static struct durable read_file(const char *path)
{
    struct durable now = {0};
    FILE *file = fopen(path, "re");

    now.exists = file != NULL;
    now.image = must_have(malloc(1));
    if (!file)
        return now;
    fseek(file, 0, SEEK_END);
    now.size = (size_t)ftell(file);
    rewind(file);
    now.image = must_have(realloc(now.image, now.size + 1));
    if (fread(now.image, 1, now.size, file) != now.size)
        abort();
    fclose(file);
    return now;
}

void disk_watch(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-journal"};

    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        struct durable now = {0};
        char name[sizeof now.path];

        snprintf(name, sizeof name, "%.480s%s", path, suffixes[i]);
        free(watched[i].image);
        now = read_file(name);
        memcpy(now.path, name, sizeof name);
        watched[i] = now;
    }
}

static bool by_chance(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 31;
}

/* Lets sectors of `now` into the durable image, each by chance: half of them or nearly all. */
static void mix(struct durable *durable, const struct durable *now, unsigned *seed)
{
    size_t end = durable->size;
    size_t most = end > now->size ? end : now->size;
    bool generous = by_chance(seed);

    durable->image = must_have(realloc(durable->image, most + 1));
    memset(durable->image + end, 0, most - end);
    for (size_t at = 0; at < now->size; at += SECTOR) {
        size_t length = now->size - at < SECTOR ? now->size - at : SECTOR;

        if (!by_chance(seed) && !(generous && (by_chance(seed) || by_chance(seed))))
            continue;
        memcpy(durable->image + at, now->image + at, length);
        end = end > at + length ? end : at + length;
    }
    durable->size = now->size < end && by_chance(seed) ? now->size : end; /* was cut short */
}

void disk_lose_power(bool some_survive, unsigned seed)
{
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        struct durable *durable = &watched[i];
        struct durable now = read_file(durable->path);

        if (some_survive && durable->exists != now.exists && by_chance(&seed))
            durable->exists = now.exists; /* its folder was written, or was not */
        if (some_survive && durable->exists && now.exists)
            mix(durable, &now, &seed);
        free(now.image);
        if (!durable->exists) {
            unlink(durable->path);
            continue;
        }
        FILE *file = fopen(durable->path, "we");
        if (!file || fwrite(durable->image, 1, durable->size, file) != durable->size ||
            fclose(file) != 0)
            abort();
    }
}
