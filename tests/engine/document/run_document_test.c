#include "common/rows/members.h"
#include "engine/document/run_document_read.h"
#include "engine/document/run_document_write.h"
#include "engine/spec/run_spec_text.h"
#include "engine/trace/trace_evidence.h"

#include "tests/engine/document/documents.h"

TEST(what_is_there_is_read)
{
    AUTO(document_clear) struct document document = {0};

    EXPECT_OK(read_text(whole_document, &document, &err));
    const struct run *run = &document.run;
    EXPECT_STR(run->id.text, "01ARZ3NDEKTSV4RRFFQ69G5FAV");
    EXPECT_INT(run->state, RUN_FINISHED);
    EXPECT_INT(run->provenance, PROVENANCE_IMPORTED);
    AUTO(freep) char *spec = run_spec_to_text(&run->spec);
    EXPECT_STR(spec, SPEC);
    EXPECT_STR(run->instance, "c7i.large");
    EXPECT_STR(run->where.provider, "aws");
    EXPECT_STR(run->where.region, "us-east-1");
    EXPECT_STR(run->where.zone, "us-east-1a");
    EXPECT_STR(run->where.vm, "i123456789abcdef");
    EXPECT_STR(run->machine, "972f2cbf2a910fb8");
    EXPECT_STR(document.stratum, "7a97254c079c9076");
    EXPECT_STR(document.facts, "{\"isa\":\"amx\",\"cores\":2,\"gib\":24.25,"
                               "\"levels\":[48,2048,null],\"model\":\"AMD \\\"EPYC\\\"\"}");
    EXPECT_INT(run->created_us, 1795273697123000);
    EXPECT_INT(run->started_us, 1795273698000001);
    EXPECT_INT(run->ended_us, 1795273818000000);
    EXPECT_STR(run->software, "pennyworth-worker 0.1.0, caf\xc3\xa9 \"x\"");
    EXPECT_STR(run->engine_details, DETAILS);
    EXPECT_STR(run->loaded,
               "{\"allocator\":\"system\",\"openmp\":\"gnu\",\"dnn\":\"libdnnl.so.2\"}");
    EXPECT_INT(run->samples, 64);
    EXPECT_INT(run->peak_memory_bytes, 1073741824);
    EXPECT(run->certified.whole_known && run->certified.worst_known);
    EXPECT_NEAR(run->certified.whole, 0.9997, 0);
    EXPECT_NEAR(run->certified.worst, -1, 0);
    EXPECT_STR(run->implementations, "{\"fc\":{\"forward\":\"jit:avx2\"}}");
    EXPECT_INT(run->setup_ns, 1500000000);
    EXPECT_STR(run->ended_by, "target");
    EXPECT_STR(run->price, "{\"dollars\":\"0.0892500000\",\"spot\":null,\"a\":[0.1,1e-9]}");
    EXPECT_INT(run->steps, 2);
    EXPECT_INT((long long)document.steps.count, 2);
    EXPECT_INT(document.steps.items[1].split.communication, 9);
    EXPECT_INT((long long)document.evidence.observation_count, 2);
    EXPECT_INT((long long)document.evidence.reading_count, 1);
    EXPECT_NEAR(document.claimed, 0, 0);
}

TEST(what_is_not_there_is_not_known)
{
    AUTO(document_clear) struct document document = {0};

    EXPECT(read_text(least_document, &document, NULL));
    const struct run *run = &document.run;
    EXPECT_STR(run->instance, "");
    EXPECT_STR(run->where.provider, "");
    EXPECT_STR(run->machine, "");
    EXPECT_STR(document.stratum, "");
    EXPECT(!document.facts && !run->price && !run->engine_details && !run->loaded);
    EXPECT(!run->implementations && !run->ended_by && !run->summary_text);
    EXPECT_INT(run->created_us, 0);
    EXPECT_INT(run->started_us, 0);
    EXPECT_INT(run->samples, 0);
    EXPECT_INT(run->setup_ns, 0);
    EXPECT(!run->certified.whole_known && !run->certified.worst_known);
    EXPECT_INT(run->validity, VALIDITY_UNKNOWN);
    EXPECT_INT((long long)document.evidence.observation_count, 0);
    EXPECT(document.evidence_text.length > 0); /* and still something to keep */
}

TEST(evidence_that_is_not_there_is_kept_as_none)
{
    AUTO(document_clear) struct document document = {0};
    struct evidence evidence = {.reading_count = 7};

    EXPECT(read_text(least_document, &document, NULL));
    EXPECT(trace_read_evidence(document.evidence_text.start, document.evidence_text.length,
                               &evidence, NULL));
    EXPECT_INT((long long)evidence.reading_count, 0);
}

TEST(a_document_of_ours_is_written_as_it_was_read)
{
    AUTO(document_clear) struct document document = {0};
    AUTO(bytes_free) struct bytes text = {.limit = DOCUMENT_MAX};

    EXPECT(read_text(whole_document, &document, NULL));
    EXPECT(write_again(&document, &text));
    EXPECT_STR(text.data, whole_document);
}

TEST(names_of_processes_stay_on_the_machine)
{
    AUTO(document_clear) struct document document = {0}, again = {0};
    AUTO(bytes_free) struct bytes text = {.limit = DOCUMENT_MAX};

    EXPECT(read_text(whole_document, &document, NULL));
    document.run.validity = VALIDITY_WARN;
    document.run.load = (struct load){.processors = 4,
                                      .busy_percent = 9.5,
                                      .hidden_percent = 1.2,
                                      .count = 2,
                                      .users = {{"secret", 7.3}, {"x", 1}}};
    EXPECT(write_again(&document, &text));
    EXPECT_PART(text.data, "\"validity\":{\"level\":\"warn\",\"findings\":null,"
                           "\"load_before\":{\"busy_percent\":9.5,\"hidden_percent\":1.2,"
                           "\"shares\":[7.3,1]}}}");
    EXPECT(!strstr(text.data, "secret"));
    EXPECT(read_text(text.data, &again, NULL));
    EXPECT_INT(again.run.load.processors, 0);
}

TEST(unknown_values_are_written_and_read_as_null)
{
    AUTO(document_clear) struct document document = {0}, again = {0};
    AUTO(bytes_free) struct bytes text = {.limit = DOCUMENT_MAX}, same = {.limit = DOCUMENT_MAX};

    EXPECT(read_text(least_document, &document, NULL));
    EXPECT(write_again(&document, &text));
    EXPECT_PART(text.data, ",\"machine\":null,\"created_at\":null,\"started_at\":null,"
                           "\"ended_at\":\"2026-11-21T15:10:18.000Z\",\"software\":null,"
                           "\"engine_details\":null,\"loaded\":null,\"samples\":null,"
                           "\"peak_memory_bytes\":null,\"gradient_cosine\":null,"
                           "\"worst_layer_cosine\":null,\"implementations\":null,"
                           "\"setup_ns\":null,\"ended_by\":null,\"cost\":null,");
    EXPECT(read_text(text.data, &again, NULL));
    EXPECT(write_again(&again, &same));
    EXPECT_STR(same.data, text.data);
}

/* Order, blanks, newlines and escapes are the writer's own affair. */
TEST(other_writers_may_arrange_it_as_they_like)
{
    static const char text[] =
        "\r\n{ \"steps\" : { \"loss\":[ 1 ],\n \"nanoseconds\":[ 5 ] } ,\"machine\": { \"facts\" "
        ": {\t\"a b\" : [ 1 , \"c  \\\" d\" ] } , \"fingerprint\":\"972f2cbf2a910fb8\" } ,"
        "\"cost\":{ },\"ended_at\":\"2026-11-21T15:10:18.5+00:00\", \"spec\" :{ } , "
        "\"instance_type\":\"c7i\\u002elarge \\ud83d\\ude00\", "
        "\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\n"
        "\"evidence\":{\"canaries\":[\n],\"observations\":[]},\"pennyworth_run\": 1 }\n\n";
    AUTO(document_clear) struct document document = {0}, again = {0};
    AUTO(bytes_free) struct bytes line = {.limit = DOCUMENT_MAX};

    EXPECT_OK(read_text(text, &document, &err));
    EXPECT_STR(document.run.instance, "c7i.large \xf0\x9f\x98\x80");
    EXPECT_STR(document.facts, "{\"a b\":[1,\"c  \\\" d\"]}");
    EXPECT_STR(document.run.price, "{}");
    EXPECT_INT(document.run.ended_us, 1795273818500000);
    EXPECT_STR(document.run.spec.engine, "native"); /* defaults are written out */
    EXPECT_INT(document.run.spec.batch_size, 32);

    /* A trace that came with newlines leaves in one line. */
    EXPECT(document_write(
        &line,
        &(struct document_parts){.run = &document.run,
                                 .steps = "{ \"loss\":[ 1 ],\n\n\"nanoseconds\":[ 5 ]\n}",
                                 .evidence = "{\"observations\":[],\n\"canaries\":[]}"},
        NULL));
    EXPECT(strchr(line.data, '\n') == line.data + line.used - 1);
    EXPECT(read_text(line.data, &again, NULL));
}

TEST(a_conclusion_travels_for_people)
{
    static char summary[] = "{\"method\":1,\"samples_per_second\":36.5,\"interval\":{\"low\":1}}";
    static char findings[] = "[{\"code\":\"steal\"}]";
    AUTO(document_clear) struct document document = {0}, again = {0};
    AUTO(bytes_free) struct bytes text = {.limit = DOCUMENT_MAX};

    EXPECT(read_text(whole_document, &document, NULL));
    document.run.summary_text = strdup(summary);
    document.run.findings = strdup(findings);
    document.run.validity = VALIDITY_WARN;
    EXPECT(write_again(&document, &text));
    EXPECT_PART(text.data, ",\"summary\":{\"method\":1,");
    EXPECT_PART(text.data, ",\"validity\":{\"level\":\"warn\",\"findings\":[{\"code\":"
                           "\"steal\"}]}}\n");
    EXPECT(read_text(text.data, &again, NULL));
    EXPECT_NEAR(again.claimed, 36.5, 0);
    EXPECT(!again.run.summary_text && !again.run.findings); /* the importing server computes it */
    EXPECT_INT(again.run.validity, VALIDITY_UNKNOWN);
}

TEST(a_name_cannot_break_the_text)
{
    AUTO(document_clear) struct document document = {0}, again = {0};
    AUTO(bytes_free) struct bytes text = {.limit = DOCUMENT_MAX};

    EXPECT(read_text(least_document, &document, NULL));
    snprintf(document.run.instance, sizeof document.run.instance, "a\"b\\c\",\"id\":\"\\");
    EXPECT(write_again(&document, &text));
    EXPECT(read_text(text.data, &again, NULL));
    EXPECT_STR(again.run.instance, "a\"b\\c\",\"id\":\"\\");

    bytes_free(&text);
    snprintf(document.run.instance, sizeof document.run.instance, "a\nb");
    EXPECT(write_again(&document, &text));
    EXPECT_PART(text.data, "\"instance_type\":\"a\\u000ab\"");
}

/* The same spec again, another, a broken one, one that is only written otherwise. */
TEST(a_memo_changes_nothing)
{
    static const char *const to[] = {"\"batch_size\":32",  "\"batch_size\":32",
                                     "\"batch_size\":64",  "\"batch_size\":-3",
                                     "\"batch_size\": 64", "\"batch_size\":64"};
    AUTO(document_memo_clear) struct document_memo memo = {0};

    for (size_t i = 0; i < COUNT(to); i++) {
        AUTO(document_clear) struct document document = {0}, alone = {0};
        AUTO(freep) char *text = replaced(whole_document, "\"batch_size\":32", to[i]);
        struct error err = {0}, same = {0};
        bool ok = document_read_next(&memo, text, strlen(text), &document, &err);

        EXPECT_INT(ok, document_read(text, strlen(text), &alone, &same));
        EXPECT_INT(ok, i != 3);
        EXPECT_STR(err.message, same.message);
        EXPECT(memcmp(&document.run.spec, &alone.run.spec, sizeof document.run.spec) == 0);
        EXPECT_STR(document.run.instance, alone.run.instance);
        EXPECT(!ok ||
               memo.spec.batch_size == document.run.spec.batch_size); /* it is remembered */
    }
}

TEST(the_end_of_the_buffer_is_an_error)
{
    AUTO(document_clear) struct document document = {0};

    EXPECT(read_text(whole_document, &document, NULL));
    for (size_t limit = 0; limit < strlen(whole_document); limit += 7) {
        AUTO(bytes_free) struct bytes text = {.limit = limit};

        EXPECT(!write_again(&document, &text));
    }
}

TEST(a_void_travels_with_the_run)
{
    static const char voided[] =
        "\"validity\":null,\"void\":{\"at\":\"2026-11-22T10:00:00.000Z\","
        "\"by\":\"ann\",\"reason\":\"the wrong \\\"branch\\\"\"}}";
    AUTO(freep) char *text = replaced(whole_document, "\"validity\":null}", voided);
    AUTO(document_clear) struct document document = {0}, plain = {0};
    AUTO(bytes_free) struct bytes again = {.limit = DOCUMENT_MAX};

    EXPECT_OK(read_text(text, &document, &err));
    EXPECT_INT(document.run.voided.at_us, 1795341600000000);
    EXPECT_STR(document.run.voided.by, "ann");
    EXPECT_STR(document.run.voided.reason, "the wrong \"branch\"");
    EXPECT(write_again(&document, &again));
    EXPECT_STR(again.data, text);
    EXPECT(read_text(whole_document, &plain, NULL));
    EXPECT_INT(plain.run.voided.at_us, 0);
}

/* The rows describe what the writer writes; the reader has a table of its own. */
TEST(the_reader_knows_every_member_and_requires_what_the_schema_does)
{
    AUTO(json_decrefp) json_t *schemas = json_object();
    AUTO(json_decrefp) json_t *reference = members_describe(&run_document_members, schemas);
    json_t *schema = json_object_get(schemas, "RunDocument"), *required, *ignored, *each;
    const char *name;
    size_t i;

    required = json_object_get(schema, "required");
    json_object_foreach(json_object_get(schema, "properties"), name, ignored)
    {
        AUTO(document_clear) struct document document = {0};
        AUTO(json_decrefp) json_t *json = json_loads(whole_document, 0, NULL);
        AUTO(freep) char *text = NULL;
        bool is_required = false;

        json_array_foreach(required, i, each) is_required =
            is_required || strcmp(json_string_value(each), name) == 0;
        json_object_set_new(json, name, json_null());
        text = json_dumps(json, JSON_COMPACT);
        EXPECT_INT(read_text(text, &document, NULL), !is_required);
    }
    EXPECT_INT((long long)json_object_size(json_object_get(schema, "properties")), 29);
    EXPECT_INT((long long)json_array_size(required), 5);
}
