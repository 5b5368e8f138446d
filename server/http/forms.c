#include "server/http/forms.h"

/* Content schemas: a text, a text with a pattern, a reference to a schema. */
#define FORM(type, schema) "\"" type "\": {\"schema\": {" schema "}}"
#define TEXT_FORM(type) FORM(type, "\"type\": \"string\"")
#define LIKE_FORM(type, pattern) FORM(type, "\"type\": \"string\", \"pattern\": \"" pattern "\"")
#define SCHEMA_FORM(type, name) FORM(type, "\"$ref\": \"#/components/schemas/" name "\"")

const char page_forms[] = "{" TEXT_FORM("text/html") "}";
const char asset_forms[] =
    "{" TEXT_FORM("text/html") ", " TEXT_FORM("text/css") ", " TEXT_FORM("text/javascript") "}";
const char any_object_forms[] = "{\"application/json\": {\"schema\": {\"type\": \"object\"}}}";
const char import_forms[] = "{\"application/json\": {\"schema\": {\"oneOf\": [{\"$ref\": "
                            "\"#/components/schemas/ImportReport\"}, {\"$ref\": "
                            "\"#/components/schemas/Run\"}]}}}";
const char export_forms[] = "{" SCHEMA_FORM("application/x-ndjson", "RunDocument") "}";
const char verdict_forms[] =
    "{"
    "\"application/json\": {\"schema\": {\"oneOf\": [{\"$ref\": "
    "\"#/components/schemas/Check\"}, {\"type\": \"array\", \"maxItems\": 2, \"items\": "
    "{\"$ref\": \"#/components/schemas/BenchmarkPoint\"}}, {\"$ref\": "
    "\"#/components/schemas/BencherMetrics\"}]}}"
    ", " LIKE_FORM("text/markdown", "^\\\\*\\\\*(pass|fail|cannot_tell)\\\\*\\\\*: ") "}";
const char sweep_forms[] = "{" LIKE_FORM("text/csv", "^cell,name,round,rank_low,") "}";
const char sweep_events_forms[] = "{" SCHEMA_FORM("text/event-stream", "SweepEvent") "}";
const char backup_forms[] = "{\"application/vnd.sqlite3\": {\"schema\": {\"type\": \"string\", "
                            "\"contentEncoding\": \"binary\"}}}";
const char comparison_forms[] =
    "{" LIKE_FORM("text/csv", "^rank_low,rank_high,may_be_best,instance_type,") ", " LIKE_FORM(
        "text/markdown", "^\\\\*\\\\*") "}";
const char picture_forms[] = "{" LIKE_FORM("image/svg+xml", "^<svg ") "}";
const char support_forms[] = "{" TEXT_FORM("text/csv") "}";
const char steps_forms[] =
    "{" LIKE_FORM("text/csv", "^index,seconds,loss,measured,input_seconds,forward_seconds,"
                              "backward_seconds,update_seconds,communication_seconds\\r\\n") "}";
const char run_events_forms[] = "{" SCHEMA_FORM("text/event-stream", "RunEvent") "}";
