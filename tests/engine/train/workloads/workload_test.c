/* The workloads of the worker are those that a spec may name. */
#include "engine/train/workloads/workload.h"

#include "engine/train/networks/recipes.h"
#include "tests/test.h"

static struct run_spec spec_of(const char *name)
{
    char text[100];
    struct run_spec spec = run_spec_default();

    snprintf(text, sizeof text, "{\"workload\": \"%s\"}", name);
    EXPECT(run_spec_from_text(text, strlen(text), &spec, NULL));
    return spec;
}

TEST(every_name_of_the_spec_is_a_workload)
{
    int count = 0;

    for (const char *const *name = run_spec_workloads; *name; name++, count++)
        EXPECT(workload_find(*name, NULL));
    for (int i = 0; recipe_at(i); i++)
        count--;
    EXPECT_INT(count, 1); /* resnet50 is no recipe */
}

TEST(the_usual_batch_of_a_spec_is_the_recipes)
{
    const struct recipe *recipe;

    for (int i = 0; (recipe = recipe_at(i)); i++) {
        EXPECT_STR(spec_of(recipe->name).workload, recipe->name);
        EXPECT_INT(spec_of(recipe->name).batch_size, recipe->batch);
        EXPECT_INT(run_spec_tokens(recipe->name), recipe->length);
    }
    EXPECT_INT(spec_of("resnet50").batch_size, 32);
    EXPECT_INT(run_spec_tokens("resnet50"), 0);
}

TEST(another_name_is_refused)
{
    EXPECT_WRONG(workload_find("mlp2018", &err), "workload",
                 "this worker does not know 'mlp2018'");
}

TEST(the_list_has_a_line_for_each)
{
    char text[4096] = "";
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    int lines = 0;

    EXPECT(out);
    workloads_list(out);
    fclose(out);
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    EXPECT_INT(lines, 12);
    EXPECT_PART(text, "resnet50                   25557032     4089184256     32  sgd\n");
    EXPECT_PART(text, "gpt2                      124439808     7981547520      4  adamw\n");
}
