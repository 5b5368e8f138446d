#include "server/base/load_watch.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"

#include <unistd.h>

#define SHORTEST_NS (300 * NS_PER_MS)  /* thirty ticks of a processor */
#define HASTY_NS (50 * NS_PER_MS)      /* in haste */
#define LONGEST_NS (5 * NS_PER_SECOND) /* "now" */
#define FRESH_NS (1 * NS_PER_SECOND)   /* a result is reused for so long */

static long long shortest_ns(void)
{
    long long hasty_ns = haste_pause(SHORTEST_NS);

    return hasty_ns > HASTY_NS ? hasty_ns : HASTY_NS;
}

void load_watch_init(struct load_watch *watch)
{
    *watch = (struct load_watch){0};
    pthread_mutex_init(&watch->lock, NULL);
}

void load_watch_clear(struct load_watch *watch)
{
    load_reading_free(&watch->last);
    pthread_mutex_destroy(&watch->lock);
}

/* With the lock held. Replaces a reading that is too old without using it. */
static bool watch_look(struct load_watch *watch, const struct topology *topology,
                       long long now_ns)
{
    AUTO(load_reading_free) struct load_reading next = {0}, old = {0};
    long long age_ns = now_ns - watch->last.taken_ns;
    bool known = watch->last.taken_ns > 0 && age_ns <= LONGEST_NS;

    if (known && age_ns < shortest_ns())
        return false;
    load_reading_take("", topology, &next);
    if (known) {
        load_between(&watch->last, &next, topology, getpid(), &watch->load);
        watch->load_ns = next.taken_ns;
    }
    old = watch->last;
    watch->last = next;
    next = (struct load_reading){0};
    return known;
}

bool load_watch_look(struct load_watch *watch, const struct topology *topology,
                     struct load *ret_load, long long *ret_due_ns)
{
    long long now_ns = clock_monotonic_ns();
    bool known;

    pthread_mutex_lock(&watch->lock);
    known = (watch->load_ns > 0 && now_ns - watch->load_ns < FRESH_NS) ||
            watch_look(watch, topology, now_ns);
    if (known)
        *ret_load = watch->load;
    else
        *ret_due_ns = (watch->last.taken_ns > 0 ? watch->last.taken_ns : now_ns) + shortest_ns();
    pthread_mutex_unlock(&watch->lock);
    return known;
}
