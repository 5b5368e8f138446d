#include "db/runs/evidence_rows.h"

#include "tests/db/database.h"

static struct observation seen_at(long long steps)
{
    return (struct observation){steps,     steps + 1, steps + 2, steps + 3, steps + 4, steps + 5,
                                steps + 6, steps + 7, steps + 8, steps + 9, steps + 10};
}

static struct evidence evidence_of(long long first, int observations, int readings)
{
    struct evidence evidence = {0};

    for (int i = 0; i < observations; i++) {
        const struct observation seen = seen_at(first + 100 * i);

        evidence_observe(&evidence, &seen);
    }
    for (int i = 0; i < readings; i++)
        evidence_add_reading(&evidence, &(struct canary_reading){first + i, {1e9 + i, 2e9 + i}});
    return evidence;
}

TEST_WITH_DATABASE(evidence_comes_back_as_it_was_in_its_order)
{
    queue_runs(db, 1);
    AUTO(run_clear) struct run run = claim_run(db);
    AUTO(evidence_free)
    struct evidence first = evidence_of(7, 2, 20), second = evidence_of(900, 1, 1);
    AUTO(evidence_free) struct evidence none = {0}, loaded = {0};

    EXPECT(evidence_rows_append(db, run.number, 0, 0, &none, NULL));
    EXPECT(evidence_rows_append(db, run.number, 0, 0, &first, NULL));
    EXPECT(evidence_rows_append(db, run.number, 2, 20, &second, NULL));
    EXPECT(evidence_rows_load(db, run.number, &loaded, NULL));
    EXPECT_HAS(loaded, (observation_count, 3), (reading_count, 21));
    const struct observation wanted = seen_at(107);
    EXPECT(memcmp(&loaded.observations[1], &wanted, sizeof wanted) == 0);
    EXPECT_HAS(loaded, (observations[2].steps, 900), (readings[19].steps, 26),
               (readings[19].canary.hertz, 1e9 + 19),
               (readings[20].canary.copy_bytes_per_second, 2e9));
}

TEST_WITH_DATABASE(a_place_is_taken_once)
{
    queue_runs(db, 1);
    AUTO(run_clear) struct run run = claim_run(db);
    AUTO(evidence_free) struct evidence evidence = evidence_of(7, 2, 1), loaded = {0};

    EXPECT(evidence_rows_append(db, run.number, 0, 0, &evidence, NULL));
    EXPECT(!evidence_rows_append(db, run.number, 1, 1, &evidence, NULL));
    EXPECT(evidence_rows_load(db, run.number, &loaded, NULL)); /* and nothing of the second */
    EXPECT_INT((long long)loaded.observation_count, 2);
    EXPECT(!evidence_rows_append(db, 4711, 0, 0, &evidence, NULL)); /* no such run */
}
