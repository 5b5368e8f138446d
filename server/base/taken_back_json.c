#include "server/base/taken_back_json.h"

MEMBER_KNOWN(taken_back_is_known, struct taken_back, taken, taken->at_us != 0)

static const struct member rows[] = {
    {MEMBER_TIME_AT(struct taken_back, "at", at_us)},
    {MEMBER(struct taken_back, by), .nullable = true, .filled = true, .pattern = MEMBER_PRINTABLE,
     .schema = "{\"maxLength\": 63}",
     .meaning = "Name of the token; null on a server without tokens of users; \"uid N\" where "
                "that user revoked the token that sent the run."},
    {MEMBER(struct taken_back, reason), .nullable = true, .filled = true,
     .schema = "{\"maxLength\": " LIMIT_TEXT(REASON_MAX) "}",
     .meaning = "null where a request without a body gave none."},
    {0},
};
const struct members taken_back_members = {.name = "TakenBack",
                                           .meaning = "A withdrawal: who, when and why.",
                                           .rows = rows,
                                           .is_known = taken_back_is_known};
