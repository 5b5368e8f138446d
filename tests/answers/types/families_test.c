#include "answers/types/families.h"

#include "db/prices/catalogue.h"
#include "tests/answers/compare/comparison.h"
#include "tests/db/finished.h"

/* What is known of types, and what a test asks of them. */
struct scene {
    struct stage stage;
    struct type_list types;
    struct families families;
};

static void scene_clear(struct scene *scene)
{
    families_free(&scene->families);
    freep(&scene->types.list);
    stage_clear(&scene->stage);
}

/* In the order of their names. */
static void know(struct scene *scene, const char *name, double vcpus, double processors)
{
    if (!scene->types.list)
        scene->types.list = calloc(STAGE_MAX, sizeof *scene->types.list);
    if (!scene->types.list || scene->types.count == STAGE_MAX)
        exit(1);
    struct known_type *type = &scene->types.list[scene->types.count++];
    *type = (struct known_type){
        .listed = {.provider = "aws", .vcpus = vcpus, .memory_gib = 2 * vcpus},
        .measured = {.processors = processors, .memory_gib = 2 * processors}};
    snprintf(type->listed.name, sizeof type->listed.name, "%s", name);
}

static void make(struct scene *scene, const char *family)
{
    const struct comparison_parts parts = {.question = &scene->stage.question,
                                           .standings = &scene->stage.standings,
                                           .offers = &scene->stage.offers,
                                           .discounts = &scene->stage.discounts};
    const struct families_parts wanted = {.parts = &parts,
                                          .ranking = &scene->stage.ranking,
                                          .types = &scene->types,
                                          .family = family};

    compare(&scene->stage, "provenance=measured");
    families_free(&scene->families);
    scene->families = families_make(&wanted);
}

static const struct family_size *size_named(const struct scene *scene, const char *name)
{
    static const struct family_size none;

    for (size_t i = 0; i < scene->families.count; i++)
        if (strcmp(scene->families.list[i].type->listed.name, name) == 0)
            return &scene->families.list[i];
    test_fail(__FILE__, __LINE__, name);
    return &none;
}

static void stage_sizes(struct scene *scene)
{
    know(scene, "c7i.2xlarge", 8, 0);
    know(scene, "c7i.large", 2, 0);
    know(scene, "c7i.metal-24xl", 96, 0);
    know(scene, "c7i.xlarge", 4, 0);
    know(scene, "m7i.large", 2, 0);
    OFFERED(&scene->stage, "c7i.large", .on_demand = 0.1);
    OFFERED(&scene->stage, "c7i.metal-24xl", .on_demand = 5);
    MEASURED(&scene->stage, "c7i.xlarge", 40, .low = 39, .high = 41);
    MEASURED(&scene->stage, "c7i.2xlarge", 60, .low = 59, .high = 61);
}

#define TEST_WITH_SCENE(name) TEST_GIVEN(name, struct scene *scene, with_scene)

static void with_scene(void (*test)(struct scene *))
{
    AUTO(scene_clear) struct scene scene = {0};

    test(&scene);
}

TEST_WITH_SCENE(efficiency_is_of_a_vcpu_and_to_the_smallest_measured_size)
{
    const struct family_size *size;

    stage_sizes(scene);
    make(scene, NULL);
    EXPECT_INT((long long)scene->families.count, 4); /* no size of m7i was measured */
    EXPECT_STR(scene->families.list[0].type->listed.name, "c7i.large");
    EXPECT_STR(scene->families.list[3].type->listed.name, "c7i.metal-24xl");
    size = size_named(scene, "c7i.xlarge");
    EXPECT(size->is_reference && size->efficiency.known);
    EXPECT_HAS(size->efficiency, (low, 1), (high, 1));
    size = size_named(scene, "c7i.2xlarge");
    EXPECT(!size->is_reference && size->efficiency.known);
    EXPECT_NEAR(size->efficiency.value, 60.0 / 8 / (40.0 / 4), 1e-12);
    /* Wider than both intervals: machines of a type differ. */
    EXPECT(size->efficiency.low < 0.72 && size->efficiency.high > 0.78);
}

TEST_WITH_SCENE(a_size_without_a_measurement_has_its_price_alone)
{
    stage_sizes(scene);
    make(scene, NULL);
    const struct family_size *size = size_named(scene, "c7i.large");
    EXPECT(!size->row && isnan(size->efficiency.value) && !size->is_reference);
    EXPECT(size->price.known);
    EXPECT_NEAR(size->price.dollars.value, 0.1, 1e-12);
    size = size_named(scene, "c7i.xlarge");
    EXPECT(!size->price.known && size->price.why_not[0]);
}

TEST_WITH_SCENE(a_family_that_is_named_need_not_be_measured)
{
    stage_sizes(scene);
    make(scene, "m7i");
    EXPECT_INT((long long)scene->families.count, 1);
    EXPECT(!scene->families.list[0].row);
    make(scene, "zz");
    EXPECT_INT((long long)scene->families.count, 0);
}

TEST_WITH_SCENE(where_no_feed_lists_a_type_its_machine_counts)
{
    know(scene, "x.a", 0, 4);
    know(scene, "x.b", 8, 2);
    know(scene, "x.c", 0, 0);
    MEASURED(&scene->stage, "x.a", 40, .low = 39, .high = 41);
    MEASURED(&scene->stage, "x.b", 80, .low = 79, .high = 81);
    MEASURED(&scene->stage, "x.c", 80, .low = 79, .high = 81);
    make(scene, NULL);
    const struct family_size *size = size_named(scene, "x.a");
    EXPECT_HAS(*size, (vcpus.source, SOURCE_MEASURED), (is_reference, true));
    size = size_named(scene, "x.b");
    EXPECT_INT(size->vcpus.source, SOURCE_CATALOGUE);
    EXPECT_NEAR(size->efficiency.value, 1, 1e-12);
    size = size_named(scene, "x.c"); /* last, with no efficiency */
    EXPECT(size == &scene->families.list[2] && isnan(size->efficiency.value));
}

TEST_WITH_SCENE(runs_that_do_not_count_measure_nothing)
{
    know(scene, "x.a", 4, 0);
    know(scene, "x.b", 8, 0);
    MEASURED(&scene->stage, "x.a", 0, .nothing = true);
    MEASURED(&scene->stage, "x.b", 80, .level = STANDING_POINT);
    make(scene, NULL);
    EXPECT_INT((long long)scene->families.count, 2);
    EXPECT(!scene->families.list[0].row);
    EXPECT(scene->families.list[1].is_reference);
}

TEST_WITH_SCENE(a_number_without_an_interval_gives_none)
{
    know(scene, "x.a", 4, 0);
    know(scene, "x.b", 8, 0);
    MEASURED(&scene->stage, "x.a", 40, .low = 39, .high = 41);
    MEASURED(&scene->stage, "x.b", 40, .level = STANDING_POINT);
    make(scene, NULL);
    const struct family_size *size = size_named(scene, "x.b");
    EXPECT_NEAR(size->efficiency.value, 0.5, 1e-12);
    EXPECT(!size->efficiency.known);
}

TEST_WITH_SCENE(families_stand_apart)
{
    stage_sizes(scene);
    MEASURED(&scene->stage, "m7i.large", 20, .low = 19, .high = 21);
    make(scene, NULL);
    EXPECT_INT((long long)families_end(&scene->families, 0), 4);
    EXPECT_INT((long long)families_end(&scene->families, 4), 5);
    EXPECT(scene->families.list[4].is_reference);
}

TEST_WITH_DATABASE(types_are_loaded_by_name)
{
    AUTO(type_list_free) struct type_list types = {0};
    const struct known_type_filter filter = {0};

    EXPECT(type_list_load(db, &filter, &types, NULL));
    EXPECT_INT((long long)types.count, 0);
    ENDED(db, 100, .instance = "b");
    ENDED(db, 100, .instance = "a");
    EXPECT(type_list_load(db, &filter, &types, NULL));
    EXPECT_HAS(types, (count, 2), (list[0].listed.name, "a"));
}
