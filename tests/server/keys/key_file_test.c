#include "server/keys/key_file.h"

#include "common/cleanup.h"
#include "tests/db/database.h"
#include "tests/threads.h"

#include <fcntl.h>

static void path_of(const struct folder *folder, char ret_path[400])
{
    snprintf(ret_path, 400, "%s%s", folder->file, KEY_FILE_ENDING);
}

static int count_files(const struct folder *folder)
{
    DIR *files = opendir(folder->path);
    struct dirent *entry;
    int count = 0;

    while ((entry = readdir(files)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(files);
    return count;
}

TEST_IN_FOLDER(the_first_start_makes_a_key_and_the_next_ones_read_it)
{
    struct signing_key first, second;
    struct stat status;
    char path[400];

    path_of(folder, path);
    EXPECT(key_file_load(folder->file, &first, NULL));
    EXPECT(stat(path, &status) == 0);
    EXPECT_INT(status.st_mode & 0777, 0600);
    EXPECT_INT(count_files(folder), 1);
    EXPECT(key_file_load(folder->file, &second, NULL));
    EXPECT(memcmp(&first, &second, sizeof first) == 0);
}

TEST_IN_FOLDER(two_databases_have_two_keys)
{
    struct signing_key first, second;
    char other[400];

    snprintf(other, sizeof other, "%s/other.db", folder->path);
    EXPECT(key_file_load(folder->file, &first, NULL));
    EXPECT(key_file_load(other, &second, NULL));
    EXPECT(strcmp(first.text, second.text) != 0);
}

TEST_IN_FOLDER(a_rotation_replaces_the_key_and_leaves_no_other_file)
{
    struct signing_key first, second, third;

    EXPECT(key_file_load(folder->file, &first, NULL));
    EXPECT(key_file_rotate(folder->file, &second, NULL));
    EXPECT(key_file_load(folder->file, &third, NULL));
    EXPECT(strcmp(first.text, second.text) != 0);
    EXPECT_STR(third.text, second.text);
    EXPECT_INT(count_files(folder), 1);
}

static void expect_refused(const struct folder *folder, enum error_kind kind, const char *words)
{
    struct signing_key key;

    EXPECT_ERROR_SAYS(key_file_load(folder->file, &key, &err), kind, words);
    EXPECT_INT(count_files(folder), 1); /* nothing was made in its place */
}

TEST_IN_FOLDER(a_key_that_others_may_read_is_refused)
{
    struct signing_key key, again;
    char path[400];

    path_of(folder, path);
    EXPECT(key_file_load(folder->file, &key, NULL));
    for (int bit = 0; bit < 6; bit++) {
        EXPECT(chmod(path, 0600 | (mode_t)(1 << bit)) == 0);
        expect_refused(folder, ERROR_INVALID, "chmod 600");
    }
    EXPECT(chmod(path, 0400) == 0);
    EXPECT(key_file_load(folder->file, &again, NULL));
    EXPECT_STR(again.text, key.text);
}

TEST_IN_FOLDER(what_is_no_file_is_refused)
{
    char path[400];

    path_of(folder, path);
    EXPECT(mkfifo(path, 0600) == 0); /* opening it would wait for ever */
    expect_refused(folder, ERROR_INVALID, "must be a file");
}

static void write_text(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "we");

    EXPECT(file && fwrite(text, 1, length, file) == length);
    fclose(file);
}

TEST_IN_FOLDER(every_damage_is_seen)
{
    struct signing_key key;
    char path[400], whole[200] = "", damaged[200];
    FILE *file;

    path_of(folder, path);
    EXPECT(key_file_load(folder->file, &key, NULL));
    file = fopen(path, "re");
    size_t length = fread(whole, 1, sizeof whole - 2, file);
    fclose(file);
    EXPECT_INT((long long)length, 138);
    for (size_t i = 0; i < length; i++) {
        write_text(path, whole, i);
        expect_refused(folder, ERROR_INVALID, "damaged");
        memcpy(damaged, whole, sizeof damaged);
        damaged[i] = damaged[i] == '0' ? '1' : '0';
        write_text(path, damaged, length);
        expect_refused(folder, ERROR_INVALID, "damaged");
    }
    memcpy(whole + length, "x", 2);
    write_text(path, whole, length + 1);
    expect_refused(folder, ERROR_INVALID, "damaged");
    whole[10] = '\0';
    write_text(path, whole, length);
    expect_refused(folder, ERROR_INVALID, "damaged");
    EXPECT(key_file_rotate(folder->file, &key, NULL)); /* the way out */
    EXPECT(key_file_load(folder->file, &key, NULL));
}

TEST(a_folder_that_is_not_there_is_named)
{
    struct signing_key key;

    EXPECT_SAYS(key_file_load("/nowhere/at/all/runs.db", &key, &err),
                "/nowhere/at/all/runs.db.key");
}

static const char *race_file;

static void *load(void *user)
{
    struct signing_key *key = user;

    EXPECT(key_file_load(race_file, key, NULL));
    return NULL;
}

TEST(many_that_start_at_once_have_one_key)
{
    for (int i = 0; i < 20; i++) {
        AUTO(folder_remove) struct folder folder = folder_make();
        struct signing_key keys[4];

        race_file = folder.file;
        run_threads(COUNT(keys), load, keys, sizeof keys[0]);
        for (size_t k = 1; k < COUNT(keys); k++)
            EXPECT_STR(keys[k].text, keys[0].text);
        EXPECT_INT(count_files(&folder), 1);
    }
}
