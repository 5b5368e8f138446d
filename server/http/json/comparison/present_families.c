/* Tested by tests/api/test_families.py. */
#include "server/http/json/comparison/present_families.h"

#include "server/http/json/comparison/present_comparison_price.h"
#include "server/http/json/comparison/present_row.h"
#include "server/http/json/page.h"
#include "server/http/json/present_support.h"
#include "server/prices/price_json.h"

#include <math.h>

static double gib_per_vcpu(const struct family_size *size)
{
    double vcpus = size->vcpus.number, gib = size->memory_gib.number;

    return vcpus > 0 && gib > 0 ? gib / vcpus : NAN;
}

static void write_efficiency(struct json_writer *out, const struct member *row,
                             const void *object)
{
    const struct ratio *ratio = &((const struct family_size *)object)->efficiency;
    const struct amount amount = {ratio->value, ratio->low, ratio->high, ratio->known};

    members_write(out, row->name, row->members, isnan(ratio->value) ? NULL : &amount);
}

/* The contender measured on a size; an unnamed one if there is none. */
static const void *find_family_contender(const void *object)
{
    static const struct contender none;
    const struct family_size *size = object;

    return size->row ? size->row->contender : &none;
}

MEMBER_WRITES(write_type, text, struct family_size, size, size->type->listed.name)
MEMBER_WRITES(write_measured, bool, struct family_size, size, size->row != NULL)
MEMBER_WRITES(write_gib_per_vcpu, number, struct family_size, size, gib_per_vcpu(size))
MEMBER_FINDS(find_throughput, struct family_size, size,
             size->row ? comparison_find_throughput(size->row) : NULL)
MEMBER_FINDS(find_samples, struct family_size, size,
             size->row ? comparison_find_samples(size->row) : NULL)
MEMBER_FINDS(find_family_per_million, struct family_size, size,
             size->row && size->row->has_cost ? &size->row->cost.dollars_per_million : NULL)

static const struct member family_who_rows[] = {
    {MEMBER_AS(struct contender, "row", id), .nullable = true,
     .meaning = "Id of its row in the comparison."},
    {MEMBER_AS(struct contender, "cpu_model", newest.cpu_model), .nullable = true},
    {0},
};
static const struct members family_who_members = {.rows = family_who_rows};

static const struct member size_rows[] = {
    {MEMBER_WRITTEN("instance_type", MEMBER_TEXT, write_type)},
    {MEMBER_WRITTEN("measured", MEMBER_BOOL, write_measured)},
    {MEMBER_OBJECT_AT(struct family_size, "vcpus", vcpus), .members = &number_fact_members,
     .meaning = "From the catalogue; else from a measured machine."},
    {MEMBER_OBJECT_AT(struct family_size, "memory_gib", memory_gib),
     .members = &number_fact_members},
    {MEMBER_WRITTEN("memory_gib_per_vcpu", MEMBER_NUMBER, write_gib_per_vcpu), .nullable = true},
    {MEMBER_ROWS_AT(struct family_size, price, &row_price_members)},
    {MEMBER_ROWS(&family_who_members), .find = find_family_contender},
    {MEMBER_FOUND("throughput", &throughput_members, find_throughput), .nullable = true},
    {MEMBER_FOUND("samples_per_dollar", &amount_members, find_samples), .nullable = true},
    {MEMBER_FOUND("dollars_per_million_samples", &amount_members, find_family_per_million),
     .nullable = true},
    {MEMBER_WRITTEN("scaling_efficiency", MEMBER_OBJECT, write_efficiency), .nullable = true,
     .members = &amount_members,
     .meaning = "Throughput of a vCPU relative to the family's reference; its interval counts "
                "what machines of a type may differ by. null: one of both is not known."},
    {0},
};
static const struct members size_members = {.name = "FamilySize",
                                            .meaning = "A size of a family and its measurement.",
                                            .rows = size_rows};

struct family {
    const struct family_size *sizes;
    size_t count;
};

static const char *reference_of(const struct family *family)
{
    const char *reference = NULL;

    for (size_t i = 0; i < family->count; i++)
        if (family->sizes[i].is_reference)
            reference = family->sizes[i].type->listed.name;
    return reference;
}

MEMBER_LISTS(write_sizes, struct family, family, family->sizes, family->count)

static void write_provider(struct json_writer *out, const struct member *row, const void *object)
{
    const struct family *family = object;
    const char *provider = family->sizes[0].type->listed.provider;

    jsonw_text(out, row->name, *provider ? provider : NULL);
}

MEMBER_WRITES(write_family_name, text, struct family, family, family->sizes[0].family)
MEMBER_WRITES(write_reference, text, struct family, family, reference_of(family))

static const struct member family_rows[] = {
    {MEMBER_WRITTEN("family", MEMBER_TEXT, write_family_name)},
    {MEMBER_WRITTEN("provider", MEMBER_TEXT, write_provider), .nullable = true},
    {MEMBER_WRITTEN("reference", MEMBER_TEXT, write_reference), .nullable = true,
     .meaning = "The smallest measured size, to which the efficiency of the others is relative."},
    {MEMBER_LIST_OF("sizes", &size_members), .write = write_sizes},
    {0},
};
static const struct members family_members = {
    .name = "Family",
    .meaning = "The sizes of a family, ordered by their vCPUs.",
    .rows = family_rows};

static void write_families(struct json_writer *out, const struct member *row, const void *object)
{
    const struct families_view *view = object;
    struct page *page = view->page;
    size_t end;

    jsonw_open(out, row->name, '[');
    for (size_t first = 0; first < view->families->count; first = end) {
        const struct family_size *sizes = &view->families->list[first];
        struct family family = {.sizes = sizes};
        char key[INSTANCE_SIZE + PROVIDER_SIZE];

        end = families_end(view->families, first);
        family.count = end - first;
        snprintf(key, sizeof key, "%s %s", sizes->family, sizes->type->listed.provider);
        if (view->after && strcmp(key, view->after) <= 0)
            continue;
        if (!page_takes(page))
            break;
        memcpy(page->last, key, sizeof key);
        members_write(out, NULL, row->members, &family);
    }
    jsonw_close(out, ']');
}

MEMBER_WRITES(write_workload, text, struct families_view, view, view->question->workload)

static const struct member list_rows[] = {
    {MEMBER_WRITTEN("workload", MEMBER_TEXT, write_workload)},
    {MEMBER_LIST_OF("families", &family_members), .write = write_families},
    {MEMBER_ROWS(&page_end_members)},
    {.name = "words",
     .type = MEMBER_TEXT,
     .always = "scaling efficiency is the throughput of a vCPU relative to the smallest measured "
               "size of the family; its interval counts what machines of a type may differ by"},
    {0},
};
const struct members family_list_members = {
    .name = "FamilyList", .meaning = "A page of families.", .rows = list_rows};
