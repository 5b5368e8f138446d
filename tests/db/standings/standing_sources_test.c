/* Many runs of one sender do not hide the runs of others. */
#include "db/standings/standings.h"

#include "db/runs/trust.h"
#include "tests/db/finished.h"

static const struct run_source *find(const struct contender *contender, const char *name)
{
    for (size_t i = 0; i < contender->source_count; i++)
        if (strcmp(contender->sources[i].name, name) == 0)
            return &contender->sources[i];
    EXPECT(!"a source of that name");
    exit(test_result());
}

TEST_WITH_DATABASE(a_thousand_runs_of_one_sender_leave_the_others_in_place)
{
    AUTO(standings_free) struct standings standings = {0};

    ENDED(db, 100, .low = 99, .high = 101);
    send_copies(db, "zoe", 3, 101, 3);
    send_copies(db, "mallory", 1000, 1000, 1000);
    send_copies(db, "ann", 1, 99, 1);
    update(db, &standings);
    EXPECT_INT((long long)standings.count, 1);
    const struct contender *contender = &standings.list[0];
    EXPECT_INT((long long)contender->source_count, 4);
    EXPECT_INT((long long)find(contender, "ann")->runs, 1);
    EXPECT_INT((long long)find(contender, "zoe")->runs, 3);
    EXPECT_INT((long long)find(contender, "mallory")->runs, STANDING_RUNS_MAX - 4);
    EXPECT_INT(find(contender, "mallory")->weight, SOURCE_ASIDE);
    EXPECT(find(contender, "")->is_trusted);
    EXPECT_INT(find(contender, "zoe")->first, 2);
    EXPECT(contender->standing.value > 98 && contender->standing.value < 102);
    EXPECT_INT(contender->standing.runs, 4); /* of zoe no more runs than the others have */
}

TEST_WITH_DATABASE(a_trusted_sender_counts_like_this_server)
{
    AUTO(standings_free) struct standings standings = {0};

    ENDED(db, 100, .low = 99, .high = 101);
    EXPECT(trust_set(db, "fleet", NULL));
    send_copies(db, "fleet", 9, 104, 9);
    update(db, &standings);
    EXPECT_INT(standings.list[0].standing.level, STANDING_VMS);
    EXPECT_INT((long long)find(&standings.list[0], "fleet")->kept_machines, 9);
    EXPECT(find(&standings.list[0], "fleet")->is_trusted);
}
