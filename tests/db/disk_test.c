#include "db/disk.h"

#include "common/cleanup.h"
#include "tests/db/database.h"
#include "tests/test.h"

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

TEST(the_free_space_of_a_disk_is_known)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct error err = {0};
    long long left = -1;

    EXPECT(disk_free_bytes(folder.file, &left, &err)); /* where nothing lies yet */
    EXPECT(left > 0);
    EXPECT(disk_free_bytes("name", &left, &err) && disk_free_bytes("/name", &left, &err));
    EXPECT(!disk_free_bytes("/no/such/folder/name", &left, &err));
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    EXPECT(strstr(err.message, "/no/such/folder") != NULL);
}

TEST(a_rename_never_overwrites)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct error err = {0};
    char other[400];

    snprintf(other, sizeof other, "%s/other", folder.path);
    put(folder.file, "a");
    EXPECT(disk_rename_new(folder.file, other, &err));
    EXPECT_INT(first_letter(other), 'a');
    EXPECT_INT(access(folder.file, F_OK), -1);
    put(folder.file, "b");
    EXPECT(!disk_rename_new(folder.file, other, &err));
    EXPECT_INT(err.kind, ERROR_CONFLICT);
    EXPECT(strstr(err.message, other) != NULL);
    EXPECT_INT(first_letter(other), 'a');
    EXPECT_INT(first_letter(folder.file), 'b');
}

/* As where the file system knows no rename that overwrites nothing. */
TEST(a_rename_that_was_killed_between_two_names_is_finished)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct error err = {0};
    char other[400];

    snprintf(other, sizeof other, "%s/other", folder.path);
    put(folder.file, "a");
    EXPECT_INT(link(folder.file, other), 0);
    EXPECT(disk_is_same(folder.file, other));
    EXPECT(disk_rename_new(folder.file, other, &err));
    EXPECT_STR(err.message, "");
    EXPECT_INT(first_letter(other), 'a');
    EXPECT_INT(access(folder.file, F_OK), -1);
    EXPECT(!disk_is_same(folder.file, other));
    put(folder.file, "a");
    EXPECT(!disk_is_same(folder.file, other));
}

TEST(what_is_not_there_is_neither_renamed_nor_synced)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct error err = {0};
    char other[400];

    snprintf(other, sizeof other, "%s/no/other", folder.path);
    EXPECT(!disk_rename_new(folder.file, other, &err));
    EXPECT(strstr(err.message, "No such file") != NULL);
    error_clear(&err);
    EXPECT(!disk_sync_file(folder.file, &err));
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    error_clear(&err);
    EXPECT(!disk_sync_folder(other, &err));
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    error_clear(&err);
    put(folder.file, "a");
    EXPECT(disk_sync_file(folder.file, &err) && disk_sync_folder(folder.file, &err));
}
