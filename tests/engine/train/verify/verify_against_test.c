#include "engine/train/verify/verify_against.h"

#include "tests/test.h"

/* Of one gradient with two elements; the root of its mean square is 1. */
#define LISTED_RELU ",\"near_zero\":{\"3\":[{\"input\":1e-6,\"changes\":0.5}]}"
#define RESULT(element, listed)                                                                  \
    "{\"ordering\":\"\",\"losses\":[7],\"updates\":{},\"running\":{},\"gradients\":{\"bn1."      \
    "bias\":"                                                                                    \
    "{\"count\":4,\"l2\":2,\"at\":{\"0\":1,\"3\":" element "}" listed "}}}"

static bool judge(const char *workload, const char *ours, const char *theirs)
{
    AUTO(json_decrefp) json_t *result = json_loads(ours, 0, NULL);
    AUTO(json_decrefp) json_t *reference = json_loads(theirs, 0, NULL);
    struct verify_judgement judgement;

    EXPECT(result && reference);
    verify_judgement_start(&judgement, workload, "f32", reference);
    verify_judgement_add(&judgement, result);
    return verify_judgement_end(&judgement);
}

/* A ReLU near zero moves an element by 0.2, and which there are, only such a list tells. */
TEST(an_element_is_held_closer_where_the_file_lists_relus_near_zero)
{
    EXPECT(judge("resnet50", RESULT("-1.02", ""), RESULT("-1", LISTED_RELU)));
    EXPECT(!judge("resnet50", RESULT("-1.04", ""), RESULT("-1", LISTED_RELU)));
    EXPECT(judge("resnet50", RESULT("-0.51", ""), RESULT("-1", LISTED_RELU)));
    EXPECT(judge("resnet50", RESULT("-1.24", ""), RESULT("-1", "")));
    EXPECT(!judge("resnet50", RESULT("-1.26", ""), RESULT("-1", "")));
    EXPECT(!judge("lstm2017", RESULT("-1.00001", ""), RESULT("-1", "")));
}
