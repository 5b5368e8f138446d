#include "db/disk.h"

#include "tests/db/database.h"

static void put(const char *path, const char *text)
{
    AUTO(fclosep) FILE *file = fopen(path, "we");

    EXPECT(file && fputs(text, file) >= 0);
}

static char first_letter(const char *path)
{
    AUTO(fclosep) FILE *file = fopen(path, "re");

    return file ? (char)fgetc(file) : '\0';
}

TEST_IN_FOLDER(the_free_space_of_a_disk_is_known)
{
    long long left = -1;

    EXPECT_OK(disk_free_bytes(folder->file, &left, &err)); /* where nothing lies yet */
    EXPECT(left > 0);
    EXPECT_OK(disk_free_bytes("name", &left, &err) && disk_free_bytes("/name", &left, &err));
    EXPECT_ERROR_SAYS(disk_free_bytes("/no/such/folder/name", &left, &err), ERROR_INTERNAL,
                      "/no/such/folder");
}

TEST_IN_FOLDER(a_rename_never_overwrites)
{
    char other[400];

    snprintf(other, sizeof other, "%s/other", folder->path);
    put(folder->file, "a");
    EXPECT_OK(disk_rename_new(folder->file, other, &err));
    EXPECT_INT(first_letter(other), 'a');
    EXPECT_INT(access(folder->file, F_OK), -1);
    put(folder->file, "b");
    EXPECT_ERROR_SAYS(disk_rename_new(folder->file, other, &err), ERROR_CONFLICT, other);
    EXPECT_INT(first_letter(other), 'a');
    EXPECT_INT(first_letter(folder->file), 'b');
}

/* As where the file system knows no rename that overwrites nothing. */
TEST_IN_FOLDER(a_rename_that_was_killed_between_two_names_is_finished)
{
    char other[400];

    snprintf(other, sizeof other, "%s/other", folder->path);
    put(folder->file, "a");
    EXPECT_INT(link(folder->file, other), 0);
    EXPECT(disk_is_same(folder->file, other));
    EXPECT_OK(disk_rename_new(folder->file, other, &err));
    EXPECT_INT(first_letter(other), 'a');
    EXPECT_INT(access(folder->file, F_OK), -1);
    EXPECT(!disk_is_same(folder->file, other));
    put(folder->file, "a");
    EXPECT(!disk_is_same(folder->file, other));
}

TEST_IN_FOLDER(what_is_not_there_is_neither_renamed_nor_synced)
{
    char other[400];

    snprintf(other, sizeof other, "%s/no/other", folder->path);
    EXPECT_SAYS(disk_rename_new(folder->file, other, &err), "No such file");
    EXPECT_ERROR(disk_sync_file(folder->file, &err), ERROR_INTERNAL);
    EXPECT_ERROR(disk_sync_folder(other, &err), ERROR_INTERNAL);
    put(folder->file, "a");
    EXPECT_OK(disk_sync_file(folder->file, &err) && disk_sync_folder(folder->file, &err));
}
