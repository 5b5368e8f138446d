#include "engine/run/native.h"

#include "tests/test.h"

static const char *const rows[][2] = {
    {"{}", ""},
    {"{\"workload\":\"mine\",\"engine\":\"ours-by-another-name\"}", "workload"},
    {"{\"workload\":\"gpt2\",\"precision\":\"bf16\",\"plan\":\"fixed\"}", ""},
    {"{\"workload\":\"mlp2017\",\"batch_size\":1}", ""},
    {"{\"workload\":\"mlp2017\",\"precision\":\"f16\"}", "precision"},
    {"{\"workload\":\"cnn2017\",\"layout\":\"nhwc\"}", "layout"},
    {"{\"workload\":\"cnn2017\",\"plan\":\"plain\"}", "plan"},
    {"{\"workload\":\"lstm2017\",\"input_workers\":1}", "input_workers"},
    {"{\"workload\":\"resnet50\",\"precision\":\"bf16\",\"input_workers\":2}", ""},
    {"{\"workload\":\"resnet50\",\"precision\":\"f16\"}", "precision"},
    {"{\"workload\":\"resnet50\",\"batch_size\":1}", "batch_size"},
    {"{\"workload\":\"resnet50\",\"layout\":\"nchw\"}", "layout"},
    {"{\"workload\":\"resnet50\",\"layout\":\"blocked\",\"plan\":\"fixed\"}", "layout"},
    {"{\"workload\":\"resnet50\",\"layout\":\"nchw\",\"plan\":\"plain\"}", ""},
    {"{\"workload\":\"resnet50\",\"layout\":\"nhwc\"}", ""},
};

TEST(specs_that_the_engine_cannot_train_are_known_beforehand)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error err = {0};
        struct run_spec spec;

        EXPECT(run_spec_from_text(rows[i][0], strlen(rows[i][0]), &spec, NULL));
        EXPECT_INT(native_can_train(&spec, &err), !*rows[i][1]);
        EXPECT_STR(err.field, rows[i][1]);
        EXPECT_INT(err.kind, *rows[i][1] ? ERROR_UNABLE : ERROR_NONE);
    }
}
