/* Every call that a backup or a restore makes on its disk fails, each in its turn. */
#include "db/damage.h"
#include "db/restore.h"
#include "tests/db/kept.h"
#include "tests/faults/accidents.h"
#include "tests/faults/template.h"

/* -1 where the database is not whole. */
static long long whole_runs_in(const char *path)
{
    AUTO(db_freep) struct db *db = verify_open(path, NULL);
    struct verify_facts facts = {0};
    struct error err = {0};

    if (!db || !verify_database(db, NULL, &facts, &err))
        return -1;
    return facts.runs;
}

static void expect_disk_to_blame(const struct error *err, bool full)
{
    EXPECT(failed_by_the_disk(err));
    EXPECT(!full || err->kind == ERROR_STORAGE || err->kind == ERROR_INTERNAL);
    EXPECT(err->message[0] != '\0');
}

static bool back_up(const void *subject, struct fault_plan plan)
{
    const struct template *template = subject;
    struct kept_path target = kept_in(&template->folder, "backup");
    struct verify_facts facts;
    struct error err = {0};

    template_restore(template);
    db_forget_damage();
    fault_arm(plan);
    bool ok = backup_make(template->folder.file, target.text, NULL, &facts, &err);
    long long failed = fault_disarm();
    EXPECT(ok || failed > 0);
    if (ok) {
        EXPECT_INT(whole_runs_in(target.text), 3);
        EXPECT_INT(files_named(&template->folder, "backup"), 1);
    } else {
        expect_disk_to_blame(&err, plan.full);
        EXPECT_INT(files_named(&template->folder, "backup"), 0);
    }
    EXPECT_INT(whole_runs_in(template->folder.file), 3);
    return failed == 0;
}

TEST(a_backup_is_whole_or_not_there)
{
    AUTO(template_free)
    struct template template = template_make(fill_with_runs);

    survive_accidents("backup", back_up, &template);
}

struct restoring {
    struct template template;
    struct bytes backup;
};

static bool restore_once(const void *subject, struct fault_plan plan)
{
    const struct template *template = &((const struct restoring *)subject)->template;
    const struct bytes *backup = &((const struct restoring *)subject)->backup;
    struct kept_path source = kept_in(&template->folder, "backup");
    struct restore_order order = {.backup = source.text,
                                  .database = template->folder.file,
                                  .replace = true,
                                  .now_us = NOON_US};
    char aside[RESTORE_NAME_MAX] = "";
    struct verify_facts facts;
    struct error err = {0};

    template_restore(template);
    put_content(source.text, backup->data, backup->used);
    db_forget_damage();
    fault_arm(plan);
    bool ok = restore_make(&order, &facts, aside, &err);
    long long failed = fault_disarm();
    EXPECT(ok || failed > 0);
    EXPECT(has_content(source.text, backup));
    EXPECT(!restore_is_pending(template->folder.file));
    EXPECT_INT(files_named(&template->folder, "runs.db.part"), 0);
    EXPECT_INT(whole_runs_in(template->folder.file), ok ? 0 : 3);
    EXPECT_INT(files_named(&template->folder, "runs.db.replaced"), ok);
    if (ok)
        EXPECT_INT(whole_runs_in(aside), 3);
    else
        expect_disk_to_blame(&err, plan.full);
    return failed == 0;
}

/* An empty one is restored over one with three runs. */
TEST(a_restore_happens_or_does_not)
{
    AUTO(template_free) struct template other = template_make(NULL);
    AUTO(template_free)
    struct template template = template_make(fill_with_runs);
    const struct restoring restoring = {template, other.image};

    survive_accidents("restore", restore_once, &restoring);
}
