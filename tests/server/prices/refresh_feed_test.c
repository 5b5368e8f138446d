#include "server/prices/refresh_feed.h"

#include "tests/test.h"

#define HOUR 3600
#define DAY (24 * HOUR)

TEST(a_feed_is_read_again_when_that_may_tell_more)
{
    static const struct {
        struct feed_result result;
        long long every, again;
    } rows[] = {
        {{.scopes = 3}, DAY, DAY},
        {{.scopes = 3, .failed = 1}, DAY, 900},
        {{.scopes = 3, .failed = 1}, 600, 600}, /* it is due sooner */
        {{.scopes = 3, .failed = 1, .doubted = 1}, DAY, 7200},
        {{.scopes = 3, .failed = 2, .doubted = 1}, DAY, 900},
        {{.scopes = 3, .waiting = 1}, DAY, 7200},
        {{.scopes = 3, .waiting = 1}, HOUR, HOUR},
        {{.scopes = 3, .failed = 1, .waiting = 1}, DAY, 900},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT_INT(refresh_feed_again(&rows[i].result, rows[i].every), rows[i].again);
}
