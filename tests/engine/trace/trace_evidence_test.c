#include "engine/trace/trace_evidence.h"

#include "tests/test.h"

#define ROW "[2,1000,3,4,5,6,7,8,9,10,11]"
#define LATER "[3,1001,-1,-1,-1,-1,-1,-1,-1,-1,-1]"
#define CANARY "[5,3100000000.5,12500000000]"

/* From memory of exactly its size, so that reading on is seen. */
static bool read_evidence(const char *text, struct evidence *ret_evidence, struct error *err)
{
    size_t length = strlen(text);
    AUTO(freep) char *exact = malloc(length > 0 ? length : 1);

    memcpy(exact, text, length);
    return trace_read_evidence(exact, length, ret_evidence, err);
}

TEST(columns_are_the_members_of_an_observation_in_order)
{
    AUTO(evidence_free) struct evidence evidence = {0};

    EXPECT(read_evidence(" { \"canaries\" : [ " CANARY " ] , \"observations\":[" ROW ",\n" LATER
                         "] } ",
                         &evidence, NULL));
    EXPECT_INT((long long)evidence.observation_count, 2);
    EXPECT_INT((long long)evidence.reading_count, 1);

    const struct observation *row = evidence.observations;
    EXPECT_INT(row->steps, 2);
    EXPECT_INT(row->taken_ns, 1000);
    EXPECT_INT(row->cpu_ticks, 3);
    EXPECT_INT(row->steal_ticks, 4);
    EXPECT_INT(row->throttled_periods, 5);
    EXPECT_INT(row->throttled_us, 6);
    EXPECT_INT(row->involuntary_switches, 7);
    EXPECT_INT(row->waited_ns, 8);
    EXPECT_INT(row->own_cpu_ns, 9);
    EXPECT_INT(row->major_faults, 10);
    EXPECT_INT(row->swap_ins, 11);
    EXPECT_INT(row[1].swap_ins, -1); /* not visible */
    EXPECT_INT(evidence.readings[0].steps, 5);
    EXPECT_NEAR(evidence.readings[0].canary.hertz, 3100000000.5, 0);
    EXPECT_NEAR(evidence.readings[0].canary.copy_bytes_per_second, 12500000000, 0);
}

TEST(what_is_written_reads_back_and_is_written_the_same)
{
    static const char *const texts[] = {
        "{\"observations\":[],\"canaries\":[]}",
        "{\"observations\":[" ROW "," LATER "],\"canaries\":[" CANARY "," CANARY "]}",
        "{\"observations\":[" ROW "],\"canaries\":[]}",
        "{\"observations\":[[0,9,0,0,0,0,0,0,0,0,0]],\"canaries\":[[0,0.1,1e-05]]}",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO(evidence_free) struct evidence evidence = {0};
        AUTO(bytes_free) struct bytes text = {.limit = 10000};

        EXPECT(read_evidence(texts[i], &evidence, NULL));
        EXPECT(trace_write_evidence(&text, &evidence));
        EXPECT_STR(text.data, texts[i]);
    }
}

#define COUNTERS "must be eleven whole numbers: two from 0, the others from -1, to 10^18"
#define RATES "must be steps, hertz and bytes a second: above 0, to 10^18, 10^12 and 10^15"
#define LATE "must not be earlier than the one before it"

static const struct {
    const char *observations, *canaries, *field, *message;
} refusals[] = {
    {"{}", "[]", "evidence.observations", "must be an array of arrays"},
    {"[]", "7", "evidence.canaries", "must be an array of arrays"},
    {"[[]]", "[]", "evidence.observations[0]", COUNTERS},
    {"[7]", "[]", "evidence.observations[0]", COUNTERS},
    {"[[2,1000,3,4,5,6,7,8,9,10]]", "[]", "evidence.observations[0]", COUNTERS},
    {"[[2,1000,3,4,5,6,7,8,9,10,11,12]]", "[]", "evidence.observations[0]", COUNTERS},
    {"[" ROW ",[2,1000,3,4,5,6,7,8,9,10,null]]", "[]", "evidence.observations[1]", COUNTERS},
    {"[[-1,1000,3,4,5,6,7,8,9,10,11]]", "[]", "evidence.observations[0]", COUNTERS},
    {"[[2,-1,3,4,5,6,7,8,9,10,11]]", "[]", "evidence.observations[0]", COUNTERS},
    {"[[2,1000,-2,4,5,6,7,8,9,10,11]]", "[]", "evidence.observations[0]", COUNTERS},
    {"[[2,1000,1000000000000000001,4,5,6,7,8,9,10,11]]", "[]", "evidence.observations[0]",
     COUNTERS},
    {"[[2,1e3,3,4,5,6,7,8,9,10,11]]", "[]", "evidence.observations[0]", COUNTERS},
    {"[" LATER "," ROW "]", "[]", "evidence.observations[1]", LATE},
    {"[" ROW ",[1,1000,3,4,5,6,7,8,9,10,11]]", "[]", "evidence.observations[1]", LATE},
    {"[" ROW ",[2,999,3,4,5,6,7,8,9,10,11]]", "[]", "evidence.observations[1]", LATE},
    {"[" ROW " " ROW "]", "[]", "evidence.observations[1]",
     "must be followed by a comma or a bracket"},
    {"[]", "[[]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1,2]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1,2,3,4]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1,0,3]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1,2,0]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1,-2,3]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1,NaN,3]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1,1e999,3]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1,1e13,3]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1,2,1e16]]", "evidence.canaries[0]", RATES},
    {"[]", "[[-1,2,3]]", "evidence.canaries[0]", RATES},
    {"[]", "[[1.5,2,3]]", "evidence.canaries[0]", RATES},
    {"[]", "[" CANARY ",[4,2,3]]", "evidence.canaries[1]", LATE},
    {"[]", "[],\"songs\":[]", "evidence.songs",
     "is not a known field; known are observations, canaries"},
    {"[]", "[],\"canaries\":[]", "evidence.canaries", "is there twice"},
    {"[]", "[],", "evidence", "is not JSON"},
    {"[]", "[]}", "evidence", "is not JSON"},
};

TEST(refused_evidence_names_the_field_and_the_reason)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct evidence evidence = {.reading_count = 77};
        char text[300];

        snprintf(text, sizeof text, "{\"observations\":%s,\"canaries\":%s}",
                 refusals[i].observations, refusals[i].canaries);
        EXPECT_WRONG(read_evidence(text, &evidence, &err), refusals[i].field,
                     refusals[i].message);
        EXPECT_INT((long long)evidence.reading_count, 77); /* the caller's is left alone */
        EXPECT(!evidence.readings && !evidence.observations);
    }
}

TEST(both_arrays_must_be_there)
{
    static const struct {
        const char *text, *field;
    } cases[] = {{"{}", "evidence.observations"},
                 {"{\"observations\":[]}", "evidence.canaries"},
                 {"{\"canaries\":[]}", "evidence.observations"},
                 {"[]", "evidence"},
                 {"", "evidence"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct evidence evidence;

        EXPECT_INVALID(read_evidence(cases[i].text, &evidence, &err), cases[i].field);
    }
}
