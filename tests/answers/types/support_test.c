#include "answers/types/support.h"

#include "answers/types/processor_rules.h"
#include "tests/test.h"

static struct support support_for(const struct known_type *type)
{
    const struct run_spec spec = run_spec_default();
    struct support support;

    support_of(type, &spec, &support);
    return support;
}

#define SUPPORT(...) support_for(&(struct known_type){__VA_ARGS__})
#define AWS(name_, vcpus_, gib_, architecture_)                                                  \
    .listed = {.provider = "aws",                                                                \
               .name = name_,                                                                    \
               .vcpus = (vcpus_),                                                                \
               .memory_gib = (gib_),                                                             \
               .architecture = architecture_},                                                   \
    .feed = "a feed"

TEST(a_rule_speaks_of_a_family_without_a_measurement)
{
    struct support support = SUPPORT(AWS("c7i.large", 2, 4, "x86_64"));

    EXPECT_HAS(support, (family, "c7i"), (isa.word, "amx"), (isa.source, SOURCE_RULE));
    EXPECT(!support.isa_at_least);
    EXPECT_HAS(support, (bf16, SUPPORT_YES), (amx, SUPPORT_YES),
               (architecture.source, SOURCE_CATALOGUE), (memory_gib.source, SOURCE_CATALOGUE),
               (numa_nodes.source, SOURCE_NONE), (memory_enough, SUPPORT_YES),
               (runs, SUPPORT_YES), (runs_source, SOURCE_RULE), (why_not, ""));
}

TEST(a_machine_knows_better_than_the_rule_and_the_catalogue)
{
    struct support support =
        SUPPORT(AWS("c7i.large", 2, 4, "x86_64"), .measured = {.kinds = 1,
                                                               .isa = "avx512",
                                                               .cpu_model = "A CPU",
                                                               .architecture = "x86_64",
                                                               .processors = 1,
                                                               .numa_nodes = 1,
                                                               .memory_gib = 3});

    EXPECT_HAS(support, (isa.word, "avx512"), (isa.source, SOURCE_MEASURED), (amx, SUPPORT_NO),
               (bf16, SUPPORT_NO), (processor.word, "A CPU"), (vcpus.number, 1),
               (memory_gib.number, 3), (memory_gib.source, SOURCE_MEASURED),
               (numa_nodes.source, SOURCE_MEASURED), (runs_source, SOURCE_MEASURED));
}

TEST(of_a_family_with_several_processors_only_the_least_is_certain)
{
    struct support support = SUPPORT(.listed = {.provider = "azure",
                                                .name = "Standard_D4s_v5",
                                                .vcpus = 4,
                                                .memory_gib = 16,
                                                .architecture = ""});

    EXPECT_STR(support.isa.word, "avx512");
    EXPECT(support.isa_at_least);
    EXPECT_HAS(support, (amx, SUPPORT_UNKNOWN), (runs, SUPPORT_YES));
}

TEST(what_no_source_knows_is_unknown_and_says_what_is_missing)
{
    struct support support = SUPPORT(AWS("zz9.large", 0, 0, ""));

    EXPECT_HAS(support, (isa.word, ""), (amx, SUPPORT_UNKNOWN), (runs, SUPPORT_UNKNOWN),
               (why_not, "how much memory it has is not known"));
    support = SUPPORT(AWS("zz9.large", 2, 8, ""));
    EXPECT_STR(support.why_not, "its architecture is not known");
    support = SUPPORT(AWS("c7g.large", 2, 8, "arm64"));
    EXPECT_HAS(support, (runs, SUPPORT_UNKNOWN), (bf16, SUPPORT_NO),
               (why_not, "no run was measured on it, and the program is tested on x86_64 only"));
}

TEST(too_little_memory_is_a_no_with_the_batch_that_fits)
{
    struct support support = SUPPORT(AWS("c7i.nano", 2, 1.25, "x86_64"));

    EXPECT_HAS(support, (memory_enough, SUPPORT_NO), (runs, SUPPORT_NO),
               (runs_source, SOURCE_CATALOGUE));
    EXPECT_PART(support.why_not, "and it has 1.2 GiB; the largest batch that fits is ");
    support = SUPPORT(AWS("c7i.nano", 2, 0.5, "x86_64"));
    EXPECT_PART(support.why_not, "; no batch fits");
}

TEST(a_run_on_a_machine_is_stronger_than_the_model_of_its_memory)
{
    struct support support =
        SUPPORT(AWS("c7i.nano", 2, 1.25, "x86_64"), .measured = {.kinds = 2});

    EXPECT_HAS(support, (runs, SUPPORT_YES), (memory_enough, SUPPORT_NO));
}

static bool may_run(const char *isa, const char *precision, long long batch, long long threads)
{
    struct support support = SUPPORT(AWS("c6i.large", 2, 4, "x86_64"));
    struct run_spec spec = run_spec_default();

    spec.isa = isa;
    spec.precision = precision;
    spec.batch_size = batch;
    spec.threads = threads;
    return support_may_run(&support, &spec);
}

TEST(a_spec_may_run_unless_something_known_forbids_it)
{
    EXPECT(may_run("auto", "f32", 16, 0));
    EXPECT(may_run("avx512", "f32", 16, 2));
    EXPECT(!may_run("amx", "f32", 16, 0));
    EXPECT(!may_run("auto", "f32", 512, 0));
    EXPECT(!may_run("auto", "f32", 16, 3));
    EXPECT(!may_run("auto", "f16", 16, 0));
}

TEST(each_rule_is_whole_and_each_family_has_one)
{
    for (const struct processor_rule *rule = processor_rules; rule->provider; rule++) {
        char words[600];
        char *rest = words, *word;

        EXPECT(rule->source && rule->processors && rule->architecture);
        EXPECT((strcmp(rule->architecture, "arm64") == 0) == (rule->isa == CPU_BASE));
        EXPECT((size_t)snprintf(words, sizeof words, "%s", rule->families) < sizeof words);
        while ((word = strsep(&rest, " ")) != NULL) {
            EXPECT(*word);
            EXPECT(processor_rule_of(rule->provider, word) == rule); /* and no earlier one */
        }
    }
}

TEST(a_rule_is_found_by_whole_words)
{
    EXPECT(!processor_rule_of("aws", "c7"));
    EXPECT(!processor_rule_of("aws", ""));
    EXPECT(!processor_rule_of("gcp", "c7i"));
    EXPECT(!processor_rule_of("", "c7i"));
    EXPECT(!processor_rule_of("gcp", "e2-standard"));
    EXPECT(processor_rule_of("gcp", "n2-standard") == processor_rule_of("gcp", "n2-highmem"));
}
