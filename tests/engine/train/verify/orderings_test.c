#include "engine/train/verify/orderings.h"

#include "tests/test.h"

static struct verify_options options_of(const char *plan, long long threads)
{
    return (struct verify_options){
        .workload = "resnet50", .precision = "bf16", .plan = plan, .threads = threads};
}

TEST(the_first_is_what_was_asked_for_and_no_two_are_alike)
{
    static const char *const plans[] = {"auto", "fixed", "plain"};

    for (size_t p = 0; p < COUNT(plans); p++)
        for (long long threads = 1; threads <= 5; threads++) {
            const struct verify_options options = options_of(plans[p], threads);
            char names[ORDERINGS_MAX][ORDERING_NAME_MAX];

            for (int i = 0; i < ORDERINGS_MAX; i++) {
                const struct ordering ordering = orderings_at(&options, i);

                ordering_name(&ordering, names[i]);
                for (int other = 0; other < i; other++)
                    EXPECT(strcmp(names[i], names[other]) != 0);
                EXPECT(i > 0 || ordering.threads == threads);
                EXPECT(i > 0 || ordering.plan == net_plan_from_name(plans[p]));
                EXPECT((ordering.plan == NET_PLAIN) == (p == 2));
            }
        }
}

TEST(the_first_few_have_one_to_four_threads_both_plans_and_other_chunks)
{
    const struct verify_options options = options_of("fixed", 8);
    bool threads[5] = {0}, automatic = false, chunks = false;

    for (int i = 1; i < DEFAULT_ORDERINGS; i++) {
        const struct ordering ordering = orderings_at(&options, i);

        EXPECT(ordering.threads >= 1 && ordering.threads <= 4);
        threads[ordering.threads] = true;
        automatic = automatic || ordering.plan == NET_AUTO;
        chunks = chunks || ordering.chunk_kilobytes > 0;
    }
    EXPECT(threads[1] && threads[2] && threads[3] && threads[4] && automatic && chunks);
}

TEST(one_is_enough_but_to_judge_bf16)
{
    struct verify_options options = options_of("auto", 0);

    EXPECT_INT(orderings_count(&options), 1);
    options.against = "file";
    EXPECT_INT(orderings_count(&options), DEFAULT_ORDERINGS);
    options.orderings = 2;
    EXPECT_INT(orderings_count(&options), 2);
    options.orderings = 0;
    options.precision = "f32";
    EXPECT_INT(orderings_count(&options), 1);
}

TEST(a_name_says_what_differs)
{
    char name[ORDERING_NAME_MAX];

    ordering_name(&(struct ordering){1, NET_PLAIN, 0}, name);
    EXPECT_STR(name, "1 thread, plan plain");
    ordering_name(&(struct ordering){3, NET_FIXED, 300}, name);
    EXPECT_STR(name, "3 threads, plan fixed, 300 KB chunks");
    ordering_name(&(struct ordering){1024, NET_AUTO, 0}, name);
    EXPECT_STR(name, "1024 threads, plan auto");
}
