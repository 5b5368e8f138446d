#include "engine/stats/validity.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/rows/members.h"
#include "common/text.h"
#include "engine/machine/instance_kind.h"
#include "engine/stats/disturbance.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Percent around the median canary. Steps have as much in their own noise: on an idle machine
 * that shares its memory with other tenants the copy moved by 14 % mostly and by 31 % at worst
 * (150 canaries); the clock stayed within 6 %. What moved by more widens the interval. */
#define CLOCK_WARN 5.0
#define COPY_WARN 30.0
#define COSINE_MIN 0.99
#define WORST_LAYER_MIN 0.9 /* bf16 done right is above 0.95, a wrong layer around 0 */
#define SWITCHES_RISE 2.0   /* second half of the measured steps against the first */
#define SWITCHES_MIN 20.0   /* a second, below which a rise is noise */
#define LOSS_STEPS_MIN 20   /* fewer say nothing of learning */

static void add_finding(struct verdict *verdict, const char *code, enum validity level,
                        double value, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void add_finding(struct verdict *verdict, const char *code, enum validity level,
                        double value, const char *format, ...)
{
    struct finding *finding;
    va_list arguments;

    assert(verdict->count < FINDINGS_MAX); /* each check has its place */
    finding = &verdict->findings[verdict->count++];
    finding->code = code;
    finding->level = level;
    finding->value = value;
    va_start(arguments, format);
    vsnprintf(finding->words, sizeof finding->words, format, arguments);
    va_end(arguments);
    text_make_line(finding->words, strlen(finding->words)); /* a name may have been cut */
    if (level > verdict->level)
        verdict->level = level;
}

static enum validity validity_grade(double value, double warn, double invalid)
{
    if (value > invalid)
        return VALIDITY_INVALID;
    return value > warn ? VALIDITY_WARN : VALIDITY_OK;
}

/* Half of what the interval leaves open, as a share; 0 where there is no interval. */
static double validity_allowance(const struct summary *summary)
{
    return summary->half_width_percent / 200;
}

/* Of a share of the time that was lost. */
static enum validity grade_share(double share, const struct summary *summary)
{
    return validity_grade(share, fmax(SHARE_WARN, validity_allowance(summary)), GONE_MAX);
}

/* Stalls that the interval already leaves room for change no conclusion. */
static void judge_skew(const struct summary *summary, struct verdict *verdict)
{
    double mean = summary->measured_seconds / (double)summary->measured_steps;
    double off = 100 * fabs(mean / summary->median_step_seconds - 1);

    add_finding(
        verdict, "skewed", off <= 100 * validity_allowance(summary) ? VALIDITY_OK : VALIDITY_WARN,
        summary->outlier_time_share * 100,
        "stalls: the mean step is %.1f %% off the median; outliers took %.1f %% of the time", off,
        summary->outlier_time_share * 100);
}

/* Whether what others took, where they took most, makes as much of a difference as the steps
 * show. Then the interval has room for it: it is wider by the drift, and by what they took. */
static bool is_explained(const struct summary *summary, const struct disturbance *disturbance)
{
    return fabs(summary->change_percent) <=
           100 * (disturbance_factor(disturbance->worst) - 1) + summary->half_width_percent;
}

/* From the shape of the trace. */
static void judge_trace(const struct validity_inputs *validity_inputs,
                        const struct disturbance *disturbance, struct verdict *verdict)
{
    const struct summary *summary = validity_inputs->summary;
    bool detected = validity_inputs->spec->warmup_steps == FIELD_IS_AUTO;

    double percent = fabs(summary->change_percent);
    const char *way = summary->change_percent > 0 ? "slower" : "quicker";

    if (!summary->steady && percent == 0)
        add_finding(verdict, "steady_state", detected ? VALIDITY_INVALID : VALIDITY_WARN, NAN,
                    "too few steps to tell whether they were steady");
    else if (!summary->steady && is_explained(summary, disturbance))
        add_finding(verdict, "steady_state", VALIDITY_WARN, summary->change_percent,
                    "later steps were %.1f %% %s, which what others took of the machine explains",
                    percent, way);
    else if (!summary->steady)
        add_finding(verdict, "steady_state", detected ? VALIDITY_INVALID : VALIDITY_WARN,
                    summary->change_percent,
                    "the steps reached no steady state: later ones were %.1f %% %s", percent,
                    way);
    else if (summary->trace == TRACE_SLOW_DOWN)
        add_finding(verdict, "steady_state", VALIDITY_WARN, summary->change_percent,
                    "the steps became %.1f %% slower while they were measured", percent);
    else
        add_finding(verdict, "steady_state", VALIDITY_OK, NAN, "the measured steps are steady");
    if (!summary->throughput.known && summary->measured_steps < INTERVAL_STEPS_MIN)
        add_finding(verdict, "interval", VALIDITY_WARN, (double)summary->measured_steps,
                    "%lld measured steps are too few for an interval: it takes %d",
                    summary->measured_steps, INTERVAL_STEPS_MIN);
    else if (!summary->throughput.known)
        add_finding(verdict, "interval", VALIDITY_WARN, (double)summary->measured_steps,
                    "the %lld measured steps differ so much that their interval would reach 0",
                    summary->measured_steps);
    if (summary->skewed)
        judge_skew(summary, verdict);
}

/* What happened to the run, and how much of the time it took at most. */
static void add_loss(const char *code, double share, const char *what,
                     const struct summary *summary, struct verdict *verdict)
{
    add_finding(verdict, code, grade_share(share, summary), 100 * share,
                "%s: steps waited for up to %.1f %% of the time", what, 100 * share);
}

static void judge_processors(const struct disturbance *disturbance, const struct summary *summary,
                             struct verdict *verdict)
{
    if (isnan(disturbance->stolen))
        add_finding(verdict, "steal", VALIDITY_UNKNOWN, NAN,
                    "time taken by the hypervisor: not visible, or too short a time");
    else
        add_loss("steal", disturbance->stolen, "the hypervisor took the processors", summary,
                 verdict);
    if (isnan(disturbance->waited))
        add_finding(verdict, "contention", VALIDITY_UNKNOWN, NAN,
                    "waiting for a processor: not visible, or too short a time");
    else
        add_loss("contention", disturbance->waited, "others used the processors", summary,
                 verdict);
    /* What a switch costs is the wait after it: where that is known and little, the rise is said
     * and no warning. */
    if (disturbance->switches_second > SWITCHES_MIN &&
        disturbance->switches_second > SWITCHES_RISE * disturbance->switches_first)
        add_finding(
            verdict, "involuntary_switches",
            isnan(disturbance->waited) || grade_share(disturbance->waited, summary) > VALIDITY_OK
                ? VALIDITY_WARN
                : VALIDITY_OK,
            disturbance->switches_second,
            "threads were pushed off a processor %.0f times a second, after %.0f at first",
            disturbance->switches_second, disturbance->switches_first);
}

static void judge_throttling(const struct disturbance *disturbance, const struct summary *summary,
                             struct verdict *verdict)
{
    double periods = disturbance->throttled_periods, percent = 100 * disturbance->throttled;

    if (isnan(periods))
        add_finding(verdict, "throttled", VALIDITY_UNKNOWN, NAN,
                    "throttling by a quota: not visible");
    else if (!(periods > 0))
        add_finding(verdict, "throttled", VALIDITY_OK, 0, "not throttled by a quota");
    else if (isnan(percent))
        add_finding(
            verdict, "throttled", VALIDITY_WARN, NAN,
            "the control group's quota stopped it in %.0f periods: for how long is not visible",
            periods);
    else
        add_finding(
            verdict, "throttled", grade_share(disturbance->throttled, summary), percent,
            "the control group's quota stopped it in %.0f periods, for up to %.3g %% of the time",
            periods, percent);
}

static void judge_memory(const struct disturbance *disturbance, const struct summary *summary,
                         struct verdict *verdict)
{
    enum validity level = grade_share(disturbance->paged, summary);
    double percent = 100 * disturbance->paged;

    if (disturbance->swap_ins > 0)
        add_finding(verdict, "swap", level, disturbance->swap_ins,
                    "%.0f pages were swapped in; with all disk reads about %.2g %% of the time",
                    disturbance->swap_ins, percent);
    else if (disturbance->major_faults > 0)
        add_finding(verdict, "major_faults", level, disturbance->major_faults,
                    "%.0f page faults waited for a disk, about %.2g %% of the time",
                    disturbance->major_faults, percent);
    else if (isnan(disturbance->swap_ins) || isnan(disturbance->major_faults))
        add_finding(verdict, "swap", VALIDITY_UNKNOWN, NAN, "swapping: not visible");
    else
        add_finding(verdict, "swap", VALIDITY_OK, 0,
                    "nothing was swapped, no fault waited for a disk");
}

/* The canary tells how the machine's speed moved: its clock, or its memory. */
static void judge_canary(const char *code, const char *what, double drift, double warn,
                         struct verdict *verdict)
{
    if (isnan(drift))
        add_finding(verdict, code, VALIDITY_UNKNOWN, NAN, "%s: the engine did not watch it",
                    what);
    else
        add_finding(verdict, code, validity_grade(drift, warn, INFINITY), drift,
                    "%s moved by %.1f %% between the canaries around the steps", what, drift);
}

/* Everything that others did to the run, as one factor. */
static void judge_disturbance(const struct disturbance *disturbance,
                              const struct summary *summary, double memory_share,
                              struct verdict *verdict)
{
    double faster =
        disturbance_factor(disturbance->stolen) * disturbance_factor(disturbance->throttled) *
        disturbance_factor(disturbance->waited) * disturbance_factor(disturbance->paged);
    enum validity level;

    verdict->idle_speed = faster;
    if (disturbance->clock_drift_percent > CLOCK_WARN)
        faster *= disturbance->clock_gain;
    if (disturbance->copy_drift_percent > COPY_WARN)
        faster *= 1 + memory_share * (disturbance->copy_gain - 1);
    verdict->idle_speed_max = faster;
    level = grade_share(1 - 1 / faster, summary);
    add_finding(verdict, "disturbance", level, 100 * (faster - 1),
                "undisturbed, this machine is up to %.1f %% faster: %s", 100 * (faster - 1),
                level == VALIDITY_INVALID ? "too much for a number of it"
                                          : "the interval reaches so far");
}

/* True when a name among the implementations holds the word. */
static bool names_hold(const char *implementations, const char *word)
{
    return implementations && strstr(implementations, word) != NULL;
}

static bool may_use_amx(const struct validity_inputs *validity_inputs)
{
    return strcmp(validity_inputs->machine_isa, "amx") == 0 &&
           strcmp(validity_inputs->spec->precision, "bf16") == 0 &&
           (strcmp(validity_inputs->spec->isa, "auto") == 0 ||
            strcmp(validity_inputs->spec->isa, "amx") == 0);
}

/* Whether the work was done as it seems. */
static void judge_implementations(const struct validity_inputs *validity_inputs,
                                  struct verdict *verdict)
{
    const char *names = validity_inputs->implementations;

    if (!names)
        add_finding(verdict, "implementations", VALIDITY_UNKNOWN, NAN,
                    "the engine does not tell which implementations it used");
    else if (names_hold(names, "\"ref") || names_hold(names, "simple_ref"))
        add_finding(verdict, "implementations", VALIDITY_WARN, NAN,
                    "a reference implementation did part of the work");
    else
        add_finding(verdict, "implementations", VALIDITY_OK, NAN,
                    "no reference implementation was used");
    if (names && may_use_amx(validity_inputs))
        add_finding(verdict, "amx", names_hold(names, "amx") ? VALIDITY_OK : VALIDITY_INVALID,
                    NAN,
                    names_hold(names, "amx") ? "AMX was used"
                                             : "the processor has AMX, and bf16 did not use it");
    if (validity_inputs->emulated == ANSWER_YES)
        add_finding(verdict, "emulated", VALIDITY_WARN, NAN,
                    "%s is not native to this processor: it was computed in another precision",
                    validity_inputs->spec->precision);
}

static void judge_gradient(const struct validity_inputs *validity_inputs, struct verdict *verdict)
{
    const struct certified *certified = &validity_inputs->certified;
    const char *precision = validity_inputs->spec->precision;

    if (!certified->whole_known)
        add_finding(verdict, "gradient", VALIDITY_UNKNOWN, NAN,
                    "the gradient was not compared with the f32 gradient");
    else
        add_finding(verdict, "gradient",
                    certified->whole < COSINE_MIN ? VALIDITY_INVALID : VALIDITY_OK,
                    certified->whole, "cosine of the gradient in %s against f32: %.4f", precision,
                    certified->whole);
    if (certified->worst_known)
        add_finding(
            verdict, "worst_layer",
            certified->worst < WORST_LAYER_MIN ? VALIDITY_INVALID : VALIDITY_OK, certified->worst,
            "cosine of the gradient of the layer that is farthest off: %.4f", certified->worst);
}

/* Whether it was training at all. */
static void judge_numerics(const struct validity_inputs *validity_inputs, struct verdict *verdict)
{
    const struct summary *summary = validity_inputs->summary;

    if (summary->steps < LOSS_STEPS_MIN)
        add_finding(verdict, "loss", VALIDITY_UNKNOWN, NAN, "too few steps to see the loss fall");
    else
        add_finding(verdict, "loss",
                    summary->last_loss < summary->first_loss ? VALIDITY_OK : VALIDITY_INVALID,
                    summary->last_loss,
                    "the loss %s: %.4g in the first fifth of the steps, %.4g in the last",
                    summary->last_loss < summary->first_loss ? "fell" : "did not fall",
                    summary->first_loss, summary->last_loss);
    if (strcmp(validity_inputs->spec->precision, "f32") != 0)
        judge_gradient(validity_inputs, verdict);
}

void validity_judge(const struct validity_inputs *validity_inputs, struct verdict *ret_verdict)
{
    const struct summary *summary = validity_inputs->summary;
    struct disturbance disturbance;
    struct verdict verdict = {.level = VALIDITY_OK};

    disturbance_of(validity_inputs->evidence, summary, &disturbance);
    judge_trace(validity_inputs, &disturbance, &verdict);
    judge_processors(&disturbance, summary, &verdict);
    judge_throttling(&disturbance, summary, &verdict);
    judge_memory(&disturbance, summary, &verdict);
    judge_canary("clock", "the effective clock", disturbance.clock_drift_percent, CLOCK_WARN,
                 &verdict);
    judge_canary("bandwidth", "the speed of copying", disturbance.copy_drift_percent, COPY_WARN,
                 &verdict);
    judge_disturbance(&disturbance, summary, validity_inputs->memory_share, &verdict);
    judge_implementations(validity_inputs, &verdict);
    judge_numerics(validity_inputs, &verdict);
    if (instance_is_burstable(validity_inputs->instance))
        add_finding(&verdict, "burstable", VALIDITY_WARN, NAN,
                    "%.32s is a burstable type: its speed depends on credits",
                    validity_inputs->instance);
    *ret_verdict = verdict;
}

const char *const validity_names[] = {[VALIDITY_UNKNOWN] = "unknown",
                                      [VALIDITY_OK] = "ok",
                                      [VALIDITY_WARN] = "warn",
                                      [VALIDITY_INVALID] = "invalid",
                                      NULL};

const char *validity_name(enum validity level)
{
    return validity_names[level];
}

enum validity validity_from_name(const char *name)
{
    for (int level = VALIDITY_OK; level <= VALIDITY_INVALID; level++)
        if (strcmp(validity_names[level], name) == 0)
            return (enum validity)level;
    return VALIDITY_UNKNOWN;
}

static const struct member validity_rows[] = {
    {MEMBER(struct finding, code), .pattern = "^[a-z_]{3,30}$",
     .meaning = "The subject of the finding."},
    {MEMBER(struct finding, level), .words = validity_names},
    {MEMBER(struct finding, value), .nullable = true,
     .meaning = "In the unit that `words` uses."},
    {MEMBER(struct finding, words), .filled = true, .schema = "{\"maxLength\": 400}",
     .meaning = "Of `contention` and `disturbance` that warn or refuse also who used the "
                "processors when the run began: on the machine that measured it alone."},
    {0},
};
const struct members finding_members = {.name = "Finding", .rows = validity_rows};

char *verdict_to_text(const struct verdict *verdict)
{
    struct bytes text = {.limit = 64 * 1024};
    struct json_writer out = {.bytes = &text, .stored = true};

    members_write_list(&out, NULL, &finding_members, verdict->findings, verdict->count,
                       sizeof *verdict->findings);
    return text.data;
}

char *findings_words(const char *findings, enum validity level, size_t most)
{
    AUTO(json_decrefp) json_t *list = findings ? json_loads(findings, 0, NULL) : NULL;
    struct bytes text = {.limit = 64 * 1024};
    const json_t *finding;
    size_t i;

    json_array_foreach(list, i, finding)
    {
        const char *of = json_string_value(json_object_get(finding, "level"));
        const char *words = json_string_value(json_object_get(finding, "words"));

        if (most > 0 && of && words && strcmp(of, validity_name(level)) == 0 &&
            bytes_printf(&text, "%s%s", text.used > 0 ? "; " : "", words))
            most--;
    }
    return text.data ? text.data : xstrdup("");
}
