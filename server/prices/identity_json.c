#include "server/prices/identity_json.h"

static const char *const identity_sources[] = {"metadata", "settings", "unknown", NULL};

static const struct member rows[] = {
    {MEMBER(struct identity, provider), .nullable = true},
    {MEMBER(struct identity, instance_type), .nullable = true},
    {MEMBER(struct identity, region), .nullable = true},
    {MEMBER(struct identity, zone), .nullable = true},
    {MEMBER(struct identity, zone_id), .nullable = true},
    {MEMBER(struct identity, life_cycle), .nullable = true,
     .meaning = "on_demand, spot, or the provider's own word."},
    {MEMBER(struct identity, source), .words = identity_sources},
    {MEMBER(struct identity, note), .nullable = true},
    {0},
};
const struct members identity_members = {
    .name = "Identity",
    .meaning =
        "The type, provider and location of the machine. null means unknown; `note` says why.",
    .rows = rows};

void present_identity(struct json_writer *out, const char *key, const struct identity *identity)
{
    members_write(out, key, &identity_members, identity);
}
