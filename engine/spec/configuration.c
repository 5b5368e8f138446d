#include "engine/spec/configuration.h"

#include "common/cleanup.h"
#include "common/json_text.h"

/* The members of a configuration, in the order of run_spec_fields, which has their types. */
#define AT(member) .name = #member, .offset = offsetof(struct configuration, member)
static const struct {
    const char *name;
    size_t offset;
} members[] = {
    {AT(precision)}, {AT(batch_size)},    {AT(layout)},   {AT(threads)}, {AT(plan)},
    {AT(isa)},       {AT(input_workers)}, {AT(pinning)},  {AT(numa)},    {AT(huge_pages)},
    {AT(openmp)},    {AT(allocator)},     {AT(protocol)},
};
#undef AT
_Static_assert(COUNT(members) == CONFIGURATION_MEMBERS, "callers have room for each member");
_Static_assert(CONFIGURATION_MEMBERS <= 32, "each member has a bit of `known`");

/* The field of a spec, at its place in a struct configuration. */
static struct field field_at(size_t member)
{
    const struct field *of_spec =
        fields_find(run_spec_fields, run_spec_field_count, members[member].name);
    struct field field = *of_spec;

    field.offset = members[member].offset;
    return field;
}

static size_t member_find(const char *name)
{
    size_t member = 0;

    while (member < COUNT(members) && strcmp(members[member].name, name) != 0)
        member++;
    return member;
}

bool configuration_has(const char *field)
{
    return member_find(field) < COUNT(members);
}

static bool is_known(const struct configuration *configuration, size_t member)
{
    return (configuration->known >> member & 1) != 0;
}

void configuration_read(const char *text, struct configuration *ret_configuration)
{
    struct configuration configuration = {0};
    AUTO(json_decrefp) json_t *json = json_loads(text, 0, NULL);
    const char *precision = json_string_value(json_object_get(json, "precision"));

    for (size_t member = 0; member < COUNT(members); member++) {
        const json_t *value = json_object_get(json, members[member].name);
        const struct field field = field_at(member);
        struct error ignored = {0};

        if (value && field_read(&field, value, &configuration, &ignored))
            configuration.known |= 1U << member;
    }
    if (precision && !configuration.precision &&
        strlen(precision) < sizeof configuration.foreign_precision)
        memcpy(configuration.foreign_precision, precision, strlen(precision) + 1);
    *ret_configuration = configuration;
}

bool configuration_matches(const struct configuration *configuration, const char *precision,
                           long long batch_size)
{
    const char *has =
        configuration->precision ? configuration->precision : configuration->foreign_precision;

    return (!precision || strcmp(precision, has) == 0) &&
           (batch_size == 0 || configuration->batch_size == batch_size);
}

/* Whether a field has one value at two places, in structs of one type. */
static bool value_equal(const struct field *field, const void *left, const void *right)
{
    const void *a = (const char *)left + field->offset, *b = (const char *)right + field->offset;

    switch (field->type) {
    case FIELD_CHOICE: /* a word of one table: the same word is the same address */
        return memcmp(a, b, sizeof(const char *)) == 0;
    case FIELD_TEXT:
        return strcmp(a, b) == 0;
    case FIELD_NUMBER:
    case FIELD_AMOUNT:
    case FIELD_LIMIT:
        return memcmp(a, b, sizeof(double)) == 0;
    default:
        return memcmp(a, b, sizeof(long long)) == 0;
    }
}

size_t configuration_differences(const struct configuration *left,
                                 const struct configuration *right,
                                 const char *ret_names[CONFIGURATION_MEMBERS])
{
    size_t count = 0;

    for (size_t member = 0; member < COUNT(members); member++) {
        const struct field field = field_at(member);

        if (is_known(left, member) != is_known(right, member) ||
            !value_equal(&field, left, right))
            ret_names[count++] = members[member].name;
    }
    return count;
}

json_t *configuration_member(const struct configuration *configuration, const char *name)
{
    size_t member = member_find(name);
    struct field field;

    if (member == COUNT(members) || !is_known(configuration, member))
        return NULL;
    field = field_at(member);
    return field_write(&field, configuration);
}

char *configuration_of_spec(const struct run_spec *spec)
{
    AUTO(json_decrefp) json_t *json = json_object();

    for (size_t i = 0; i < run_spec_field_count; i++)
        if (configuration_has(run_spec_fields[i].name))
            json_object_set_new(json, run_spec_fields[i].name,
                                field_write(&run_spec_fields[i], spec));
    return json_text(json);
}

bool configuration_equal(const struct run_spec *left, const struct run_spec *right)
{
    if (strcmp(left->workload, right->workload) != 0 || strcmp(left->engine, right->engine) != 0)
        return false;
    for (size_t i = 0; i < run_spec_field_count; i++)
        if (configuration_has(run_spec_fields[i].name) &&
            !value_equal(&run_spec_fields[i], left, right))
            return false;
    return true;
}
