/* Every call that a backup or a restore makes on its disk fails, each in its turn. */
#include "db/restore.h"
#include "tests/db/kept.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"

#define ENDLESS 3000 /* neither makes so many calls */

static long long runs_in(const char *path)
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

/* One accident. Returns whether nothing was left to fail. */
static bool back_up(const struct template *template, struct fault_plan plan)
{
    struct kept_path target = kept_in(&template->folder, "backup");
    struct verify_facts facts;
    struct error err = {0};
    long long failed;
    bool ok;

    template_restore(template);
    db_forget_damage();
    fault_arm(plan);
    ok = backup_make(template->folder.file, target.text, NULL, &facts, &err);
    failed = fault_disarm();
    EXPECT(ok || failed > 0);
    if (ok) {
        EXPECT_INT(runs_in(target.text), 3);
        EXPECT_INT(files_named(&template->folder, "backup"), 1);
    } else {
        expect_disk_to_blame(&err, plan.full);
        EXPECT_INT(files_named(&template->folder, "backup"), 0);
    }
    EXPECT_INT(runs_in(template->folder.file), 3);
    return failed == 0;
}

static void a_backup_is_whole_or_not_there(void)
{
    AUTO(template_free)
    struct template template = template_make(schema_version, fill_with_runs);

    for (int kind = 0; kind < 4; kind++) {
        bool done = false;
        long long allowed = 0;

        for (; !done && allowed < ENDLESS; allowed++)
            done = back_up(&template, (struct fault_plan){.allowed = allowed,
                                                          .for_good = kind & 1,
                                                          .full = kind >= 2,
                                                          .reads = kind < 2});
        EXPECT(done);
        printf("       backup           %4lld accidents\n", allowed - 1);
    }
}

static bool restore_once(const struct template *template, const struct bytes *backup,
                         struct fault_plan plan)
{
    struct kept_path source = kept_in(&template->folder, "backup");
    struct restore_order order = {.backup = source.text,
                                  .database = template->folder.file,
                                  .replace = true,
                                  .now_us = NOON_US};
    char aside[RESTORE_NAME_MAX] = "";
    struct verify_facts facts;
    struct error err = {0};
    long long failed;
    bool ok;

    template_restore(template);
    put_content(source.text, backup->data, backup->used);
    db_forget_damage();
    fault_arm(plan);
    ok = restore_make(&order, &facts, aside, &err);
    failed = fault_disarm();
    EXPECT(ok || failed > 0);
    EXPECT(has_content(source.text, backup));
    EXPECT(!restore_is_pending(template->folder.file));
    EXPECT_INT(files_named(&template->folder, "runs.db.part"), 0);
    EXPECT_INT(runs_in(template->folder.file), ok ? 0 : 3);
    EXPECT_INT(files_named(&template->folder, "runs.db.replaced"), ok);
    if (ok)
        EXPECT_INT(runs_in(aside), 3);
    else
        expect_disk_to_blame(&err, plan.full);
    return failed == 0;
}

/* An empty one is restored over one with three runs. */
static void a_restore_happens_or_does_not(void)
{
    AUTO(template_free) struct template other = template_make(schema_version, NULL);
    AUTO(template_free)
    struct template template = template_make(schema_version, fill_with_runs);

    for (int kind = 0; kind < 4; kind++) {
        bool done = false;
        long long allowed = 0;

        for (; !done && allowed < ENDLESS; allowed++)
            done = restore_once(&template, &other.image,
                                (struct fault_plan){.allowed = allowed,
                                                    .for_good = kind & 1,
                                                    .full = kind >= 2,
                                                    .reads = kind < 2});
        EXPECT(done);
        printf("       restore          %4lld accidents\n", allowed - 1);
    }
}

int main(void)
{
    fault_vfs_install();
    RUN(a_backup_is_whole_or_not_there);
    RUN(a_restore_happens_or_does_not);
    return test_result();
}
