/* Notifications that never become due, for tests that only tell and watch. */
#pragma once

#include "server/base/notifications.h"
#include "tests/test.h"

#include <limits.h>

static inline void untimed_wake_by(void *user, long long when_ns)
{
    (void)user, (void)when_ns;
}

static inline struct notifications *untimed_notifications(void)
{
    struct notifications *notifications = notifications_new(LLONG_MAX, untimed_wake_by, NULL);

    EXPECT(notifications != NULL);
    return notifications;
}
