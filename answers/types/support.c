#include "answers/types/support.h"

#include "answers/types/processor_rules.h"
#include "common/cleanup.h"
#include "common/units.h"
#include "engine/run/memory.h"
#include "engine/run/native.h"
#include "pricing/instance_family.h"

const char *const fact_source_names[] = {NULL, "measured", "catalogue", "rule", NULL};
const char *const support_answer_names[] = {"unknown", "no", "yes", NULL};

static struct number_fact number_of(double measured, double listed)
{
    return measured > 0 ? (struct number_fact){measured, SOURCE_MEASURED}
           : listed > 0 ? (struct number_fact){listed, SOURCE_CATALOGUE}
                        : (struct number_fact){0};
}

static void set_word(struct word_fact *fact, const char *word, enum fact_source source)
{
    if (fact->source != SOURCE_NONE || !word || !*word)
        return;
    snprintf(fact->word, sizeof fact->word, "%s", word);
    fact->source = source;
}

/* The kernel's name, in the spelling of feeds. */
static const char *architecture_of(const char *machine)
{
    return strcmp(machine, "aarch64") == 0 ? "arm64" : machine;
}

static void look_at_processor(const struct known_type *type, struct support *support)
{
    const struct processor_rule *rule = processor_rule_of(type->listed.provider, support->family);
    enum cpu_isa isa;

    if (cpu_isa_from_name(type->measured.isa, &isa))
        set_word(&support->isa, cpu_isa_name(isa), SOURCE_MEASURED);
    set_word(&support->architecture, architecture_of(type->measured.architecture),
             SOURCE_MEASURED);
    set_word(&support->architecture, type->listed.architecture, SOURCE_CATALOGUE);
    set_word(&support->processor, type->measured.cpu_model, SOURCE_MEASURED);
    if (!rule)
        return;
    if (support->isa.source == SOURCE_NONE)
        support->isa_at_least = rule->at_least;
    set_word(&support->isa, cpu_isa_name(rule->isa), SOURCE_RULE);
    set_word(&support->architecture, rule->architecture, SOURCE_RULE);
    set_word(&support->processor, rule->processors, SOURCE_RULE);
}

static enum support_answer has_isa(const struct support *support, enum cpu_isa wanted)
{
    enum cpu_isa isa;

    if (!cpu_isa_from_name(support->isa.word, &isa))
        return SUPPORT_UNKNOWN;
    return isa >= wanted ? SUPPORT_YES : support->isa_at_least ? SUPPORT_UNKNOWN : SUPPORT_NO;
}

static long long threads_of(const struct support *support, const struct run_spec *spec)
{
    return spec->threads > 0 ? spec->threads : (long long)support->vcpus.number;
}

static long long bytes_of(const struct support *support)
{
    return (long long)(support->memory_gib.number * GIB);
}

static bool fits_memory(const struct support *support, const struct run_spec *spec)
{
    const struct memory_limit limit = {.bytes = bytes_of(support)};

    return memory_can_hold(spec, threads_of(support, spec), &limit, NULL);
}

static void look_at_memory(const struct run_spec *spec, struct support *support)
{
    support->need_gib = (double)memory_need(spec, threads_of(support, spec)) / GIB;
    if (support->memory_gib.source != SOURCE_NONE && support->need_gib > 0)
        support->memory_enough = fits_memory(support, spec) ? SUPPORT_YES : SUPPORT_NO;
}

static void support_say(struct support *support, enum support_answer runs,
                        enum fact_source source, const char *why_not)
{
    support->runs = runs;
    support->runs_source = source;
    snprintf(support->why_not, sizeof support->why_not, "%s", why_not);
}

static void say_memory(const struct run_spec *spec, struct support *support)
{
    long long largest = memory_largest_batch(spec, threads_of(support, spec), bytes_of(support));
    char advice[64] = "no batch fits";

    if (largest > 0)
        snprintf(advice, sizeof advice, "the largest batch that fits is %lld", largest);
    snprintf(support->why_not, sizeof support->why_not,
             "a batch of %lld needs about %.1f GiB of memory, and it has %.1f GiB; %s",
             spec->batch_size, support->need_gib, support->memory_gib.number, advice);
}

/* A measurement decides; else a fact that rules it out; else a missing fact. */
static void support_decide(const struct known_type *type, const struct run_spec *spec,
                           struct support *support)
{
    if (type->measured.kinds > 0)
        support_say(support, SUPPORT_YES, SOURCE_MEASURED, "");
    else if (support->memory_enough == SUPPORT_NO)
        support_say(support, SUPPORT_NO, support->memory_gib.source, "");
    else if (support->memory_enough == SUPPORT_UNKNOWN)
        support_say(support, SUPPORT_UNKNOWN, SOURCE_NONE, "how much memory it has is not known");
    else if (support->architecture.source == SOURCE_NONE)
        support_say(support, SUPPORT_UNKNOWN, SOURCE_NONE, "its architecture is not known");
    else if (strcmp(support->architecture.word, "x86_64") != 0)
        support_say(support, SUPPORT_UNKNOWN, SOURCE_NONE,
                    "no run was measured on it, and the program is tested on x86_64 only");
    else
        support_say(support, SUPPORT_YES, SOURCE_RULE, "");
    if (support->runs == SUPPORT_NO)
        say_memory(spec, support);
}

void support_of(const struct known_type *type, const struct run_spec *spec,
                struct support *ret_support)
{
    struct support support = {.vcpus = number_of(type->measured.processors, type->listed.vcpus),
                              .memory_gib =
                                  number_of(type->measured.memory_gib, type->listed.memory_gib),
                              .numa_nodes = number_of(type->measured.numa_nodes, 0)};

    instance_family(type->listed.name, support.family);
    look_at_processor(type, &support);
    support.bf16 = has_isa(&support, CPU_AVX512_BF16);
    support.amx = has_isa(&support, CPU_AMX);
    look_at_memory(spec, &support);
    support_decide(type, spec, &support);
    *ret_support = support;
}

bool support_may_run(const struct support *support, const struct run_spec *spec)
{
    enum cpu_isa wanted;

    if (support->vcpus.number > 0 && (double)spec->threads > support->vcpus.number)
        return false;
    if (strcmp(spec->isa, "auto") != 0 && cpu_isa_from_name(spec->isa, &wanted) &&
        has_isa(support, wanted) == SUPPORT_NO)
        return false;
    if (strcmp(spec->engine, ENGINE_NATIVE) != 0)
        return true;
    return native_can_train(spec, NULL) && fits_memory(support, spec);
}
