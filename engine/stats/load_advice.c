#include "engine/stats/load_advice.h"

#include "common/cleanup.h"
#include "common/json_text.h"
#include "common/memory.h"
#include "engine/stats/disturbance.h"
#include "engine/stats/validity.h"

#include <math.h>
#include <string.h>

#define IDLE_PERCENT 2.0
#define NEARLY 0.1 /* of a processor: with this much missing it still counts as whole */
#define USERS_SIZE 220

const char *const load_advice_names[] = {
    [LOAD_GO_ON] = "go_on", [LOAD_FEWER_THREADS] = "fewer_threads", [LOAD_WAIT] = "wait", NULL};

/* How the sentence goes on behind one name, and behind several processes. */
struct tense {
    const char *one, *many;
};
static const struct tense now = {"uses", "use"}, then = {"used", "used"};

/* "cc uses 9.8 %, make 4.1 % and processes that are not visible here 3 % of the processors" */
static void write_users(const struct load *load, const struct tense *tense,
                        char ret_words[USERS_SIZE])
{
    bool hidden = load->hidden_percent >= LOAD_USER_MIN;
    int count = load->count + hidden;
    size_t used = 0;

    for (int i = 0; i < count; i++) {
        bool named = i < load->count;
        const char *between = i == 0 ? "" : i == count - 1 ? " and " : ", ";
        const char *verb = i > 0 ? "" : named ? tense->one : tense->many;

        used += (size_t)snprintf(
            ret_words + used, USERS_SIZE - used, "%s%s%s%s %.3g %%", between,
            named ? load->users[i].name : "processes that are not visible here", i > 0 ? "" : " ",
            verb, named ? load->users[i].percent : load->hidden_percent);
    }
    if (count == 0)
        used += (size_t)snprintf(ret_words, USERS_SIZE, "small processes %s %.3g %%", tense->many,
                                 load->busy_percent);
    snprintf(ret_words + used, USERS_SIZE - used, " of the processors");
}

static double in_processors(const struct load *load, double percent)
{
    return percent / 100 * load->processors;
}

/* Processors that one user each fully uses. */
static int whole_taken(const struct load *load)
{
    int taken = (int)(in_processors(load, load->hidden_percent) + NEARLY);

    for (int i = 0; i < load->count; i++)
        taken += (int)(in_processors(load, load->users[i].percent) + NEARLY);
    return taken;
}

/* Share of a run's time, summed over its threads. */
static double advice_share_lost(const struct load *load, int threads)
{
    double more = fmax(0, in_processors(load, load->busy_percent) + threads - load->processors);

    return more / (1 + more);
}

enum fits { IS_IDLE, IS_FREE, IS_WHOLE, IS_BOUNDED, IS_TOO_MUCH };

static const struct {
    enum load_advice advice;
    const char *what_to_do;
} rows[] = {
    [IS_IDLE] = {LOAD_GO_ON, "go on"},
    [IS_FREE] = {LOAD_GO_ON, "enough is left for a run; go on"},
    [IS_WHOLE] = {LOAD_FEWER_THREADS, ", or wait until they are done"},
    [IS_BOUNDED] = {LOAD_GO_ON, "; close them or go on"},
    [IS_TOO_MUCH] = {LOAD_WAIT, "too much for a number of this machine; wait or close them"},
};

static enum fits advice_choose(const struct load *load, int threads, int fewer)
{
    double share = advice_share_lost(load, threads);

    if (load->busy_percent < IDLE_PERCENT)
        return IS_IDLE;
    if (share <= SHARE_WARN)
        return IS_FREE;
    if (fewer >= 1 && fewer < threads && advice_share_lost(load, fewer) < GONE_MAX)
        return IS_WHOLE;
    return share < GONE_MAX ? IS_BOUNDED : IS_TOO_MUCH;
}

void load_advise(const struct load *load, int threads, struct load_opinion *ret_opinion)
{
    int fewer = load->processors - whole_taken(load);
    enum fits fits = advice_choose(load, threads, fewer);
    struct load_opinion opinion = {.advice = rows[fits].advice, .is_idle = fits == IS_IDLE};
    char users[USERS_SIZE], detail[64] = "";

    write_users(load, &now, users);
    if (fits == IS_IDLE)
        snprintf(users, sizeof users, "others use %.3g %% of the processors", load->busy_percent);
    if (fits == IS_WHOLE) {
        opinion.threads = fewer;
        snprintf(detail, sizeof detail, "use %d thread%s", fewer, fewer == 1 ? "" : "s");
    }
    if (fits == IS_BOUNDED)
        snprintf(detail, sizeof detail, "the interval will reach up to %.0f %% higher",
                 100 * (disturbance_factor(advice_share_lost(load, threads)) - 1));
    snprintf(opinion.words, sizeof opinion.words, "%s now: %s%s", users, detail,
             rows[fits].what_to_do);
    *ret_opinion = opinion;
}

static bool is_of_processors(json_t *finding)
{
    const char *code = json_string_value(json_object_get(finding, "code"));
    const char *level = json_string_value(json_object_get(finding, "level"));

    return code && level &&
           (strcmp(code, "contention") == 0 || strcmp(code, "disturbance") == 0) &&
           (strcmp(level, validity_name(VALIDITY_WARN)) == 0 ||
            strcmp(level, validity_name(VALIDITY_INVALID)) == 0);
}

char *load_name_in_findings(const char *findings, const struct load *load)
{
    AUTO(json_decrefp) json_t *list = findings ? json_loads(findings, 0, NULL) : NULL;
    char users[USERS_SIZE];
    json_t *finding;
    size_t i;

    if (load->busy_percent < LOAD_USER_MIN)
        return findings ? xstrdup(findings) : NULL;
    write_users(load, &then, users);
    json_array_foreach(list, i, finding)
    {
        const char *words = json_string_value(json_object_get(finding, "words"));

        if (words && is_of_processors(finding))
            json_object_set_new(finding, "words",
                                json_sprintf("%s; when it began, %s", words, users));
    }
    return json_text(list);
}
