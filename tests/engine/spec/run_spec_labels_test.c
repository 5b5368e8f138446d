/* Labels as filters and options write them. */
#include "engine/spec/run_spec.h"

#include "tests/test.h"

TEST(a_label_of_a_filter_is_a_key_and_a_value)
{
    static const struct {
        const char *text, *key, *value;
    } labels[] = {
        {"branch=main", "branch", "main"},
        {"a.b_c-d/E9=", "a.b_c-d/E9", ""},
        {"a=b:c=d", "a", "b:c=d"},
        {"a==", "a", "="},
    };
    static const char *const wrong[] = {"",      "branch", "=main", "branch:main",
                                        "a:b=c", "a b=c",  "a;b=c", "k=\x7f"};
    char key[LABEL_KEY_MAX + 1];
    const char *value;

    for (size_t i = 0; i < COUNT(labels); i++) {
        EXPECT(label_read("label", labels[i].text, key, &value, NULL));
        EXPECT_STR(key, labels[i].key);
        EXPECT_STR(value, labels[i].value);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        EXPECT_INVALID(label_read("label", wrong[i], key, &value, &err), "label");
    }
}

TEST(a_label_is_checked_for_filters_too)
{
    static const struct {
        const char *key, *value, *message;
    } labels[] = {
        {"branch", "main", ""},
        {"a.b_c-d/E9", "", ""},
        {"k", "caf\xc3\xa9", ""},
        {"", "x", "a key must have 1 to 64 characters, got 0"},
        {"a:b", "x", "the key 'a:b' must hold only letters, digits and . _ - /"},
        {"k", "a\x7f", "the value of 'k' must not hold control characters"},
        {"k", "\xff", "the value of 'k' must be UTF-8"},
    };

    for (size_t i = 0; i < COUNT(labels); i++) {
        struct error err = {0};

        EXPECT_INT(label_check("label", labels[i].key, labels[i].value, &err),
                   labels[i].message[0] == '\0');
        EXPECT_STR(err.message, labels[i].message);
        EXPECT_STR(err.field, err.kind == ERROR_NONE ? "" : "label");
    }
}
