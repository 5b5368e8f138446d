/* Every allocation of a backup and of a restore fails, each in its turn. */
#include "tests/faults/shortages.h"

#include "db/restore.h"
#include "tests/db/kept.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"

static struct template database;
static struct bytes backup;

static bool back_up(struct error *err)
{
    struct kept_path target = kept_in(&database.folder, "backup");
    struct verify_facts facts;

    template_restore(&database);
    ration_start();
    bool ok = backup_make(database.folder.file, target.text, NULL, &facts, err);
    ration_stop();
    EXPECT_INT(files_named(&database.folder, "backup"), ok);
    EXPECT(!ok || facts.runs == 3);
    return ok;
}

static bool restore(struct error *err)
{
    struct kept_path source = kept_in(&database.folder, "backup");
    struct restore_order order = {.backup = source.text,
                                  .database = database.folder.file,
                                  .replace = true,
                                  .now_us = NOON_US};
    char aside[RESTORE_NAME_MAX] = "";
    struct verify_facts facts;

    template_restore(&database);
    put_content(source.text, backup.data, backup.used);
    ration_start();
    bool ok = restore_make(&order, &facts, aside, err);
    ration_stop();
    EXPECT(!restore_is_pending(database.folder.file));
    EXPECT_INT(files_named(&database.folder, "runs.db.replaced"), ok);
    EXPECT_INT(files_named(&database.folder, "runs.db.part"), 0);
    EXPECT(has_content(source.text, &backup));
    EXPECT(!ok || facts.runs == 3);
    return ok;
}

static bool look_before_use(struct error *err)
{
    template_restore(&database);
    ration_start();
    bool ok = verify_before_use(database.folder.file, err);
    ration_stop();
    EXPECT(!db_is_damaged());
    return ok;
}

static void backups_survive_every_shortage(void)
{
    struct kept_path target;
    struct verify_facts facts;

    database = template_make(schema_version, fill_with_runs);
    target = kept_in(&database.folder, "backup");
    EXPECT(backup_make(database.folder.file, target.text, NULL, &facts, NULL));
    backup = content_of(target.text);
    survive_shortages("backup", back_up, 3);
    survive_shortages("restore", restore, 3);
    survive_shortages("look", look_before_use, 3);
    bytes_free(&backup);
    template_free(&database);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    RUN(backups_survive_every_shortage);
    return test_result();
}
