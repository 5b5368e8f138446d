#include "tests/server/http/openapi_document.h"

#include "common/limits.h"

/* What openapi.json says on a way below its components. */
static const struct {
    const char *way, *word;
    long long limit;
} components[] = {
    {"schemas/TypedPrice/properties/price_per_hour/oneOf/1", "maximum", PRICE_DOLLARS_MAX},
    {"schemas/TypedPrices/oneOf/1/properties/prices", "maxItems", PRICE_STORE_MAX},
    {"schemas/NewCapacityEvent/properties/provider", "maxLength", PROVIDER_SIZE - 1},
    {"schemas/NewCapacityEvent/properties/instance_type", "maxLength", INSTANCE_SIZE - 1},
    {"schemas/NewCapacityEvent/properties/zone", "maxLength", REGION_SIZE - 1},
    {"schemas/Run/properties/instance_type", "maxLength", INSTANCE_SIZE - 1},
    {"schemas/Run/properties/software", "maxLength", SOFTWARE_SIZE - 1},
    {"schemas/Run/properties/samples", "maximum", WHOLE_MAX},
    {"schemas/Run/properties/peak_memory_bytes", "maximum", WHOLE_MAX},
    {"schemas/EngineDetails/properties/parameters", "maximum", WHOLE_MAX},
    {"schemas/RunDocument/properties/setup_ns", "maximum", STEP_NS_MAX},
    {"schemas/MachineList/properties/machines", "maxItems", MACHINE_LIST_MAX},
    {"schemas/RunList/properties/runs", "maxItems", RUN_LIST_MAX},
    {"schemas/SweepList/properties/sweeps", "maxItems", SWEEP_LIST_MAX},
    {"schemas/Check/properties/margin_percent", "maximum", PERCENT_MAX},
    {"schemas/Check/properties/candidate/properties/runs", "maxItems", GATE_RUNS_MAX},
    {"schemas/Check/properties/baseline/properties/runs", "maxItems", GATE_RUNS_MAX},
    {"schemas/AaRequest/properties/pairs", "maximum", SWEEP_PAIRS_MAX},
    {"schemas/SweepRequest/properties/cells", "maxItems", SWEEP_CELLS_MAX},
    {"schemas/SweepRequest/properties/blocks", "maximum", SWEEP_BLOCKS_MAX},
    {"schemas/SweepRequest/properties/pairs", "maximum", SWEEP_PAIRS_MAX},
    {"schemas/SweepRequest/properties/budget_seconds", "maximum", RUN_SECONDS_MAX},
    {"schemas/DocumentSteps/properties/nanoseconds", "maxItems", RUN_STEPS_MAX},
    {"schemas/DocumentSteps/properties/nanoseconds/items", "maximum", STEP_NS_MAX},
    {"schemas/DocumentPart/items", "maximum", STEP_NS_MAX},
    {"schemas/TakenBack/properties/reason", "maxLength", REASON_MAX},
    {"schemas/TakenBack/properties/by", "maxLength", TOKEN_NAME_SIZE - 1},
    {"schemas/ImportReport/properties/errors", "maxItems", IMPORT_REFUSALS_MAX},
};

static void expect_limit(json_t *schema, const char *what, const char *word, long long limit)
{
    json_t *value = json_object_get(schema, word);

    if (!json_is_integer(value) || json_integer_value(value) != limit) {
        EXPECT_STR(what, word);
        EXPECT_INT(json_integer_value(value), limit);
    }
}

TEST_OF_DOCUMENT(schemas_have_the_limits_that_hold, "")
{
    for (size_t i = 0; i < COUNT(components); i++)
        expect_limit(at(json_object_get(document, "components"), components[i].way),
                     components[i].way, components[i].word, components[i].limit);
}

TEST_OF_DOCUMENT(the_key_of_a_request_has_the_length_that_holds, "")
{
    EXPECT_STR(text_at(document, "components/parameters/Idempotency-Key/schema/pattern"),
               "^[ -~]{1," LIMIT_TEXT(IDEMPOTENCY_KEY_MAX) "}$");
}
