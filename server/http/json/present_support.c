/* Tested by tests/api/test_support.py. */
#include "server/http/json/present_support.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "server/http/json/csv_cells.h"

#include <math.h>

static double number_or_none(double number)
{
    return number > 0 ? number : NAN;
}

static const char *word_or_unknown(const struct word_fact *fact)
{
    return fact->source == SOURCE_NONE ? "unknown" : fact->word;
}

void present_number_fact(struct json_writer *out, const char *key, const struct number_fact *fact)
{
    jsonw_open(out, key, '{');
    jsonw_number(out, "value", number_or_none(fact->number));
    jsonw_text(out, "source", fact_source_names[fact->source]);
    jsonw_close(out, '}');
}

static void present_word(struct json_writer *out, const char *key, const char *word,
                         enum fact_source source)
{
    jsonw_open(out, key, '{');
    jsonw_text(out, "value", word);
    jsonw_text(out, "source", fact_source_names[source]);
    jsonw_close(out, '}');
}

/* What follows from another fact is from where that is. */
static void present_answer(struct json_writer *out, const char *key, enum support_answer answer,
                           enum fact_source source)
{
    present_word(out, key, support_answer_names[answer],
                 answer == SUPPORT_UNKNOWN ? SOURCE_NONE : source);
}

void present_support(struct json_writer *out, const struct known_type *type,
                     const struct support *support)
{
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "provider", text_or_null(type->listed.provider));
    jsonw_text(out, "instance_type", type->listed.name);
    jsonw_text(out, "family", support->family);
    present_answer(out, "runs", support->runs, support->runs_source);
    jsonw_text(out, "why_not", text_or_null(support->why_not));
    present_word(out, "isa", word_or_unknown(&support->isa), support->isa.source);
    jsonw_bool(out, "isa_at_least", support->isa_at_least);
    present_answer(out, "bf16_native", support->bf16, support->isa.source);
    present_answer(out, "amx", support->amx, support->isa.source);
    present_word(out, "architecture", word_or_unknown(&support->architecture),
                 support->architecture.source);
    present_word(out, "processor", word_or_unknown(&support->processor),
                 support->processor.source);
    present_number_fact(out, "numa_nodes", &support->numa_nodes);
    present_number_fact(out, "vcpus", &support->vcpus);
    present_number_fact(out, "memory_gib", &support->memory_gib);
    jsonw_number(out, "memory_needed_gib", number_or_none(support->need_gib));
    present_answer(out, "memory_enough", support->memory_enough, support->memory_gib.source);
    jsonw_integer(out, "kinds_measured", type->measured.kinds);
    jsonw_text(out, "feed", text_or_null(type->feed));
    jsonw_close(out, '}');
}

const char present_support_columns[] =
    "runs,provider,instance_type,family,runs_source,why_not,isa,isa_source,isa_at_least,"
    "bf16_native,amx,architecture,architecture_source,processor,processor_source,numa_nodes,"
    "numa_nodes_source,vcpus,vcpus_source,memory_gib,memory_gib_source,memory_needed_gib,"
    "memory_enough,kinds_measured,feed\r\n";

static bool add_source(struct bytes *text, enum fact_source source)
{
    return csv_add_text(text, source == SOURCE_NONE ? "" : fact_source_names[source]);
}

static bool add_number_fact(struct bytes *text, const struct number_fact *fact)
{
    return csv_add_number(text, number_or_none(fact->number)) && add_source(text, fact->source);
}

static bool add_word_fact(struct bytes *text, const struct word_fact *fact)
{
    return csv_add_text(text, word_or_unknown(fact)) && add_source(text, fact->source);
}

bool present_support_line(struct bytes *text, const struct known_type *type,
                          const struct support *support)
{
    return bytes_printf(text, "%s", support_answer_names[support->runs]) &&
           csv_add_text(text, type->listed.provider) && csv_add_text(text, type->listed.name) &&
           csv_add_text(text, support->family) && add_source(text, support->runs_source) &&
           csv_add_text(text, support->why_not) && add_word_fact(text, &support->isa) &&
           bytes_printf(text, ",%s", support->isa_at_least ? "true" : "false") &&
           csv_add_text(text, support_answer_names[support->bf16]) &&
           csv_add_text(text, support_answer_names[support->amx]) &&
           add_word_fact(text, &support->architecture) &&
           add_word_fact(text, &support->processor) &&
           add_number_fact(text, &support->numa_nodes) &&
           add_number_fact(text, &support->vcpus) &&
           add_number_fact(text, &support->memory_gib) &&
           csv_add_number(text, number_or_none(support->need_gib)) &&
           csv_add_text(text, support_answer_names[support->memory_enough]) &&
           bytes_printf(text, ",%lld", type->measured.kinds) && csv_add_text(text, type->feed) &&
           bytes_add(text, "\r\n", 2);
}
