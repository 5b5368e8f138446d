/* Tables of a comparison; what else they have is tested with its JSON. */

#include "tests/server/http/json/comparison/presented.h"

/* The history of the row's spot price, as the database would have told it. */
static void tell_history(struct stage *stage, bool has_limit)
{
    struct spot_history *history = &stage->ranking.sides[CHOOSE_SPOT].history;

    *history = (struct spot_history){.known = true, .has_limit = has_limit};
    history->windows[0] = (struct price_window){
        .known = true, .low = 0.12, .high = 0.5, .mean = 0.2, .known_us = 7 * 86400e6};
    history->windows[0].above = 0.25;
    history->windows[2] = (struct price_window){
        .known = true, .low = 0.1, .high = 0.5, .mean = 0.3, .known_us = 60 * 86400e6};
}

TEST_WITH_STAGE(tables_have_the_history_of_spot)
{
    OFFERED(stage, "a", .on_demand = 0.36, .spot = 0.18, .low = 0.09, .high = 0.18);
    MEASURED(stage, "a", 10);
    compare(stage, "");
    tell_history(stage, true);
    const char *csv = presented(stage, present_comparison_csv);
    EXPECT_PART(csv, ",spot_7_days_known_days,spot_7_days_low,spot_7_days_high,"
                     "spot_7_days_mean,spot_7_days_share_above_on_demand,spot_30_");
    EXPECT_PART(csv, ",7,0.12,0.5,0.2,0.25,,,,,,60,0.1,0.5,0.3,0,,,,,,,,,10,,,\r\n");
    const char *markdown = presented(stage, present_comparison_markdown);
    EXPECT_PART(markdown, " | 7 d: $0.12 to $0.5, 25 % of the time above on demand; "
                          "90 d: $0.1 to $0.5, 0 % of the time above on demand | ");
}

TEST_WITH_STAGE(a_history_without_a_price_on_demand_has_no_share_above_it)
{
    OFFERED(stage, "a", .spot = 0.18, .low = 0.09, .high = 0.18);
    MEASURED(stage, "a", 10);
    compare(stage, "");
    tell_history(stage, false);
    const char *csv = presented(stage, present_comparison_csv);
    EXPECT_PART(csv, ",7,0.12,0.5,0.2,,,,,,,60,0.1,0.5,0.3,,,,,,,,,,,,,\r\n");
    const char *markdown = presented(stage, present_comparison_markdown);
    EXPECT_PART(markdown, " | 7 d: $0.12 to $0.5; 90 d: $0.1 to $0.5 | ");
}

static size_t times(const char *text, const char *words)
{
    size_t count = 0;

    while ((text = strstr(text, words)) != NULL) {
        text += strlen(words);
        count++;
    }
    return count;
}

TEST_WITH_STAGE(markdown_has_the_job_where_one_is_asked_for)
{
    OFFERED(stage, "a", .on_demand = 0.36);
    MEASURED(stage, "a", 10, .low = 9.9, .high = 10.1);
    MEASURED(stage, "free", 1, .low = 0.9, .high = 1.1);
    EXPECT(!strstr(markdown_of(stage, ""), "| job, hours |"));
    const char *job = markdown_of(stage, "samples=72000");
    EXPECT_PART(job, "| samples/$ | job, hours | job, dollars | samples/$ on demand |");
    EXPECT_PART(job, "| 2 | $0.72 | ");
    EXPECT_PART(job, "| 20 | unknown | ");
    const char *late = markdown_of(stage, "samples=72000&deadline_h=3");
    EXPECT_PART(late, "| job, dollars | probability | samples/$ on demand |");
    EXPECT_PART(late, "| 2 | $0.72 | 1.000 | ");
    EXPECT_PART(late, "| 20 | unknown | unknown | ");
    EXPECT_PART(markdown_of(stage, "samples=72000&hourly_value=1"),
                "| 2 | $0.72, $2.72 with waiting | ");
}

TEST_WITH_STAGE(csv_has_the_probability_of_the_job)
{
    OFFERED(stage, "a", .on_demand = 0.36);
    MEASURED(stage, "a", 10, .low = 9.999, .high = 10.001);
    const char *text = csv_of(stage, "samples=72000&deadline_h=3&vm_spread=0&hourly_value=1");
    EXPECT_PART(text, ",job_total_dollars,job_probability,job_hours_low,job_hours_high\r\n");
    EXPECT_PART(text, ",2.72,1,1.99");
}

/* In the price that was asked for, in the spot price, and as the remark: each row would say it
 * three times. */
TEST_WITH_STAGE(markdown_says_once_why_no_price_is_known)
{
    OFFERED(stage, "a.1", .on_demand = 0.36, .why_not = "no feed has a spot price of it");
    OFFERED(stage, "a.2", .on_demand = 0.36, .why_not = "no feed has a spot price of it");
    MEASURED(stage, "a.1", 10, .low = 9.9, .high = 10.1);
    MEASURED(stage, "a.2", 10, .low = 9.9, .high = 10.1);
    MEASURED(stage, "b.1", 10, .low = 9.9, .high = 10.1);
    MEASURED(stage, "b.2", 10, .low = 9.9, .high = 10.1);
    const char *text = markdown_of(stage, "price=spot");
    EXPECT_INT((long long)times(text, "no feed has a spot price of it"), 1);
    EXPECT_INT((long long)times(text, "no feed has a price (spot) of it"), 1);
    EXPECT_INT((long long)times(text, "no price (1)"), 6);
    EXPECT_INT((long long)times(text, "no price (2)"), 6);
    EXPECT_PART(text, "\nWhy there is no price:\n\n- (1) no feed has a spot price of it\n"
                      "- (2) no feed has a price (spot) of it\n");
}

/* Of more reasons than have room below the table, the others stay in their cells. */
TEST_WITH_STAGE(no_reason_is_lost)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    char why[40];

    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(why, sizeof why, "reason %s.", names[i]);
        OFFERED(stage, names[i], .on_demand = 1, .why_not = why);
        MEASURED(stage, names[i], 10, .low = 9.9, .high = 10.1);
    }
    const char *text = markdown_of(stage, "");
    EXPECT(strstr(text, "- (9) reason ") != NULL && !strstr(text, "(10)"));
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(why, sizeof why, "reason %s.", names[i]);
        EXPECT_INT((long long)times(text, why), 1);
    }
}
