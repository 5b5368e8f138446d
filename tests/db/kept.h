/* Databases as whole files, for the tests of backups. */
#pragma once

#include "common/bytes.h"
#include "db/verify.h"
#include "tests/db/database.h"

#define KEPT_MAX (64 * 1024 * 1024)

/* What is in a file; nothing when it is not there. */
static inline struct bytes content_of(const char *path)
{
    struct bytes content = {.limit = KEPT_MAX};
    AUTO(fclosep) FILE *file = fopen(path, "re");
    char piece[65536];
    size_t length;

    while (file && (length = fread(piece, 1, sizeof piece, file)) > 0)
        EXPECT(bytes_add(&content, piece, length));
    return content;
}

static inline bool has_content(const char *path, const struct bytes *content)
{
    AUTO(bytes_free) struct bytes now = content_of(path);

    return now.used == content->used &&
           (now.used == 0 || memcmp(now.data, content->data, now.used) == 0);
}

static inline void put_content(const char *path, const void *data, size_t length)
{
    AUTO(fclosep) FILE *file = fopen(path, "we");

    EXPECT(file && fwrite(data, 1, length, file) == length);
}

/* Overwrites a piece in the middle. */
static inline void scribble(const char *path, long offset, int byte, size_t length)
{
    AUTO(fclosep) FILE *file = fopen(path, "r+e");

    EXPECT(file && fseek(file, offset, SEEK_SET) == 0);
    for (size_t i = 0; file && i < length; i++)
        EXPECT(fputc(byte, file) != EOF);
}

/* Makes it too large to be read on the way. */
static inline void add_ballast(struct db *db)
{
    execute(db, "CREATE TABLE ballast (bytes BLOB);"
                "INSERT INTO ballast VALUES (zeroblob(20000000))");
}

/* A file of the folder by another name. */
struct kept_path {
    char text[400];
};

static inline struct kept_path kept_in(const struct folder *folder, const char *name)
{
    struct kept_path path;

    snprintf(path.text, sizeof path.text, "%s/%s", folder->path, name);
    return path;
}

/* -1 where there is no database that can be read. */
static inline long long runs_in(const char *path)
{
    AUTO(db_freep) struct db *db = verify_open(path, NULL);

    return db ? rows_in(db, "runs") : -1;
}

/* How many files whose names begin so. */
static inline int files_named(const struct folder *folder, const char *beginning)
{
    DIR *files = opendir(folder->path);
    struct dirent *entry;
    int count = 0;

    while (files && (entry = readdir(files)) != NULL)
        count += strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
    if (files)
        closedir(files);
    return count;
}
