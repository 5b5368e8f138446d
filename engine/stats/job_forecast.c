#include "engine/stats/job_forecast.h"

#include "engine/stats/stats.h"
#include "engine/stats/student.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define SECONDS_PER_HOUR 3600.0
#define DRAWS FORECAST_DRAWS
#define DEGREES_KEPT 16 /* of freedom, for which a deck is kept: few types have more machines */
#define FATES_NORMAL 32 /* where more are expected, their sum is normally distributed */
#define FATES_MAX 256   /* are played one by one; what is left then takes as long as on average */

/* The same for every question, so made once: the middles of as many equal shares of a normal
 * distribution, ascending, and two orders to draw in that have nothing to do with it. */
static_assert(DRAWS <= UINT16_MAX, "a draw's place fits");
static struct {
    double normal[DRAWS];
    uint16_t speeds[DRAWS], fates[DRAWS];
} deck;
static pthread_once_t deck_once = PTHREAD_ONCE_INIT;

/* The same by Student's t: a comparison draws again and again with few degrees of freedom, and
 * making these takes ten times as long as all the rest. */
static struct {
    pthread_mutex_t lock;
    bool is_made[DEGREES_KEPT + 1];
    double of_degrees[DEGREES_KEPT + 1][DRAWS];
} students = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void forecast_shuffle(struct chance *chance, uint16_t *order)
{
    for (size_t i = 0; i < DRAWS; i++)
        order[i] = (uint16_t)i;
    for (size_t i = DRAWS - 1; i > 0; i--) {
        size_t other = chance_below(chance, i + 1);
        uint16_t kept = order[i];

        order[i] = order[other];
        order[other] = kept;
    }
}

static void make_deck(void)
{
    struct chance chance = chance_from("prospect"); /* another seed would change answers */

    for (size_t i = 0; i < DRAWS / 2; i++) {
        deck.normal[i] = normal_quantile(((double)i + 0.5) / DRAWS);
        deck.normal[DRAWS - 1 - i] = -deck.normal[i];
    }
    forecast_shuffle(&chance, deck.speeds);
    forecast_shuffle(&chance, deck.fates);
}

struct checkpointing checkpointing_best(double interruptions_per_hour, double checkpoint_seconds,
                                        double restart_seconds)
{
    double rate = interruptions_per_hour, checkpoint = checkpoint_seconds / SECONDS_PER_HOUR;
    struct checkpointing best = {.interval_hours = INFINITY};

    if (!(rate > 0))
        return best;
    best.interval_hours = sqrt(2 * checkpoint / rate);
    /* checkpoint / interval, which may be nothing by nothing */
    best.waste = sqrt(checkpoint * rate / 2) +
                 rate * (best.interval_hours / 2 + restart_seconds / SECONDS_PER_HOUR);
    return best;
}

/* The effect of interruptions on hours of work. */
struct fate {
    double rate, interval, restart; /* hours */
    double lost;                    /* of each hour that passes, on average */
    double scatter;                 /* variance of the hours that pass, for each hour of work */
};

static struct fate fate_of(const struct forecast_inputs *forecast_inputs)
{
    struct fate fate = {.rate = forecast_inputs->interruptions,
                        .restart = forecast_inputs->restart_seconds / SECONDS_PER_HOUR};
    double mean, square;

    fate.interval = checkpointing_best(fate.rate, forecast_inputs->checkpoint_seconds,
                                       forecast_inputs->restart_seconds)
                        .interval_hours;
    mean = fate.interval / 2 + fate.restart;
    square = mean * mean + fate.interval * fate.interval / 12;
    fate.lost = fate.rate * mean;
    /* Distribution of the time in which a compound Poisson process lets that much work
     * through. */
    fate.scatter = fate.rate * square / pow(1 - fate.lost, 3);
    return fate;
}

static double forecast_uniform(struct chance *chance)
{
    return ((double)(chance_next(chance) >> 11) + 0.5) / 9007199254740992.0;
}

/* Interruptions one by one; they also occur while work is repeated. */
static double forecast_play(const struct fate *fate, double work, size_t draw)
{
    struct chance chance = {(uint64_t)draw};
    double end = work, next;

    chance.state = chance_next(&chance); /* or the streams of two draws would be one, shifted */
    next = -log(forecast_uniform(&chance)) / fate->rate;
    for (int i = 0; next < end; i++) {
        if (i == FATES_MAX)
            return fate->lost < 1 ? next + (end - next) / (1 - fate->lost) : INFINITY;
        end += fate->restart + fate->interval * forecast_uniform(&chance);
        next -= log(forecast_uniform(&chance)) / fate->rate;
    }
    return end;
}

static double with_interruptions(const struct fate *fate, double work, size_t draw)
{
    double expected = work / (1 - fate->lost), hours;

    if (!(fate->lost < 1) || fate->rate * expected < FATES_NORMAL)
        return forecast_play(fate, work, draw);
    hours = expected + sqrt(work * fate->scatter) * deck.normal[deck.fates[draw]];
    return hours > work ? hours : work;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Doubles that are not negative are in the order of their bits: three rounds by eleven bits of
 * the upper ones, and what is equal so far (within 1e-6) finds its place by insertion. Several
 * times as quick as qsort(), and this is most of the work. */
static void forecast_sort(double *values)
{
    enum { BITS = 11, SIZE = 1 << BITS, LOWEST = 64 - 1 - 3 * BITS };
    static const int last = LOWEST + 3 * BITS;
    double other[DRAWS], *from = values, *to = other;

    for (int shift = LOWEST; shift < last; shift += BITS) {
        uint16_t starts[SIZE] = {0};
        uint16_t sum = 0;
        double *kept = from;

        for (size_t i = 0; i < DRAWS; i++)
            starts[bits_of(from[i]) >> shift & (SIZE - 1)]++;
        for (size_t i = 0; i < SIZE; i++) {
            uint16_t here = starts[i];

            starts[i] = sum;
            sum = (uint16_t)(sum + here);
        }
        for (size_t i = 0; i < DRAWS; i++)
            to[starts[bits_of(from[i]) >> shift & (SIZE - 1)]++] = from[i];
        from = to;
        to = kept;
    }
    memcpy(values, other, sizeof other); /* an odd number of rounds ends there */
    for (size_t i = 1; i < DRAWS; i++) {
        double value = values[i];
        size_t at = i;

        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

/* The deck's normal quantile of a share, between its cards. */
static double card_at(double share)
{
    double at = fmin(fmax(share * DRAWS - 0.5, 0), DRAWS - 1);
    size_t card = (size_t)at;

    if (card == DRAWS - 1)
        return deck.normal[card];
    return deck.normal[card] + (at - (double)card) * (deck.normal[card + 1] - deck.normal[card]);
}

/* By Student's t, the middle of the share that comes at `place` of `count` equal ones. */
static double student_at(size_t place, size_t count, size_t degrees)
{
    double share = ((double)place + 0.5) / (double)count;

    return student_from_normal(share, card_at(share), (double)degrees);
}

/* As many as there are draws; NULL where they are not kept. */
static const double *students_of(size_t degrees)
{
    assert(degrees > 0);
    if (degrees > DEGREES_KEPT)
        return NULL;
    pthread_mutex_lock(&students.lock);
    for (size_t i = 0; !students.is_made[degrees] && i < DRAWS; i++)
        students.of_degrees[degrees][i] = student_at(i, DRAWS, degrees);
    students.is_made[degrees] = true;
    pthread_mutex_unlock(&students.lock);
    return students.of_degrees[degrees];
}

/* Draws of the first `count` models. */
static size_t draws_of(const struct next_machine *next, size_t count)
{
    double end = 0;

    for (size_t i = 0; i < count; i++)
        end += next->models[i].share * DRAWS;
    return count == next->count ? DRAWS : (size_t)fmin(end + 0.5, DRAWS);
}

/* Each model has its share of the draws, in which every part of its distribution comes once. */
static void draw_next(const struct next_machine *next, double *speeds)
{
    size_t from = 0;

    for (size_t i = 0; i < next->count; i++) {
        const struct next_model *model = &next->models[i];
        size_t to = draws_of(next, i + 1);
        const double *kept;

        assert(from <= to && to <= DRAWS);
        kept = to - from == DRAWS ? students_of(model->degrees) : NULL;
        for (size_t j = from; j < to; j++) {
            double t = kept ? kept[j] : student_at(j - from, to - from, model->degrees);

            speeds[j] = exp(model->centre + model->scale * t);
        }
        from = to;
    }
    assert(from == DRAWS);
}

static void draw_measured(const struct forecast_inputs *forecast_inputs, double *speeds)
{
    /* Two independent normal factors are one. */
    double spread = hypot(forecast_inputs->value_spread, forecast_inputs->machine_spread);

    assert(forecast_inputs->count > 0);
    for (size_t i = 0; i < DRAWS; i++) {
        speeds[i] = forecast_inputs->speeds[deck.speeds[i] * forecast_inputs->count / DRAWS];
        if (spread > 0)
            speeds[i] /= exp(spread * deck.normal[i]);
    }
}

/* What checkpoints add to an hour of work. */
static double saving_of(const struct forecast_inputs *forecast_inputs)
{
    double checkpoint = forecast_inputs->checkpoint_seconds / SECONDS_PER_HOUR;

    return forecast_inputs->interruptions > 0
               ? sqrt(checkpoint * forecast_inputs->interruptions / 2)
               : 0;
}

/* Hours of work at this speed; without progress the job never ends. */
static double work_at(double speed, double samples, double saving)
{
    double hours = samples / speed / SECONDS_PER_HOUR * (1 + saving);

    return speed > 0 && hours >= 0 ? hours : INFINITY;
}

void job_forecast_draw(const struct forecast_inputs *forecast_inputs, double samples,
                       struct job_forecast *ret_forecast)
{
    bool interrupted = forecast_inputs->interruptions > 0;
    double saving = saving_of(forecast_inputs), speeds[DRAWS];
    struct fate fate = {0};

    pthread_once(&deck_once, make_deck);
    if (interrupted)
        fate = fate_of(forecast_inputs);
    if (forecast_inputs->next)
        draw_next(forecast_inputs->next, speeds);
    else
        draw_measured(forecast_inputs, speeds);
    for (size_t i = 0; i < DRAWS; i++) {
        double hours = work_at(speeds[i], samples, saving);

        ret_forecast->hours[i] = interrupted ? with_interruptions(&fate, hours, i) : hours;
    }
    forecast_sort(ret_forecast->hours);
}

/* The largest of the speeds that draw_next() fills in. */
static double fastest_next(const struct next_machine *next)
{
    double fastest = 0;
    size_t from = 0;

    for (size_t i = 0; i < next->count; i++) {
        const struct next_model *model = &next->models[i];
        size_t to = draws_of(next, i + 1);

        if (to > from)
            fastest = fmax(fastest,
                           exp(model->centre + model->scale * student_at(to - from - 1, to - from,
                                                                         model->degrees)));
        from = to;
    }
    return fastest;
}

/* No speed that draw_measured() fills in is larger. */
static double fastest_measured(const struct forecast_inputs *forecast_inputs)
{
    double spread = hypot(forecast_inputs->value_spread, forecast_inputs->machine_spread);
    double fastest = 0;

    for (size_t i = 0; i < forecast_inputs->count; i++)
        fastest = fmax(fastest, forecast_inputs->speeds[i]);
    return spread > 0 ? fastest / exp(spread * deck.normal[0]) : fastest;
}

double job_forecast_least(const struct forecast_inputs *forecast_inputs, double samples)
{
    pthread_once(&deck_once, make_deck);
    return work_at(forecast_inputs->next ? fastest_next(forecast_inputs->next)
                                         : fastest_measured(forecast_inputs),
                   samples, saving_of(forecast_inputs));
}

double job_forecast_share(const struct job_forecast *forecast, double hours)
{
    size_t low = 0, high = DRAWS; /* the first that is later is between them */

    if (isnan(hours))
        return NAN;
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (forecast->hours[middle] <= hours)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)low / DRAWS;
}

double job_forecast_quantile(const struct job_forecast *forecast, double share)
{
    if (!(share > 0 && share <= 1))
        return NAN;
    /* 0.9 of them are 1800, though 0.9 is a little more than that. */
    return forecast->hours[(size_t)ceil(fmax(share * DRAWS - 1e-9, 0.5)) - 1];
}
