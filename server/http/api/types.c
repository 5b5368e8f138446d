#include "server/http/api/types.h"

#include "common/cleanup.h"
#include "server/http/api/shared.h"

static bool check_families(const struct query *query, void *into, struct error *err)
{
    struct families_question *question = into;

    if (question->family && question->instance_type)
        return error_set(err, ERROR_INVALID, "instance_type",
                         "names a family too: give it or family, not both");
    return comparison_question_check(query, &question->comparison, err);
}

#define AT(member) .offset = offsetof(struct families_question, member)
static const struct parameter_row families[] = {
    {"family", PARAMETER_WORD, AT(family),
     .meaning = "Only this family: `c7i`, `n2-standard`, `Standard_Ds_v5`. The default is every "
                "family with a measured size."},
    {"instance_type", PARAMETER_WORD, AT(instance_type),
     .meaning = "Only the family of this type; instead of `family`."},
    {"limit", PARAMETER_INTEGER, AT(comparison.limit), .min = 1, .max = COMPARISON_LIST_MAX,
     .usual = "50", .meaning = "Maximum number of families."},
    {"cursor", API_NAME_CURSOR, AT(after)},
    {0},
};
#undef AT
static const char *const of_comparison[] = {"provider", "workload",  "engine", "precision",
                                            "price",    "region",    "zone",   "discount",
                                            "price_of", "vm_spread", NULL};

#define AT(member) .offset = offsetof(struct support_question, member)
static const struct parameter_row support[] = {
    {"provider", PARAMETER_PROVIDER, AT(filter.provider), .meaning = "The cloud provider."},
    {"family", PARAMETER_WORD, AT(family),
     .meaning = "Only types of this family: `c7i`, `n2-standard`, `Standard_Ds_v5`."},
    {"instance_type", PARAMETER_WORD, AT(filter.name), .meaning = "Only this type."},
    {"limit", PARAMETER_INTEGER, AT(limit), .min = 1, .max = INSTANCE_LIST_MAX, .usual = "100",
     .meaning = "Maximum number of types on the page."},
    {"cursor", API_NAME_CURSOR, AT(filter.after)},
    {0},
};
#undef AT

#define AT(member) .offset = offsetof(struct wanted_asked, member)
static const struct parameter_row wanted[] = {
    {"instance_type", PARAMETER_WORD, AT(instance_type), .max = INSTANCE_SIZE - 1,
     .meaning = "The type of the machine that asks; the default is the type of the machine that "
                "answers."},
    {"provider", PARAMETER_PROVIDER, AT(provider), .max = PROVIDER_SIZE - 1,
     .meaning = "Its provider; the default is the first that has such a type."},
    {"workload", PARAMETER_WORD, AT(workload), .meaning = "Only this workload."},
    {"engine", PARAMETER_WORD, AT(engine),
     .meaning = "Only this engine: `native` where the machine has no other."},
    {"days", PARAMETER_INTEGER, AT(days), .min = 1, .max = DAYS_MAX, .usual = "90",
     .meaning = "Older runs are wanted again."},
    {"limit", PARAMETER_INTEGER, AT(limit), .min = 1, .max = INSTANCE_LIST_MAX, .usual = "10",
     .meaning = "Maximum number of specs."},
    {0},
};
#undef AT

const struct parameters families_parameters = {
    .size = sizeof(struct families_question),
    .parts = {{comparison_rows, .only = of_comparison}, {families}},
    .check = check_families,
};

const struct parameters support_parameters = {
    .size = sizeof(struct support_question),
    .parts = {{support}},
};

const struct parameters wanted_parameters = {
    .size = sizeof(struct wanted_asked),
    .parts = {{wanted}},
};
