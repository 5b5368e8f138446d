/* Tested by tests/api/test_support.py. */
#include "server/http/json/present_support.h"

#include <math.h>

#define FACT_SOURCE                                                                              \
    .nullable = true, .words = fact_source_names + SOURCE_MEASURED, .first = SOURCE_MEASURED,    \
    .meaning = "The source: a machine of the type that a run was measured on, the catalogue "    \
               "of the feeds, or a rule about the family; null where the fact is unknown."

static const struct member number_rows[] = {
    {MEMBER_AS(struct number_fact, "value", number), .nullable = true, .range = MEMBER_POSITIVE},
    {MEMBER(struct number_fact, source), FACT_SOURCE},
    {0},
};
const struct members number_fact_members = {
    .name = "NumberFact", .meaning = "A number; null is unknown.", .rows = number_rows};

static const char *word_or_unknown(const struct word_fact *fact)
{
    return fact->source == SOURCE_NONE ? "unknown" : fact->word;
}

MEMBER_WRITES(write_word, text, struct word_fact, fact, word_or_unknown(fact))

static const struct member word_rows[] = {
    {MEMBER_WRITTEN("value", MEMBER_TEXT, write_word)},
    {MEMBER(struct word_fact, source), FACT_SOURCE},
    {0},
};
static const struct members word_members = {
    .name = "WordFact",
    .meaning = "A fact; its value is `unknown` where no source has it.",
    .rows = word_rows};

/* A derived fact has the source of the fact it follows from. */
struct answer_fact {
    enum support_answer value;
    enum fact_source source;
};

static const struct member support_answer_rows[] = {
    {MEMBER(struct answer_fact, value), .words = support_answer_names},
    {MEMBER(struct answer_fact, source), FACT_SOURCE},
    {0},
};
static const struct members support_answer_members = {
    .name = "AnswerFact", .meaning = "Whether something is so.", .rows = support_answer_rows};

static void write_answer(struct json_writer *out, const struct member *row,
                         enum support_answer answer, enum fact_source source)
{
    const struct answer_fact fact = {answer, answer == SUPPORT_UNKNOWN ? SOURCE_NONE : source};

    members_write(out, row->name, row->members, &fact);
}

static void write_supporting_runs(struct json_writer *out, const struct member *row,
                                  const void *object)
{
    const struct support *support = object;

    write_answer(out, row, support->runs, support->runs_source);
}

static void write_by_isa(struct json_writer *out, const struct member *row, const void *object)
{
    const struct support *support = object;

    write_answer(out, row, MEMBER_VALUE(enum support_answer, row, support), support->isa.source);
}

static void write_memory_enough(struct json_writer *out, const struct member *row,
                                const void *object)
{
    const struct support *support = object;

    write_answer(out, row, support->memory_enough, support->memory_gib.source);
}

MEMBER_FINDS(find_type, struct support_view, view, view->type)
MEMBER_FINDS(find_support, struct support_view, view, view->support)

/* clang-format off */
#define ANSWER(called, member, writes)                                                           \
    MEMBER_OBJECT_AT(struct support, called, member), .members = &support_answer_members,                \
                                                      .write = (writes)
/* clang-format on */
#define WORD(member) MEMBER_OBJECT_AT(struct support, #member, member), .members = &word_members
#define NUMBER(member)                                                                           \
    MEMBER_OBJECT_AT(struct support, #member, member), .members = &number_fact_members
static const struct member facts_rows[] = {
    {MEMBER(struct support, family),
     .meaning = "Types that differ in size alone, by the form of the name."},
    {ANSWER("runs", runs, write_supporting_runs),
     .meaning = "Whether the engine runs there. `measured`: a finished run of any spec says so."},
    {MEMBER(struct support, why_not), .nullable = true,
     .meaning = "Where `runs` is `no` or `unknown`."},
    {WORD(isa), .meaning = "The instruction set that the engine chooses by."},
    {MEMBER(struct support, isa_at_least),
     .meaning = "The family has several processors, and some may have more."},
    {ANSWER("bf16_native", bf16, write_by_isa)},
    {ANSWER("amx", amx, write_by_isa)},
    {WORD(architecture)},
    {WORD(processor)},
    {NUMBER(numa_nodes), .meaning = "Only measured machines tell."},
    {NUMBER(vcpus)},
    {NUMBER(memory_gib)},
    {MEMBER_AS(struct support, "memory_needed_gib", need_gib), .nullable = true,
     .range = MEMBER_POSITIVE,
     .meaning = "By ResNet-50 with the defaults of a run, on all vCPUs."},
    {ANSWER("memory_enough", memory_enough, write_memory_enough), .meaning = "For that need."},
    {0},
};
static const struct members support_facts_members = {.rows = facts_rows};

static const struct member type_rows[] = {
    {MEMBER_AS(struct known_type, "provider", listed.provider), .nullable = true},
    {MEMBER_AS(struct known_type, "instance_type", listed.name)},
    {0},
};
static const struct members type_members = {.rows = type_rows};

static const struct member known_rows[] = {
    {MEMBER_AS(struct known_type, "kinds_measured", measured.kinds), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Kinds of hardware of this type that finished runs were measured on. Of several, "
                "the kind seen last has the facts."},
    {MEMBER(struct known_type, feed), .nullable = true,
     .meaning = "That lists it; null: it is known from runs alone."},
    {0},
};
static const struct members known_members = {.rows = known_rows};

static const struct member support_rows[] = {
    {MEMBER_ROWS(&type_members), .find = find_type},
    {MEMBER_ROWS(&support_facts_members), .find = find_support},
    {MEMBER_ROWS(&known_members), .find = find_type},
    {0},
};
const struct members support_members = {
    .name = "Support",
    .meaning = "The known facts of an instance type, for ResNet-50 with the defaults of a run.",
    .rows = support_rows};

#define FACT(name) " " name ".value=" name " " name ".source"
const char support_columns[] =
    "runs.value=runs provider instance_type family runs.source why_not" FACT(
        "isa") " isa_at_least "
               "bf16_native.value=bf16_native amx.value=amx" FACT("architecture")
                   FACT("processor") FACT("numa_nodes") FACT("vcpus")
                       FACT("memory_gib") " memory_needed_gib "
                                          "memory_enough.value=memory_enough kinds_measured feed";
