#include "server/http/api/runs.h"

#include "tests/test.h"

TEST(conditions_on_runs_are_read)
{
    static struct query query;
    struct run_conditions conditions = {.label_keys = {""}};
    const struct run_filter *filter = &conditions.filter;

    EXPECT_OK(
        query_read("/?engine=native&workload=mlp&instance_type=a&sender=b&provenance=imported"
                   "&precision=bf16&validity=warn&since=2026-01-02&until=2026-01-02T01:00:00Z"
                   "&label=a=b",
                   &query, &err));
    EXPECT_OK(parameters_read(&runs_list_parameters, &query, &conditions, &err));
    EXPECT_HAS(*filter, (engine, "native"), (workload, "mlp"), (instance, "a"), (sender, "b"),
               (provenance, "imported"), (precision, "bf16"), (validity, "warn"),
               (since_us, 1767312000000000LL));
    EXPECT_INT(filter->until_us - filter->since_us, 3600000000LL);
    EXPECT_HAS(*filter, (label_count, 1), (limit, 50));
    memset(&conditions, 0, sizeof conditions);
    EXPECT_OK(query_read("/", &query, &err));
    EXPECT_OK(parameters_read(&runs_list_parameters, &query, &conditions, &err));
    EXPECT(!filter->provenance && !filter->precision && !filter->validity);
    EXPECT(filter->since_us == 0 && filter->until_us == 0);
}

TEST(a_wrong_condition_says_what_is_allowed)
{
    static const struct {
        const char *target, *field, *choice; /* a choice that is offered instead; or NULL */
    } cases[] = {
        {"/?provenance=rumour", "provenance", "imported"},
        {"/?precision=f8", "precision", "bf16"},
        {"/?precision=", "precision", "bf16"},
        {"/?validity=good", "validity", "warn"},
        {"/?since=yesterday", "since", NULL},
        {"/?since=", "since", NULL},
        {"/?until=2026-13-01", "until", NULL},
        {"/?since=2026-01-02&until=2026-01-02", "until", NULL},
        {"/?since=2026-01-03&until=2026-01-02", "until", NULL},
        {"/?label=x", "label", NULL},
    };
    static struct query query;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run_conditions conditions = {.label_keys = {""}};
        struct error err = {0};
        bool offered = false;

        EXPECT(query_read(cases[i].target, &query, &err));
        EXPECT(!parameters_read(&runs_list_parameters, &query, &conditions, &err));
        EXPECT_HAS(err, (kind, ERROR_INVALID), (field, cases[i].field));
        for (const char *const *choice = err.allowed.choices; choice && *choice; choice++)
            offered |= cases[i].choice && strcmp(*choice, cases[i].choice) == 0;
        EXPECT_INT(offered, cases[i].choice != NULL);
    }
}

TEST(labels_are_cut_at_the_first_sign)
{
    static struct query query;
    struct run_conditions conditions = {.label_keys = {""}};
    const struct wanted_label *labels = conditions.filter.labels;

    EXPECT(query_read("/?label=branch%3Dmain&label=url=http:%2F%2Fx&label=a=", &query, NULL));
    EXPECT(parameters_read(&runs_list_parameters, &query, &conditions, NULL));
    EXPECT_INT(conditions.filter.label_count, 3);
    EXPECT_HAS(labels[0], (key, "branch"), (value, "main"));
    EXPECT_HAS(labels[1], (key, "url"), (value, "http://x"));
    EXPECT_HAS(labels[2], (key, "a"), (value, ""));
}

TEST(a_reason_says_something)
{
    static const struct {
        const char *target, *message;
    } cases[] = {{"/?reason=wrong+clock", ""},
                 {"/?reason=", "must have between 1 and 500 bytes, got 0"},
                 {"/?reason=++", "must say why"}};
    static struct query query;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct reason_question question = {.reason = ""};
        struct error err = {0};

        EXPECT(query_read(cases[i].target, &query, NULL));
        EXPECT_INT(parameters_read(&reason_parameters, &query, &question, &err),
                   !cases[i].message[0]);
        EXPECT_STR(err.message, cases[i].message);
    }
}
