/* Tables of a comparison; what else they have is tested beside its JSON. */
#include "server/http/json/present_comparison.h"

#include "tests/server/compare/comparison.h"

#define ANSWER_MAX (1 << 20)

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

static void tables_have_the_history_of_spot(void)
{
    AUTO(stage_clear) struct stage stage = {0};
    AUTO(bytes_free) struct bytes csv = {.limit = ANSWER_MAX}, markdown = {.limit = ANSWER_MAX};

    OFFERED(&stage, "a", .on_demand = 0.36, .spot = 0.18, .low = 0.09, .high = 0.18);
    MEASURED(&stage, "a", 10);
    compare(&stage, "");
    tell_history(&stage, true);
    EXPECT(present_comparison_csv(&csv, &stage.question, &stage.ranking));
    EXPECT(strstr(csv.data,
                  ",spot_7_days_known_days,spot_7_days_low,spot_7_days_high,"
                  "spot_7_days_mean,spot_7_days_share_above_on_demand,spot_30_") != NULL);
    EXPECT(strstr(csv.data,
                  ",7,0.12,0.5,0.2,0.25,,,,,,60,0.1,0.5,0.3,0,\"\",\"\",,\"\",,,,\r\n") != NULL);
    EXPECT(present_comparison_markdown(&markdown, &stage.question, &stage.ranking));
    EXPECT(strstr(markdown.data,
                  " | 7 d: $0.12 to $0.5, 25 % of the time above on demand; "
                  "90 d: $0.1 to $0.5, 0 % of the time above on demand | ") != NULL);
}

static void a_history_without_a_price_on_demand_has_no_share_above_it(void)
{
    AUTO(stage_clear) struct stage stage = {0};
    AUTO(bytes_free) struct bytes csv = {.limit = ANSWER_MAX}, markdown = {.limit = ANSWER_MAX};

    OFFERED(&stage, "a", .spot = 0.18, .low = 0.09, .high = 0.18);
    MEASURED(&stage, "a", 10);
    compare(&stage, "");
    tell_history(&stage, false);
    EXPECT(present_comparison_csv(&csv, &stage.question, &stage.ranking));
    EXPECT(strstr(csv.data, ",7,0.12,0.5,0.2,,,,,,,60,0.1,0.5,0.3,,\"\",\"\",,\"\",,,,\r\n") !=
           NULL);
    EXPECT(present_comparison_markdown(&markdown, &stage.question, &stage.ranking));
    EXPECT(strstr(markdown.data, " | 7 d: $0.12 to $0.5; 90 d: $0.1 to $0.5 | ") != NULL);
}

int main(void)
{
    RUN(tables_have_the_history_of_spot);
    RUN(a_history_without_a_price_on_demand_has_no_share_above_it);
    return test_result();
}
