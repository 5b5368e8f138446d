/* Which senders count like this server. */
#include "db/runs/trust.h"

#include "tests/db/database.h"

static bool is_trusted(struct db *db, const char *name)
{
    bool trusted = false;

    EXPECT(trust_has(db, name, &trusted, NULL));
    return trusted;
}

TEST_WITH_DATABASE(only_the_operator_is_trusted_at_first)
{
    EXPECT(is_trusted(db, ""));
    EXPECT(!is_trusted(db, "ci"));
}

TEST_WITH_DATABASE(a_list_replaces_the_one_before)
{
    EXPECT(trust_set(db, "ci,,nightly,ci,", NULL));
    EXPECT(is_trusted(db, "ci") && is_trusted(db, "nightly"));
    EXPECT(!is_trusted(db, "c") && !is_trusted(db, "ci,") && !is_trusted(db, "CI"));
    EXPECT_ROWS(db, 2, "trusted_senders");
    EXPECT(trust_set(db, "other", NULL));
    EXPECT(!is_trusted(db, "ci") && is_trusted(db, "other"));
    EXPECT(trust_set(db, "", NULL));
    EXPECT(!is_trusted(db, "other"));
    EXPECT(is_trusted(db, ""));
}

/* A start names the same list again, and a full disk has no room for it. */
TEST_WITH_DATABASE(the_same_list_writes_nothing)
{
    EXPECT(trust_set(db, "ci,nightly", NULL));
    long long before = number_of(db, "SELECT total_changes()");
    EXPECT(trust_set(db, "nightly,ci,ci", NULL));
    EXPECT_INT(number_of(db, "SELECT total_changes()"), before);
    EXPECT(trust_set(db, "nightly", NULL));
    EXPECT(!is_trusted(db, "ci") && is_trusted(db, "nightly"));
    EXPECT(trust_set(db, "nightly,c", NULL));
    EXPECT(is_trusted(db, "c") && is_trusted(db, "nightly"));
}
