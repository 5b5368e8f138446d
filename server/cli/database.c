/* Tested by tests/api/test_backup.py. */
#include "server/cli/database.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/damage.h"
#include "db/db_lock.h"
#include "db/restore.h"
#include "db/schema.h"
#include "server/cli/process.h"
#include "server/runs/recheck.h"

#include <signal.h>
#include <stdatomic.h>

/* A task whose progress a terminal shows. */
struct task {
    const char *doing;
    long long began_ns, printed_ns;
    bool loud; /* stderr is a terminal */
};

/* Set by the signal handler; the progress callback reads it. There is one thread. */
static atomic_bool stopped;
static struct db *_Atomic looked_at;

static void database_stop(int number)
{
    struct db *db = atomic_load(&looked_at);

    (void)number;
    atomic_store(&stopped, true);
    if (db)
        db_interrupt(db);
}

static void database_looks(void *user, struct db *db)
{
    (void)user;
    atomic_store(&looked_at, db);
    if (db && atomic_load(&stopped))
        db_interrupt(db);
}

/* Keeps ignoring a signal that the parent ignores, as nohup does. */
static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = database_stop, .sa_flags = SA_RESTART}, before;
    sigset_t signals;

    process_block_signals(&signals);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&signals, number) == 1 && sigaction(number, NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN)
            sigaction(number, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

static void task_begin(struct task *task, const char *doing)
{
    *task = (struct task){
        .doing = doing, .began_ns = clock_monotonic_ns(), .loud = isatty(STDERR_FILENO) == 1};
    handle_signals();
}

static bool go_on(void *user, long long done, long long total)
{
    struct task *task = user;
    long long now_ns = clock_monotonic_ns();

    if (task->loud && total > 0 && now_ns - task->printed_ns > NS_PER_SECOND / 4) {
        if (done < total)
            fprintf(stderr, "\r%s %3lld%%  ", task->doing, 100 * done / total);
        else
            fprintf(stderr, "\r%s checked  ", task->doing);
        task->printed_ns = now_ns;
    }
    return !atomic_load(&stopped);
}

static double task_end(struct task *task)
{
    if (task->loud && task->printed_ns > 0)
        fputc('\n', stderr);
    return (double)(clock_monotonic_ns() - task->began_ns) / 1e9;
}

static void print_facts(const char *what, const struct verify_facts *facts, double seconds)
{
    printf("%s: %lld bytes, %lld runs, schema %lld, %.1f s\n", what, facts->bytes, facts->runs,
           facts->version, seconds);
}

/* The operand must be a file name; refuses "-", which would suggest a stream. */
static bool is_a_name(const char *name, struct error *err)
{
    return strcmp(name, "-") != 0 ||
           error_set(err, ERROR_INVALID, "FILE",
                     "must be the name of a file: standard input and output cannot be one");
}

int backup_command(const struct config *config)
{
    const char *target = config->operands[0];
    struct verify_facts facts;
    struct error err = {0};
    struct task task;
    double seconds;
    bool ok;

    task_begin(&task, "copied");
    ok = is_a_name(target, &err) && restore_is_settled(config->database, &err) &&
         backup_make(config->database, target,
                     &(struct backup_watch){go_on, database_looks, &task}, &facts, &err);
    seconds = task_end(&task);
    if (!ok)
        return command_failed(&err);
    print_facts(target, &facts, seconds);
    return 0;
}

static bool database_restore(const struct config *config, struct task *task,
                             struct verify_facts *ret_facts, char ret_aside[RESTORE_NAME_MAX],
                             struct error *err)
{
    const struct backup_watch watch = {go_on, database_looks, task};
    const struct restore_order order = {.backup = config->operands[0],
                                        .database = config->database,
                                        .replace = strcmp(config->replace, "on") == 0,
                                        .now_us = clock_calendar_us(),
                                        .watch = &watch};
    AUTO(db_unlockp) struct db_lock *lock = NULL;
    struct error why = {0};

    if (!is_a_name(config->operands[0], err) || !process_make_folders(config->database, err))
        return false;
    lock = db_lock(config->database, &why);
    if (!lock)
        return error_set(err, why.kind, NULL, "%s%s", why.message,
                         why.kind == ERROR_BUSY ? ": stop it first" : "");
    return restore_make(&order, ret_facts, ret_aside, err);
}

int restore_command(const struct config *config)
{
    char aside[RESTORE_NAME_MAX];
    struct verify_facts facts;
    struct error err = {0};
    struct task task;
    double seconds;
    bool ok;

    task_begin(&task, "copied");
    ok = database_restore(config, &task, &facts, aside, &err);
    seconds = task_end(&task);
    if (!ok)
        return command_failed(&err);
    print_facts(config->database, &facts, seconds);
    if (*aside)
        printf("the database before it is now %s\n", aside);
    return 0;
}

/* Prints the damage and the way to recover. */
static int tell_damage(const char *database, const struct error *why)
{
    fprintf(stderr,
            "pennyworth: %s cannot be relied on: %s\n"
            "Stop the server and put the last backup in its place:\n"
            "    pennyworth restore FILE --replace on\n"
            "which keeps what is there under another name.\n",
            database, why->message);
    return 1;
}

static bool goes_on(void)
{
    return !atomic_load(&stopped);
}

#define NAMED_MAX 50 /* altered runs; the rest are counted */

static void name_altered(void *user, const char *id, const char *what)
{
    long long *named = user;

    if (++*named <= NAMED_MAX)
        fprintf(stderr, "run %s was altered: %s\n", id, what);
}

/* Names the runs that were altered. */
static bool database_recheck(struct db *db, const struct recheck_order *order,
                             struct recheck_counts *ret_counts, struct error *err)
{
    char sample[80] = "";

    if (!recheck_runs(db, order, ret_counts, err))
        return false;
    if (ret_counts->altered > NAMED_MAX)
        fprintf(stderr, "and %lld more\n", ret_counts->altered - NAMED_MAX);
    if (order->sample > 0)
        snprintf(sample, sizeof sample, ", of %lld (--sample %lld --seed %llu)", ret_counts->runs,
                 order->sample, (unsigned long long)order->seed);
    return ret_counts->altered == 0 ||
           error_set(err, ERROR_DAMAGED, NULL, "%lld of %lld runs were altered%s",
                     ret_counts->altered, ret_counts->looked, sample);
}

static void print_counts(const struct recheck_order *order, const struct recheck_counts *counts)
{
    if (order->sample > 0)
        printf("a sample of %lld of %lld runs, with --seed %llu\n", counts->looked, counts->runs,
               (unsigned long long)order->seed);
    printf("%lld checksums hold, %lld summaries and verdicts follow from their steps\n",
           counts->looked, counts->drawn);
}

int check_command(const struct config *config)
{
    AUTO(db_freep) struct db *db = NULL;
    long long named = 0;
    const struct recheck_order order = {
        .sample = config->sample,
        .seed = (uint64_t)(config->seed > 0 ? config->seed : clock_calendar_us()),
        .go_on = goes_on,
        .tell = name_altered,
        .user = &named};
    struct recheck_counts counts;
    struct verify_facts facts;
    struct error err = {0};
    struct task task;
    bool ok, current;

    task_begin(&task, "checked");
    if (!restore_is_settled(config->database, &err))
        return command_failed(&err);
    db = verify_open(config->database, &err);
    if (!db)
        return command_failed(&err);
    /* A file of another program or of a newer version is not damaged. */
    if (!schema_check(db, &schema_today, &err) && !db_is_damaged())
        return command_failed(&err);
    error_clear(&err);
    ok = verify_database(db, &(struct verify_watch){database_looks, NULL}, &facts, &err);
    current = ok && facts.version == schema_today.version; /* else no run can be read */
    if (!ok || (current && !database_recheck(db, &order, &counts, &err)))
        return err.kind == ERROR_CONFLICT ? command_failed(&err)
                                          : tell_damage(config->database, &err);
    print_facts(config->database, &facts, task_end(&task));
    if (current)
        print_counts(&order, &counts);
    else
        printf("runs were not looked at: a server upgrades the database first\n");
    printf("ok\n");
    return 0;
}
