/* Tested by tests/api/test_measuring.py and test_load.py. */
#include "server/http/json/present_evidence.h"

#include "db/runs/machines.h"
#include "engine/machine/machine.h"
#include "engine/stats/load_advice.h"
#include "engine/stats/summary_text.h"
#include "engine/trace/evidence.h"
#include "server/http/json/present_run.h"

/* A counter that was not visible is -1. */
static const struct member observation_rows[] = {
    {MEMBER(struct observation, steps), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Steps finished."},
    {MEMBER_SECONDS_AT(struct observation, "seconds", taken_ns), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Seconds since the engine's start."},
    {MEMBER(struct observation, cpu_ticks), .nullable = true, .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct observation, steal_ticks), .nullable = true, .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct observation, throttled_periods), .nullable = true,
     .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct observation, "throttled_microseconds", throttled_us), .nullable = true,
     .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct observation, involuntary_switches), .nullable = true,
     .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct observation, "waited_nanoseconds", waited_ns), .nullable = true,
     .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Time that all threads together were ready to run without a processor."},
    {MEMBER_AS(struct observation, "cpu_nanoseconds", own_cpu_ns), .nullable = true,
     .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct observation, major_faults), .nullable = true, .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct observation, "pages_swapped_in", swap_ins), .nullable = true,
     .range = MEMBER_NOT_NEGATIVE, .meaning = "Pages swapped in on the whole machine."},
    {0},
};
static const struct members observation_members = {
    .name = "Observation",
    .meaning = "Counters that only grow; null where the kernel hides one.",
    .rows = observation_rows};

static const struct member canary_rows[] = {
    {MEMBER(struct canary_reading, steps), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct canary_reading, "hertz", canary.hertz), .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct canary_reading, "copy_bytes_per_second", canary.copy_bytes_per_second),
     .range = MEMBER_POSITIVE},
    {0},
};
static const struct members canary_members = {
    .name = "Canary",
    .meaning = "A piece of work of known cost, done between steps.",
    .rows = canary_rows};

MEMBER_LISTS(write_observations, struct evidence_view, it, it->evidence->observations,
             it->evidence->observation_count)

MEMBER_LISTS(write_canaries, struct evidence_view, it, it->evidence->readings,
             it->evidence->reading_count)

static const struct member evidence_rows[] = {
    {MEMBER_LIST_OF("observations", &observation_members), .write = write_observations},
    {MEMBER_LIST_OF("canaries", &canary_members), .write = write_canaries},
    {MEMBER(struct evidence_view, thinned), .meaning = "Whether most observations were dropped."},
    {0},
};
const struct members evidence_members = {.name = "Evidence", .rows = evidence_rows};

static void write_evidence_validity(struct json_writer *out, const struct member *row,
                                    const void *object)
{
    const struct judgement *judgement = object;

    (void)row;
    present_judgement(out, judgement->validity, judgement->findings, judgement->load);
}

static const struct member judgement_rows[] = {
    {MEMBER_JSON_AT(struct judgement, "summary", summary), .members = &summary_members,
     .nullable = true},
    {MEMBER_WRITTEN("validity", MEMBER_OBJECT, write_evidence_validity),
     .members = &validity_members, .nullable = true},
    {0},
};
static const struct members judgement_members = {.name = "Judgement", .rows = judgement_rows};

static const struct member recomputed_rows[] = {
    {MEMBER_AS(struct recomputed, "identical", is_identical),
     .meaning = "Whether both are equal to the last digit."},
    {MEMBER_OBJECT_AT(struct recomputed, "stored", stored), .members = &judgement_members},
    {MEMBER_OBJECT_AT(struct recomputed, "recomputed", recomputed),
     .members = &judgement_members},
    {0},
};
const struct members recomputed_members = {.name = "Recomputed", .rows = recomputed_rows};

#define HASH "^[0-9a-f]{16}$"

static const struct member machine_rows[] = {
    {MEMBER(struct machine_row, fingerprint), .pattern = HASH},
    {MEMBER(struct machine_row, stratum), .pattern = HASH,
     .meaning = "A hash of the hardware alone; equal for machines whose runs may be compared."},
    {MEMBER_TIME_AT(struct machine_row, "first_seen_at", seen_us)},
    {MEMBER_JSON_AT(struct machine_row, "facts", facts), .members = &facts_members},
    {0},
};
const struct members machine_members = {
    .name = "Machine",
    .meaning = "One state of a machine; another kernel or another pennyworth makes another.",
    .rows = machine_rows};

#define PERCENT .range = MEMBER_NOT_NEGATIVE, .schema = "{\"maximum\": 100}"

static const struct member user_rows[] = {
    {MEMBER(struct load_user, name), .schema = "{\"maxLength\": 15}",
     .meaning = "As the kernel has it, cut at 15 bytes."},
    {MEMBER(struct load_user, percent), PERCENT},
    {0},
};
static const struct members user_members = {.rows = user_rows};

/* The load of the processors, and advice. */
struct load_view {
    struct load load;
    struct load_opinion opinion;
};

MEMBER_LISTS(write_processes, struct load_view, it, it->load.users, it->load.count)

static const struct member load_rows[] = {
    {MEMBER_AS(struct load_view, "busy_percent", load.busy_percent), PERCENT,
     .meaning = "Processor use of other processes."},
    {MEMBER_AS(struct load_view, "hidden_percent", load.hidden_percent), PERCENT,
     .meaning = "Part of it, by processes that are not visible here: of other users where "
                "/proc hides them, or outside this container."},
    {MEMBER_LIST_OF("processes", &user_members), .most = LOAD_USERS_MAX, .write = write_processes,
     .meaning = "The largest of at least one percent; processes of one name are added up."},
    {MEMBER_AS(struct load_view, "advice", opinion.advice), .words = load_advice_names,
     .meaning = "`fewer_threads`: others take whole processors, and a run of `threads` leaves "
                "them theirs. `wait`: a run would be invalid."},
    {MEMBER_AS(struct load_view, "threads", opinion.threads), .nullable = true,
     .range = MEMBER_POSITIVE, .meaning = "With `fewer_threads`, else null."},
    {MEMBER_AS(struct load_view, "words", opinion.words), .filled = true,
     .meaning = "The same in a sentence."},
    {0},
};
const struct members load_members = {
    .name = "Load",
    .meaning =
        "Who uses the processors. Percents are of all processors that this process may use.",
    .rows = load_rows};

void present_load(struct json_writer *out, const char *key, const struct load *load, int threads)
{
    struct load_view view = {.load = *load};

    load_advise(load, threads, &view.opinion);
    members_write(out, key, &load_members, &view);
}
