#include "engine/spec/configuration.h"

#include "tests/test.h"

/* Each field of a spec with another value than the default: the text names what it changes.
 */
static void change(const struct field *field, struct run_spec *spec)
{
    char *place = (char *)spec + field->offset;
    long long number;
    double real;

    switch (field->type) {
    case FIELD_CHOICE:
        for (const char *const *choice = field->choices; *choice; choice++)
            if (memcmp(place, choice, sizeof *choice) != 0) {
                memcpy(place, choice, sizeof *choice);
                return;
            }
        return;
    case FIELD_TEXT:
        snprintf(place, (size_t)field->max + 1, "other");
        return;
    case FIELD_NUMBER:
    case FIELD_AMOUNT:
    case FIELD_LIMIT:
        memcpy(&real, place, sizeof real);
        real += 0.5;
        memcpy(place, &real, sizeof real);
        return;
    default:
        memcpy(&number, place, sizeof number);
        number = number == 7 ? 8 : 7;
        memcpy(place, &number, sizeof number);
    }
}

TEST(specs_are_equal_where_their_texts_are)
{
    const struct run_spec plain = run_spec_default();
    AUTO(freep) char *text = configuration_of_spec(&plain);
    int told_apart = 0;

    EXPECT(configuration_equal(&plain, &plain));
    for (size_t i = 0; i < run_spec_field_count; i++) {
        const struct field *field = &run_spec_fields[i];
        struct run_spec other = plain;

        change(field, &other);
        AUTO(freep) char *changed = configuration_of_spec(&other);
        bool is_apart =
            strcmp(field->name, "workload") == 0 || strcmp(field->name, "engine") == 0;

        EXPECT_INT(configuration_equal(&plain, &other), strcmp(text, changed) == 0 && !is_apart);
        EXPECT_INT(strcmp(text, changed) != 0, configuration_has(field->name));
        told_apart += strcmp(text, changed) != 0;
    }
    EXPECT(told_apart > 8);
}

TEST(labels_make_no_difference)
{
    struct run_spec plain = run_spec_default(), labelled = plain;

    labelled.label_count = 1;
    labelled.labels[0] = (struct label){"a", "b"};
    EXPECT(configuration_equal(&plain, &labelled));
}
