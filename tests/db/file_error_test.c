#include "db/file_error.h"

#include "tests/db/database.h"

#include <errno.h>

#define ANOTHER 12345 /* a user that owns nothing here */

TEST_IN_FOLDER(a_refused_path_names_the_folder_its_owner_and_what_helps)
{
    struct error err = {0};
    char path[400], wanted[1200];

    snprintf(path, sizeof path, "%s/state/runs.db", folder->path);
    EXPECT(!file_error_set(&err, ERROR_INVALID, "--database", "make", path, EACCES));
    snprintf(wanted, sizeof wanted,
             "cannot make %s: Permission denied: user %u may not write to %s of user %u: "
             "run as user %u, chown it to %u, or choose another --database",
             path, geteuid(), folder->path, geteuid(), geteuid(), geteuid());
    EXPECT_HAS(err, (kind, ERROR_INVALID), (field, "--database"), (message, wanted));
}

TEST_IN_FOLDER(an_unreadable_folder_is_named_in_the_error)
{
    struct error err = {0};
    char wanted[500];

    if (geteuid() != 0)
        return; /* only root can become another user */
    fclose(fopen(folder->file, "we"));
    EXPECT(seteuid(ANOTHER) == 0);
    EXPECT(!file_error_set(&err, ERROR_INTERNAL, NULL, "open", folder->file, EACCES));
    EXPECT(seteuid(0) == 0);
    snprintf(wanted, sizeof wanted, "user %d may not write to %s of user 0: run as user 0",
             ANOTHER, folder->path);
    EXPECT_PART(err.message, wanted);
}

TEST(on_a_read_only_file_system_a_volume_helps)
{
    EXPECT_MESSAGE(
        file_error_set(&err, ERROR_INVALID, "--database", "make", "/data/state", EROFS),
        "cannot make /data/state: Read-only file system: mount a volume "
        "there, or choose another --database");
}

TEST(another_reason_is_said_as_it_is)
{
    EXPECT_MESSAGE(file_error_set(&err, ERROR_INVALID, NULL, "open", "/a/b", ENOTDIR),
                   "cannot open /a/b: Not a directory");
    EXPECT_MESSAGE(file_error_set(&err, ERROR_INVALID, NULL, "open", "relative", EACCES),
                   "cannot open relative: Permission denied");
}
