#include "server/http/json/comparison/present_comparison.h"

#include "server/http/json/comparison/row_fields.h"
#include "tests/common/rows/written.h"
#include "tests/server/http/json/comparison/presented.h"

/* A row of every sort: sure, figure, without a price, without a number, without a name. */
static void stage_all_sorts(struct stage *stage)
{
    OFFERED(stage, "sure", .on_demand = 0.357, .spot = 0.1291, .low = 0.12, .high = 0.14,
            .band = "<5%");
    OFFERED(stage, "figure", .on_demand = 1.212);
    OFFERED(stage, "job", .published = 0.7);
    OFFERED(stage, "none", .spot = 0.1, .why_not = "no feed has it");
    OFFERED(stage, "unmeasured", .spot = 0.2);
    MEASURED(stage, "sure", 40.73, .low = 40.174, .high = 41.286);
    PUBLISHED(stage, "figure", 929);
    stage_see(stage, &(struct seen){.instance = "job", .value = 0.001, .unit = "job"});
    MEASURED(stage, "none", 10, .low = 9, .high = 11);
    MEASURED(stage, "never", 0, .nothing = true, .invalid = 3);
    MEASURED(stage, "point", 12, .imported = 1);
    MEASURED(stage, "", 5, .low = 4, .high = 6, .provider = "", .stratum = "");
}

static json_t *json_of_fields(const struct stage *stage, const char *const *fields)
{
    return read_back(&comparison_members,
                     &(struct comparison_view){&stage->question, &stage->ranking, NULL, fields});
}

static json_t *json_of(const struct stage *stage)
{
    return json_of_fields(stage, NULL);
}

static const json_t *row_in(const json_t *json, const char *instance)
{
    const json_t *rows = json_object_get(json, "rows");

    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *is = json_string_value(json_object_get(row, "instance_type"));

        if (strcmp(is ? is : "", instance) == 0)
            return row;
    }
    test_fail(__FILE__, __LINE__, instance);
    return NULL;
}

/* Numbers that may be 0, for then nothing was there to count. */
static bool may_be_0(const char *key)
{
    static const char *const counts[] = {
        "invalid_runs", "imported",   "warned",  "too_short", "runs",
        "vms",          "by_filters", "by_page", "ranked",    "waiting_dollars",
        "probability",  "count",      NULL};

    for (const char *const *count = counts; *count; count++)
        if (strcmp(*count, key) == 0)
            return true;
    return false;
}

static void expect_no_0(const json_t *json, const char *key)
{
    const char *name;
    json_t *member;
    size_t i;

    if (json_is_number(json) && !(json_number_value(json) > 0) && !may_be_0(key))
        test_fail(__FILE__, __LINE__, key);
    json_array_foreach(json, i, member) expect_no_0(member, key);
    for (void *at_member = json_object_iter((json_t *)(uintptr_t)json); at_member;
         at_member = json_object_iter_next((json_t *)(uintptr_t)json, at_member)) {
        name = json_object_iter_key(at_member);
        expect_no_0(json_object_iter_value(at_member), name);
    }
}

TEST_WITH_STAGE(nothing_that_is_not_known_is_0)
{
    static const char *const questions[] = {"",
                                            "reference=sure",
                                            "reference=figure&price=spot",
                                            "deadline_h=5&price=spot,on_demand",
                                            "utility=1/hours&budget=3",
                                            "price=paid",
                                            "price=typed&sort=throughput"};

    stage_all_sorts(stage);
    for (size_t i = 0; i < COUNT(questions); i++) {
        compare(stage, questions[i]);
        AUTO(json_decrefp) json_t *json = json_of(stage);
        EXPECT_INT((long long)json_array_size(json_object_get(json, "rows")), 7);
        expect_no_0(json, "");
    }
}

TEST_WITH_STAGE(a_row_has_all_known_values)
{
    stage_all_sorts(stage);
    compare(stage, "reference=figure");
    AUTO(json_decrefp) json_t *json = json_of(stage);
    EXPECT_JSON(
        row_in(json, "sure"),
        "{'rank':{'low':1,'high':1},'may_be_best':true,"
        "'cannot_be_told_apart_from':{'count':0},'configuration':{'precision':'bf16'},"
        "'provenance':'measured','throughput':{'level':'steps',"
        "'words':'one VM: not generalisable'},'samples_per_dollar':{'value':410722.6890756303},"
        "'prices_per_hour':{'spot_discount_percent':63.837535014005596},"
        "'price':{'kind':'on_demand','feed':'made-up','low':null},'why_no_price':null,"
        "'interval_from':'throughput','to_reference':{"
        "'break_even_samples_per_second':273.6410891089109,"
        "'throughput':{'verdict':'no_interval'},'relative_cost':6.7184161332902255}}");
    EXPECT_JSON(row_in(json, "figure"),
                "{'to_reference':{'relative_cost':1},'published':{'source':'an article'},"
                "'throughput':{'low':null},'rank':null,'why_no_rank':'published, no interval'}");
    EXPECT_JSON(row_in(json, "point"), "{'provenance':'imported'}");
}

TEST_WITH_STAGE(unknown_values_are_null)
{
    stage_all_sorts(stage);
    compare(stage, "");
    AUTO(json_decrefp) json_t *json = json_of(stage);
    EXPECT_JSON(
        row_in(json, "none"),
        "{'price':null,'why_no_price':'no feed has it','samples_per_dollar':null,"
        "'job':{'dollars':null,'total_dollars':null},'prices_per_hour':{'on_demand':null},"
        "'interval_from':null}");
    EXPECT_JSON(row_in(json, "never"),
                "{'throughput':null,'job':null,'measured_at':null,'invalid_runs':3}");
    EXPECT_JSON(row_in(json, "job"), /* its samples are unknown */
                "{'unit':'job','dollars_per_million_samples':null,'samples_per_dollar':{"
                "'value':5.142857142857143},'price':{'freshness':'published'},"
                "'to_reference':null}");
    EXPECT_JSON(row_in(json, ""), "{'provider':null}");
    EXPECT_JSON(json, "{'decision':null,'unmeasured':{'count':1,'instances':["
                      "{'instance_type':'unmeasured'}]}}");
}

TEST_WITH_STAGE(the_source_of_a_price_is_shown)
{
    MEASURED(stage, "desk", 10, .low = 9, .high = 11, .paid = 0.05, .paid_kind = "own");
    compare(stage, "price=typed");
    AUTO(json_decrefp) json_t *own = json_of(stage);
    EXPECT_JSON(own, "{'rows':[{'price':{'label':'as its newest run knew it','feed':'run'}}]}");
    compare(stage, "price_of=desk:0.1");
    AUTO(json_decrefp) json_t *given = json_of(stage);
    EXPECT_JSON(given,
                "{'rows':[{'price':{'label':'given in the question','feed':'question'}}]}");
}

TEST_WITH_STAGE(a_page_reports_how_many_rows_it_hides)
{
    stage_all_sorts(stage);
    compare(stage, "limit=2&offset=1&engine=native");
    AUTO(json_decrefp) json_t *page = json_of(stage);
    EXPECT_JSON(page, "{'rows':[{},{}],'hidden':{'by_page':5}}");
    compare(stage, "offset=1000&instance_type=sure");
    AUTO(json_decrefp) json_t *beyond = json_of(stage);
    EXPECT_JSON(beyond, "{'rows':[],'hidden':{'by_page':1,'by_filters':6}}");
}

/* Columns of a line of CSV, whose end it finds; commas between quotes do not count. */
static size_t columns(const char **text)
{
    bool quoted = false;
    size_t count = 1;

    for (; **text && (quoted || strncmp(*text, "\r\n", 2) != 0); (*text)++) {
        quoted ^= **text == '"';
        count += **text == ',' && !quoted;
    }
    EXPECT(!quoted);
    EXPECT(strncmp(*text, "\r\n", 2) == 0);
    *text += **text ? 2 : 0;
    return count;
}

static void stage_traps(struct stage *stage)
{
    static const char *const traps[] = {"=cmd", "+1",       "-1",     "@SUM(A1)",
                                        "\t=1", "a\",=\"b", "a\r\n=b"};

    for (size_t i = 0; i < COUNT(traps); i++)
        MEASURED(stage, traps[i], 10, .low = 9, .high = 11, .engine = "=x");
}

TEST_WITH_STAGE(every_line_of_csv_has_the_same_columns)
{
    size_t lines = 0, wanted;

    stage_all_sorts(stage);
    stage_traps(stage);
    const char *text = csv_of(stage, "reference=sure&utility=1/hours&price=spot,on_demand");
    const char *rest = text;
    for (wanted = columns(&rest); *rest; lines++)
        EXPECT_INT((long long)columns(&rest), (long long)wanted);
    EXPECT_INT((long long)lines, 14);
    EXPECT(strstr(text, ",nan") == NULL && strstr(text, ",inf") == NULL);
}

#define NO_HISTORY ",,,,,,,,,,,,,,," /* of three windows */

TEST_WITH_STAGE(csv_leaves_empty_what_is_not_known)
{
    MEASURED(stage, "x", 12, .imported = 1);
    const char *text = csv_of(stage, "");
    EXPECT_PART(text, ",\"imported\",12,,,\"point\",1,1,,,,,,,,1000000,");
    EXPECT_PART(text, ",,,,,false,,\"no interval: too few steps, or steps that differ too "
                      "much\",\"sample\",\"native 1\",,,,,,,,,,,,,,"
                      ",\"no feed has a price (on_demand) for x\",,,,,,,,,,,,,"
                      ",\"no feed has a price (spot) for x\"" NO_HISTORY ",,,,,,,,,,,,\r\n");
    stage_see(stage, &(struct seen){.instance = "y", .value = 12, .unit = "job"});
    const char *job = csv_of(stage, "instance_type=y");
    EXPECT_PART(job, ",\"job\",,,,");
}

TEST_WITH_STAGE(csv_has_both_kinds_of_price_next_to_each_other)
{
    OFFERED(stage, "a", .on_demand = 0.36, .spot = 0.18, .low = 0.09, .high = 0.18);
    MEASURED(stage, "a", 10);
    const char *text = csv_of(stage, "");
    EXPECT_PART(text,
                ",\"on_demand\",0.36,,,\"us-east-1\",\"made-up\","
                "\"2023-11-14T22:13:20.000Z\",100000,,,10,,,"
                ",\"spot\",0.18,0.09,0.18,\"us-east-1\",\"made-up\","
                "\"2023-11-14T22:13:20.000Z\",200000,,,5,,," NO_HISTORY ",,,,,,,,,10,,,\r\n");
}

/* A spreadsheet finds a column by its name. */
TEST_WITH_STAGE(no_two_columns_of_csv_have_one_name)
{
    char *rest, *names[100];
    size_t count = 0;

    MEASURED(stage, "a", 10);
    rest = csv_of(stage, "");
    rest[strcspn(rest, "\r")] = '\0';
    while (count < COUNT(names) && (names[count] = strsep(&rest, ",")) != NULL) {
        for (size_t i = 0; i < count; i++)
            EXPECT(strcmp(names[i], names[count]) != 0);
        count++;
    }
    EXPECT(count > 30 && count < COUNT(names));
}

TEST_WITH_STAGE(json_has_both_kinds_of_price_next_to_each_other)
{
    stage_all_sorts(stage);
    compare(stage, "samples=360000");
    AUTO(json_decrefp) json_t *json = json_of(stage);
    EXPECT_JSON(row_in(json, "sure"),
                "{'kinds':{'on_demand':{'price':{'price_per_hour':0.357},"
                "'samples_per_dollar':{'value':410722.6890756303}},"
                "'spot':{'price':{'low':0.12,'feed':'made-up'},"
                "'samples_per_dollar':{'value':1135770.720371805},'interval_from':'price',"
                "'job_dollars':{'low':0.294466661,'value':0.317191528},'why_no_price':null,"
                "'job_hours':2.4567410834873367}}}");
    EXPECT_JSON(row_in(json, "none"),
                "{'kinds':{'on_demand':{'price':null,'why_no_price':'no feed has it',"
                "'samples_per_dollar':null,'job_dollars':null}}}");
    EXPECT_JSON(row_in(json, "never"), "{'kinds':{'spot':{'job_hours':null}}}");
    EXPECT_JSON(row_in(json, "point"), "{'kinds':{'spot':{'job_dollars':null}}}");
}

TEST(markdown_has_as_many_digits_as_intervals_allow)
{
    static const struct {
        double value, low, high;
        const char *words;
    } cases[] = {
        {410723, 405123, 416323, " | 410700 (405100 to 416300)"},
        {40.73, 40.174, 41.286, " | 40.73 (40.17 to 41.29)"},
        {1234, 1233.5, 1234.5, " | 1234.00 (1233.50 to 1234.50)"},
        {99.96, 89, 110, " | 100 (89 to 110)"},
        {5, 4.9999, 5.0001, " | 5.000000 (4.999900 to 5.000100)"},
        {1e7, 5e6, 1.5e7, " | 10000000 (5000000 to 15000000)"},
        {0.0316, 0, 0, " | 0.0316 (no interval)"},
        {929, 0, 0, " | 929 (no interval)"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(stage_clear) struct stage stage = {0};

        MEASURED(&stage, "a", cases[i].value, .low = cases[i].low, .high = cases[i].high);
        const char *text = markdown_of(&stage, "");
        EXPECT_PART(text, cases[i].words);
    }
}

TEST_WITH_STAGE(markdown_names_unknown_values)
{
    size_t lines = 0;

    stage_all_sorts(stage);
    MEASURED(stage, "a|b\nc", 5, .low = 4, .high = 6);
    MEASURED(stage, "<b>[x](y)@all", 5, .low = 4, .high = 6);
    const char *text = markdown_of(stage, "deadline_h=10");
    EXPECT_PART(text, "cheapest: sure (on\\_demand): 6.82 h, $2.43, within 10 h");
    EXPECT_PART(text, "| 1 | sure | native | 40.73 (40.17 to 41.29) | $0.357 on_demand"
                      " | 410700 (405100 to 416300) | 6.82 | $2.435 | 1.000"
                      " | 410700 (405100 to 416300) at $0.357, job $2.435"
                      " | 1136000 (1046000 to 1223000) at $0.1291, job $");
    EXPECT_PART(text, "| no price (2) | unknown | 27.78 | unknown | unknown | no price (2) | ");
    EXPECT_PART(text, "\n- (2) no feed has it\n");
    EXPECT_PART(text, "| never | native | unknown |");
    EXPECT_PART(text, "| this machine | ");
    EXPECT_PART(text, "published, no interval, of a whole job |");
    EXPECT_PART(text, "a\\|b c | ");                   /* neither ends a cell nor a line */
    EXPECT_PART(text, "| \\<b\\>\\[x\\](y)\\@all | "); /* names stay names */
    EXPECT_PART(text, "1 types have a price");
    for (const char *line = text; (line = strstr(line, "\n| ")) != NULL; line++)
        lines++;
    EXPECT_INT((long long)lines, 10);
}

TEST_WITH_STAGE(a_text_that_does_not_fit_fails)
{
    stage_all_sorts(stage);
    compare(stage, "");
    for (size_t limit = 1; limit < 1500; limit += 37) {
        AUTO(bytes_free) struct bytes csv = {.limit = limit}, markdown = {.limit = limit / 2};
        AUTO(bytes_free) struct bytes json = {.limit = limit};
        struct json_writer out = {.bytes = &json};

        EXPECT(!present_comparison_csv(&csv, &stage->question, &stage->ranking));
        EXPECT(!present_comparison_markdown(&markdown, &stage->question, &stage->ranking));
        members_write(
            &out, NULL, &comparison_members,
            &(struct comparison_view){.question = &stage->question, .ranking = &stage->ranking});
        EXPECT(out.failed);
    }
}

/* Each key of a row, in its order. */
TEST_WITH_STAGE(a_row_has_the_members_that_are_asked_for)
{
    struct row_fields_asked asked;
    json_t *row, *value;
    const char *name;
    size_t count = 0;

    MEASURED(stage, "a.large", 40, .low = 39, .high = 41);
    OFFERED(stage, "a.large", .on_demand = 0.1);
    compare(stage, "");
    AUTO(json_decrefp) json_t *whole = json_of(stage);
    row = json_array_get(json_object_get(whole, "rows"), 0);
    json_object_foreach(row, name, value) EXPECT_STR(name, row_field_name(count++));
    EXPECT_STR(row_field_name(count), "all");
    EXPECT(row_fields_read("fields", "job,rank", &asked, NULL));
    AUTO(json_decrefp) json_t *part = json_of_fields(stage, asked.names);
    row = json_array_get(json_object_get(part, "rows"), 0);
    EXPECT_INT((long long)json_object_size(row), 3);
    EXPECT(json_object_get(row, "id") && json_object_get(row, "rank") &&
           json_object_get(row, "job"));
}
