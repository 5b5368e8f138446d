/* Tested by tests/api/test_families.py. */
#include "server/http/json/comparison/present_families.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "server/http/json/comparison/present_comparison.h"
#include "server/http/json/comparison/present_comparison_price.h"
#include "server/http/json/present_support.h"
#include "server/http/json/present_unmatched.h"
#include "server/prices/price_json.h"

#include <math.h>

static void present_efficiency(struct json_writer *out, const struct family_size *size)
{
    const struct ratio *ratio = &size->efficiency;

    if (isnan(ratio->value)) {
        jsonw_null(out, "scaling_efficiency");
        return;
    }
    jsonw_open(out, "scaling_efficiency", '{');
    jsonw_number(out, "value", ratio->value);
    jsonw_number(out, "low", ratio->known ? ratio->low : NAN);
    jsonw_number(out, "high", ratio->known ? ratio->high : NAN);
    jsonw_close(out, '}');
}

static void present_size(struct json_writer *out, const struct family_size *size)
{
    const struct comparison_row *row = size->row;
    double vcpus = size->vcpus.number, gib = size->memory_gib.number;
    bool has_cost = row && row->has_cost;

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "instance_type", size->type->listed.name);
    jsonw_bool(out, "measured", row != NULL);
    present_number_fact(out, "vcpus", &size->vcpus);
    present_number_fact(out, "memory_gib", &size->memory_gib);
    jsonw_number(out, "memory_gib_per_vcpu", vcpus > 0 && gib > 0 ? gib / vcpus : NAN);
    present_row_price(out, &size->price);
    jsonw_text(out, "row", row ? row->contender->id : NULL);
    jsonw_text(out, "cpu_model", row ? text_or_null(row->contender->newest.cpu_model) : NULL);
    if (row)
        present_row_throughput(out, row);
    else
        jsonw_null(out, "throughput");
    present_interval(out, "samples_per_dollar", has_cost ? &row->cost.samples_per_dollar : NULL);
    present_interval(out, "dollars_per_million_samples",
                     has_cost ? &row->cost.dollars_per_million : NULL);
    present_efficiency(out, size);
    jsonw_close(out, '}');
}

static void present_family(struct json_writer *out, const struct families *families, size_t first,
                           size_t end)
{
    const struct family_size *list = families->list;
    const char *reference = NULL;

    for (size_t i = first; i < end; i++)
        if (list[i].is_reference)
            reference = list[i].type->listed.name;
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "family", list[first].family);
    jsonw_text(out, "provider", text_or_null(list[first].type->listed.provider));
    jsonw_text(out, "reference", reference);
    jsonw_open(out, "sizes", '[');
    for (size_t i = first; i < end; i++)
        present_size(out, &list[i]);
    jsonw_close(out, ']');
    jsonw_close(out, '}');
}

void present_families(struct json_writer *out, const struct comparison_question *question,
                      const struct families *families, const char *after,
                      const struct ranking *ranking)
{
    char key[INSTANCE_SIZE + PROVIDER_SIZE], last[sizeof key] = "";
    long long count = 0;
    bool has_more = false;

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "workload", question->workload);
    jsonw_open(out, "families", '[');
    for (size_t first = 0, end; first < families->count && !has_more; first = end) {
        end = families_end(families, first);
        snprintf(key, sizeof key, "%s %s", families->list[first].family,
                 families->list[first].type->listed.provider);
        if (after && strcmp(key, after) <= 0)
            continue;
        has_more = count == question->limit;
        if (has_more)
            continue;
        present_family(out, families, first, end);
        memcpy(last, key, sizeof last);
        count++;
    }
    jsonw_close(out, ']');
    jsonw_text(out, "next_cursor", has_more ? last : NULL);
    present_unmatched(out, ranking->unmatched, ranking->unmatched_count);
    jsonw_text(out, "words",
               "scaling efficiency is the throughput of a vCPU relative to the smallest measured "
               "size of the family; its interval counts what machines of a type may differ by");
    jsonw_close(out, '}');
}
