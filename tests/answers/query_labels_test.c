#include "answers/query_labels.h"

#include "common/cleanup.h"
#include "tests/test.h"

static void labels_are_cut_at_the_first_sign(void)
{
    static struct query query;
    char keys[RUN_FILTER_LABELS][LABEL_KEY_MAX + 1];
    struct wanted_label labels[RUN_FILTER_LABELS];
    struct error err = {0};
    int count = -1;

    EXPECT(query_read("/?label=branch%3Dmain&limit=1&label=url:http:%2F%2Fx&label=a=", &query,
                      &err));
    EXPECT(query_labels(&query, keys, labels, &count, &err));
    EXPECT_INT(count, 3);
    EXPECT_STR(labels[0].key, "branch");
    EXPECT_STR(labels[0].value, "main");
    EXPECT_STR(labels[1].key, "url");
    EXPECT_STR(labels[1].value, "http://x");
    EXPECT_STR(labels[2].key, "a");
    EXPECT_STR(labels[2].value, "");
    EXPECT(query_read("/?limit=1", &query, &err));
    EXPECT(query_labels(&query, keys, labels, &count, &err));
    EXPECT_INT(count, 0);
}

static void wrong_labels_and_too_many_are_refused(void)
{
    static const char *const targets[] = {"/?label=main", "/?label=:main", "/?label=a%20b:c",
                                          "/?label="};
    static struct query query;
    char keys[RUN_FILTER_LABELS][LABEL_KEY_MAX + 1], target[500] = "/?";
    struct wanted_label labels[RUN_FILTER_LABELS];
    int count = -7;

    for (size_t i = 0; i < COUNT(targets); i++) {
        struct error err = {0};

        EXPECT(query_read(targets[i], &query, &err));
        EXPECT(!query_labels(&query, keys, labels, &count, &err));
        EXPECT_STR(err.field, "label");
    }
    for (int i = 0; i <= RUN_FILTER_LABELS; i++) {
        struct error err = {0};
        bool fits = i < RUN_FILTER_LABELS;
        size_t used = strlen(target);

        snprintf(target + used, sizeof target - used, "label=a=b&");
        EXPECT(query_read(target, &query, &err));
        EXPECT_INT(query_labels(&query, keys, labels, &count, &err), fits);
    }
    EXPECT_INT(count, RUN_FILTER_LABELS);
}

int main(void)
{
    RUN(labels_are_cut_at_the_first_sign);
    RUN(wrong_labels_and_too_many_are_refused);
    return test_result();
}
