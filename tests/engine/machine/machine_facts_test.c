#include "engine/machine/machine_facts.h"

#include "tests/test.h"

TEST(facts_are_decoded)
{
    struct machine_facts facts;

    machine_facts_read("{\"cpu_model\":\"Made up\",\"isa\":\"avx2\",\"architecture\":\"x86_64\","
                       "\"kernel\":\"6.1\",\"microcode\":\"0x1\",\"processors\":4,\"cores\":2,"
                       "\"numa_nodes\":1,\"memory_gib\":7.5}",
                       &facts);
    EXPECT_STR(facts.cpu_model, "Made up");
    EXPECT_STR(facts.isa, "avx2");
    EXPECT_STR(facts.architecture, "x86_64");
    EXPECT_STR(facts.kernel, "6.1");
    EXPECT_STR(facts.microcode, "0x1");
    EXPECT_NEAR(facts.processors, 4, 0);
    EXPECT_NEAR(facts.cores, 2, 0);
    EXPECT_NEAR(facts.numa_nodes, 1, 0);
    EXPECT_NEAR(facts.memory_gib, 7.5, 0);
}

/* Of another program, or of none. */
TEST(what_is_missing_or_of_another_type_is_unknown)
{
    static const char *const texts[] = {
        NULL, "", "no JSON", "{}", "[]", "{\"isa\":1,\"cores\":\"2\",\"kernel\":null}"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct machine_facts facts = {.isa = "x", .kernel = "x", .cores = 1};

        machine_facts_read(texts[i], &facts);
        EXPECT_STR(facts.isa, "");
        EXPECT_STR(facts.kernel, "");
        EXPECT_NEAR(facts.cores, 0, 0);
    }
}
