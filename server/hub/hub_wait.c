#include "server/hub/hub_wait.h"

#include "common/clock.h"
#include "common/haste.h"

#include <time.h>

#define LOOK_NS (100 * NS_PER_MS)
#define PRINT_NS (10 * NS_PER_SECOND)
#define FIRST_PRINT_NS NS_PER_SECOND

static void print_state(struct hub_uploader *uploader, long long left_ns)
{
    struct hub_uploader_status status;

    hub_uploader_status(uploader, &status);
    fprintf(stderr, "waiting for the hub %s, %lld s at most: %lld accepted%s%s\n", status.hub,
            left_ns / NS_PER_SECOND, status.accepted, status.last_error[0] ? "; " : "",
            status.last_error);
}

bool hub_wait(struct hub_uploader *uploader, const sigset_t *signals, long long seconds,
              struct heartbeat *heartbeat)
{
    static const struct timespec at_once;
    long long now_ns = clock_monotonic_ns(), deadline_ns = now_ns + seconds * NS_PER_SECOND;
    long long print_ns = haste_pause(PRINT_NS), first_ns = haste_pause(FIRST_PRINT_NS);
    long long printed_ns = now_ns - print_ns + first_ns;

    hub_uploader_wake(uploader); /* a preemption is stored after the end of the run */
    hub_uploader_hurry(uploader);
    for (;;) {
        (void)heartbeat_beat(heartbeat, "reports to the hub", now_ns);
        if (hub_uploader_wait(uploader,
                              now_ns + LOOK_NS < deadline_ns ? now_ns + LOOK_NS : deadline_ns))
            return true;
        now_ns = clock_monotonic_ns();
        if (now_ns >= deadline_ns || sigtimedwait(signals, NULL, &at_once) > 0)
            return false;
        if (now_ns - printed_ns < print_ns)
            continue;
        printed_ns = now_ns;
        print_state(uploader, deadline_ns - now_ns);
    }
}
