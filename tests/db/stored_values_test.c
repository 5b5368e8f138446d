#include "db/stored_values.h"

#include "tests/db/finished.h"

static void create_labelled(struct db *db, const char *engine, const char *key, const char *value)
{
    struct run_spec spec = run_spec_default();
    struct run_order order = order_of(&spec);

    snprintf(spec.engine, sizeof spec.engine, "%s", engine);
    order.instance = "m5.large";
    spec.label_count = 1;
    snprintf(spec.labels[0].key, sizeof spec.labels[0].key, "%s", key);
    snprintf(spec.labels[0].value, sizeof spec.labels[0].value, "%s", value);
    create_one(db, &order);
}

static bool look(struct db *db, enum stored_value kind, const char *key, const char *value,
                 struct stored_values *values)
{
    const struct stored_value_question question = {kind, key, value};
    bool found = false;

    EXPECT_OK(stored_values_look(db, &question, &found, values, &err));
    return found;
}

TEST_WITH_DATABASE(what_a_run_has_is_found_and_else_what_there_is)
{
    static struct stored_values values;

    do_not_sync(db);
    create_labelled(db, "native", "branch", "main");
    create_labelled(db, "native", "branch", "fast");
    create_labelled(db, "torch", "ticket", "7");
    EXPECT(look(db, RUN_ENGINE, NULL, "torch", &values));
    EXPECT(look(db, RUN_WORKLOAD, NULL, "resnet50", &values));
    EXPECT(look(db, RUN_INSTANCE, NULL, "m5.large", &values));
    EXPECT(look(db, RUN_LABEL_KEY, NULL, "ticket", &values));
    EXPECT(look(db, RUN_LABEL_VALUE, "branch", "fast", &values));

    EXPECT(!look(db, RUN_SENDER, NULL, "candidate-7", &values));
    EXPECT_INT((long long)values.count, 0); /* runs of this machine have no sender */
    execute(db, "UPDATE runs SET sender = 'candidate-7' WHERE engine = 'torch'");
    EXPECT(look(db, RUN_SENDER, NULL, "candidate-7", &values));
    EXPECT(!look(db, RUN_SENDER, NULL, "candidate-8", &values));
    EXPECT_HAS(values, (count, 1), (list[0], "candidate-7"));
    EXPECT(!look(db, RUN_ENGINE, NULL, "nativ", &values));
    EXPECT_INT((long long)values.count, 2); /* each once */
    EXPECT_HAS(values, (list[0], "native"), (list[1], "torch"));
    EXPECT(!look(db, RUN_LABEL_VALUE, "branch", "mian", &values));
    EXPECT_HAS(values, (count, 2), (list[0], "fast"), (list[1], "main"));
    EXPECT(!look(db, RUN_LABEL_VALUE, "ticket", "main", &values)); /* of another key */
    EXPECT(!look(db, RUN_LABEL_KEY, NULL, "", &values));
    EXPECT_INT((long long)values.count, 2);
}

TEST_WITH_DATABASE(prices_types_and_events_are_looked_through_too)
{
    static struct stored_values values;

    execute(
        db,
        "INSERT INTO price_series (feed, scope, provider, region, zone, instance_type, kind,"
        " currency, since_us) VALUES ('f', 's', 'aws', 'r-1', 'r-1a', 'a.large', 'spot', 'USD', "
        "1),"
        " ('f', 's', 'aws', 'r-1', '', 'b.large', 'on_demand', 'USD', 1);"
        "INSERT INTO instance_types VALUES ('gcp', 'n2', 2, 4, 'arm64', '', 'f');"
        "INSERT INTO capacity_events (kind, price_kind, provider, instance_type, zone, machine,"
        " note, at_us) VALUES ('launched', 'spot', 'aws', 'a.large', 'z', '', '', 1)");
    EXPECT(look(db, PRICE_PROVIDER, NULL, "aws", &values));
    EXPECT(look(db, PRICE_REGION, NULL, "r-1", &values));
    EXPECT(look(db, PRICE_TYPE, NULL, "b.large", &values));
    EXPECT(look(db, PRICE_FEED, NULL, "f", &values));
    EXPECT(look(db, PRICE_KIND, NULL, "spot", &values));
    EXPECT(!look(db, PRICE_KIND, NULL, "savings_plan_1y", &values));
    EXPECT(!look(db, PRICE_ZONE, NULL, "r-1b", &values));
    EXPECT_INT((long long)values.count, 1); /* no zone is none */
    EXPECT_STR(values.list[0], "r-1a");
    EXPECT(look(db, LISTED_NAME, NULL, "n2", &values));
    EXPECT(!look(db, LISTED_PROVIDER, NULL, "aws", &values));
    EXPECT(!look(db, LISTED_PREFIX, NULL, "n1", &values));
    EXPECT_STR(values.list[0], "n2");
    EXPECT(look(db, LISTED_PREFIX, NULL, "n", &values));
    EXPECT(look(db, EVENT_ZONE, NULL, "z", &values) &&
           look(db, EVENT_TYPE, NULL, "a.large", &values));
    EXPECT(look(db, EVENT_PROVIDER, NULL, "aws", &values));
    EXPECT(!look(db, EVENT_PRICE_KIND, NULL, "on_demand", &values));
    EXPECT(!look(db, KNOWN_NAME, NULL, "m5.large", &values));
    ENDED(db, 50);
    EXPECT(look(db, KNOWN_NAME, NULL, "n2", &values));
    EXPECT(look(db, KNOWN_NAME, NULL, "m5.large", &values));
    EXPECT(!look(db, KNOWN_PROVIDER, NULL, "azure", &values));
}

TEST_WITH_DATABASE(without_runs_there_is_none)
{
    static struct stored_values values = {.count = 7};

    EXPECT(!look(db, RUN_INSTANCE, NULL, "m5.large", &values));
    EXPECT_INT((long long)values.count, 0);
}

TEST_WITH_DATABASE(of_many_those_next_to_it_are_told)
{
    static struct stored_values values;

    do_not_sync(db);
    create_labelled(db, "native", "n", "0");
    execute(db, "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n"
                " WHERE i < 300) INSERT INTO run_labels SELECT 'n', i, 1 FROM n");
    EXPECT(!look(db, RUN_LABEL_VALUE, "n", "200x", &values));
    EXPECT_HAS(values, (count, STORED_VALUES_MAX), (list[0], "169"));
    EXPECT_STR(values.list[STORED_VALUES_MAX - 1], "232");
}
