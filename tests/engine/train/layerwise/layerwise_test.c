/* Nets of the layerwise plan: each kind of node, against differences of the loss; the same bits
 * from run to run; and the smallest of everything. PyTorch's numbers are verify_test.py's. */
#include "engine/train/layerwise/layerwise.h"

#include "common/memory.h"
#include "engine/train/layerwise/layerwise_data.h"
#include "engine/train/networks/recipes.h"
#include "tests/engine/train/layerwise/small_graphs.h"
#include "tests/test.h"

#include <math.h>

static const struct optimizer adam = {
    .kind = OPTIMIZER_ADAM, .lr = 0.01, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8};

static struct net *make_with(const struct graph *graph, const struct optimizer *optimizer,
                             struct net_options options)
{
    struct error err = {0};
    struct net *net;

    options.seed = 3;
    options.isa = cpu_probe();
    net = layerwise_new(graph, optimizer, &options, &err);
    EXPECT_STR(err.message, "");
    return net;
}

static struct net *make(const struct graph *graph, const struct optimizer *optimizer, long batch,
                        int threads, enum dnn_type type)
{
    return make_with(graph, optimizer,
                     (struct net_options){.batch = batch, .type = type, .threads = threads});
}

static double step(struct net *net)
{
    struct step_split split;
    double loss = NAN;

    EXPECT(net_step(net, &loss, &split, NULL));
    return loss;
}

/* The first loss where parameter `index` is moved by `by` along `direction`. */
static double loss_moved(const struct graph *graph, long batch, int index, const float *direction,
                         double by)
{
    struct net *net = make(graph, NULL, batch, 2, DNN_F32);
    struct parameter *parameter = &net_parameters(net, NULL)->list[index];
    double loss;

    for (size_t i = 0; i < parameter->count; i++)
        parameter->value[i] += (float)(by * (double)direction[i]);
    loss = step(net);
    net_free(net);
    return loss;
}

/* Where there is no gradient, the loss does not move with the sum of the parameter's numbers. */
static void expect_flat(const struct graph *graph, long batch, int index, size_t count)
{
    AUTO(freep) float *ones = xmalloc(count * sizeof *ones);
    double by = 1e-3;

    for (size_t i = 0; i < count; i++)
        ones[i] = 1;
    EXPECT_NEAR(
        (loss_moved(graph, batch, index, ones, by) - loss_moved(graph, batch, index, ones, -by)) /
            (2 * by),
        0, 0.01);
}

/* Along its own gradient the loss rises by the square of the gradient's norm. */
static void expect_gradients(const struct graph *graph, long batch)
{
    struct net *net = make(graph, NULL, batch, 2, DNN_F32);
    const struct parameters *parameters = net_parameters(net, NULL);

    step(net);
    for (int i = 0; i < parameters->count; i++) {
        const struct parameter *p = &parameters->list[i];
        double squares = 0, by, rise;

        for (size_t k = 0; k < p->count; k++)
            squares += (double)p->gradient[k] * (double)p->gradient[k];
        if (squares < 1e-8) { /* below what differences of f32 can see */
            expect_flat(graph, batch, i, p->count);
            continue;
        }
        by = 1e-3 / squares; /* moves the loss by 0.001 each way */
        rise = (loss_moved(graph, batch, i, p->gradient, by) -
                loss_moved(graph, batch, i, p->gradient, -by)) /
               (2 * by * squares);
        if (fabs(rise - 1) > 0.02)
            fprintf(stderr, "%s:\n", p->name);
        EXPECT_NEAR(rise, 1, 0.02);
    }
    net_free(net);
}

TEST(gradients_of_images_are_the_slopes_of_the_loss)
{
    struct graph graph;

    graph_of_images(&graph);
    expect_gradients(&graph, 5);
    expect_gradients(&graph, 1);
    graph_of_wide_images(&graph);
    expect_gradients(&graph, 5);
}

TEST(gradients_of_texts_are_the_slopes_of_the_loss)
{
    struct graph graph;

    for (long length = 1; length <= 5; length += 4)
        for (long directions = 1; directions <= 2; directions++) {
            graph_of_text(&graph, length, directions);
            expect_gradients(&graph, 6);
        }
    graph_of_characters(&graph, 4);
    expect_gradients(&graph, 3); /* fewer than twice as many characters as there are tokens */
    expect_gradients(&graph, 4);
    graph_of_characters(&graph, 1);
    expect_gradients(&graph, 1);
    graph_of_means(&graph, 9, 30);
    expect_gradients(&graph, 4);
    graph_of_means(&graph, 9, 10); /* only LSTMs read by token */
    expect_gradients(&graph, 4);
    for (int shared = 0; shared <= 1; shared++) {
        graph_of_a_shared_text(&graph, shared);
        expect_gradients(&graph, 4);
    }
    graph_of_a_wide_table(&graph);
    expect_gradients(&graph, 4);
}

TEST(gradients_of_a_transformer_are_the_slopes_of_the_loss)
{
    struct graph graph;

    graph_of_a_transformer(&graph, 7);
    expect_gradients(&graph, 3);
    graph_of_a_transformer(&graph, 1);
    expect_gradients(&graph, 1);
}

/* Single samples have too few tokens to be read by token. */
TEST(the_loss_of_a_batch_is_the_mean_of_its_samples)
{
    for (int which = 0; which < 3; which++) {
        struct graph graph;
        struct net *together, *single;
        double sum = 0;

        if (which == 0)
            graph_of_characters(&graph, 4);
        else
            graph_of_a_shared_text(&graph, which == 1);
        together = make(&graph, NULL, 6, 2, DNN_F32);
        single = make(&graph, NULL, 1, 1, DNN_F32);
        for (int i = 0; i < 6; i++)
            sum += step(single);
        EXPECT_NEAR(step(together) / (sum / 6), 1, 1e-6);
        net_free(together);
        net_free(single);
    }
}

#define GRAPHS 7

static struct net *make_one_of(int which, struct net_options options)
{
    struct graph graph;

    if (which == 0)
        graph_of_images(&graph);
    else if (which == 1)
        graph_of_text(&graph, 3, 2);
    else if (which == 2)
        graph_of_characters(&graph, 3);
    else if (which == 3)
        graph_of_means(&graph, 6, 30);
    else if (which == 4)
        graph_of_a_transformer(&graph, 6);
    else if (which == 5)
        graph_of_a_wide_table(&graph);
    else
        graph_of_wide_images(&graph);
    return make_with(&graph, &adam, options);
}

/* Calls it for nets of every graph and type, with one thread and with several. */
static void with_each(void (*compare)(int which, struct net_options options))
{
    for (int which = 0; which < GRAPHS; which++)
        for (int threads = 1; threads <= 4; threads++)
            for (enum dnn_type type = DNN_F32; type <= DNN_BF16; type++)
                compare(which,
                        (struct net_options){.batch = 5, .type = type, .threads = threads});
}

static void expect_same_bits(struct net *a, struct net *b)
{
    for (int i = 0; i < 3; i++) {
        double left = step(a), right = step(b);

        EXPECT(memcmp(&left, &right, sizeof left) == 0);
    }
    EXPECT(same_weights(a, b));
    net_free(a);
    net_free(b);
}

static void make_twice(int which, struct net_options options)
{
    expect_same_bits(make_one_of(which, options), make_one_of(which, options));
}

TEST(the_same_options_give_the_same_bits)
{
    with_each(make_twice);
}

static void learn_soon_and_late(int which, struct net_options options)
{
    struct net *soon = make_one_of(which, options);

    options.keep_gradients = true;
    expect_same_bits(soon, make_one_of(which, options));
}

/* A weight that learns while its gradient is in a cache, and one that learns at the end of the
 * step because its gradient is shown. */
TEST(when_a_weight_learns_changes_no_bit)
{
    with_each(learn_soon_and_late);
}

/* Of a table with ten times as many rows as a step has tokens: late_rows.h. */
static void learn_late(const struct optimizer *optimizer, int threads, int steps)
{
    struct net_options options = {.batch = 5, .threads = threads};
    struct net *late, *punctual;
    struct graph graph;

    graph_of_means(&graph, 6, 300);
    late = make_with(&graph, optimizer, options);
    options.keep_gradients = true;
    punctual = make_with(&graph, optimizer, options);
    for (int i = 0; i < steps; i++) {
        double left = step(late), right = step(punctual);

        EXPECT(memcmp(&left, &right, sizeof left) == 0);
        if (i % 50 == 20) /* and they go on from there */
            EXPECT(same_weights(late, punctual));
    }
    EXPECT(same_weights(late, punctual));
    net_free(late);
    net_free(punctual);
}

TEST(rows_that_learn_late_have_the_same_bits)
{
    EACH(struct optimizer, optimizer,
         {.kind = OPTIMIZER_SGD, .lr = 0.1, .momentum = 0.9, .weight_decay = 0.01},
         {.kind = OPTIMIZER_RMSPROP, .lr = 0.01, .rho = 0.9, .eps = 1e-7},
         {.kind = OPTIMIZER_ADADELTA, .lr = 1, .rho = 0.95, .eps = 1e-7},
         {.kind = OPTIMIZER_ADAMW,
          .lr = 0.01,
          .lr_decay = 0.1,
          .beta1 = 0.9,
          .beta2 = 0.99,
          .eps = 1e-8,
          .weight_decay = 0.1})
        learn_late(&optimizer, 2, 40);
    for (int threads = 1; threads <= 7; threads += 2)
        learn_late(&adam, threads, 40);
    learn_late(&adam, 2, 600); /* more than a byte counts */
}

static const struct parameter *parameter_of(struct net *net, const char *layer)
{
    return parameters_find(net_parameters(net, NULL), layer, "weight");
}

/* The table of tokens is one of them: it is also the last layer's weight. */
TEST(weights_of_dense_layers_share_the_place_of_their_gradients)
{
    struct graph graph;
    struct net *net;

    graph_of_a_transformer(&graph, 4);
    net = make(&graph, &adam, 2, 2, DNN_F32);
    EXPECT(parameter_of(net, "transformer.h.0.mlp.c_fc")->gradient ==
           parameter_of(net, "transformer.h.1.attn.c_proj")->gradient);
    EXPECT(parameter_of(net, "transformer.wte")->gradient ==
           parameter_of(net, "transformer.h.0.mlp.c_fc")->gradient);
    EXPECT(parameter_of(net, "transformer.wpe")->gradient !=
           parameter_of(net, "transformer.h.0.mlp.c_fc")->gradient);
    net_free(net);
    net = make_with(&graph, &adam,
                    (struct net_options){.batch = 2, .threads = 2, .keep_gradients = true});
    EXPECT(parameter_of(net, "transformer.h.0.mlp.c_fc")->gradient !=
           parameter_of(net, "transformer.h.1.attn.c_proj")->gradient);
    net_free(net);
}

static bool is_zero(const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] != 0)
            return false;
    return true;
}

/* Half of its rows, or more, have tokens: a step goes through the whole table. */
TEST(a_table_learns_late_if_most_of_its_rows_have_no_token)
{
    for (long vocabulary = 60; vocabulary <= 61; vocabulary++) {
        struct graph graph;
        struct net *net;
        const struct parameter *table;

        graph_of_means(&graph, 6, vocabulary);
        net = make(&graph, &adam, 5, 2, DNN_F32);
        step(net);
        table = parameter_of(net, "embedding");
        EXPECT_INT(is_zero(table->gradient, table->count), vocabulary == 61);
        net_free(net);
    }
}

TEST(another_number_of_threads_changes_rounding_only)
{
    for (int which = 0; which < GRAPHS; which++) {
        struct net *one = make_one_of(which, (struct net_options){.batch = 3, .threads = 1});
        struct net *many = /* more than there are samples */
            make_one_of(which, (struct net_options){.batch = 3, .threads = 7});

        for (int i = 0; i < 3; i++)
            EXPECT_NEAR(step(many) / step(one), 1, 1e-4);
        net_free(one);
        net_free(many);
    }
}

TEST(each_step_trains_on_other_samples_and_masks)
{
    struct graph graph;
    struct net *net;
    double first;

    graph_of_images(&graph);
    net = make(&graph, NULL, 4, 2, DNN_F32);
    first = step(net);
    EXPECT(fabs(step(net) - first) > 1e-6);
    net_free(net);
}

TEST(bf16_is_off_by_rounding_only)
{
    for (int which = 0; which < GRAPHS; which++) {
        struct net_options options = {.batch = 4, .threads = 2};
        struct net *exact = make_one_of(which, options), *fast;

        options.type = DNN_BF16;
        fast = make_one_of(which, options);
        EXPECT_NEAR(step(fast) / step(exact), 1, 0.03);
        net_free(exact);
        net_free(fast);
    }
}

TEST(a_batch_that_does_not_fit_into_memory_is_refused_with_its_need)
{
    const struct net_options options = {
        .batch = 2000000000, .seed = 1, .threads = 1, .isa = cpu_probe()};
    struct graph graph;
    struct error err = {0};

    graph_of_images(&graph);
    EXPECT(!layerwise_new(&graph, &adam, &options, &err));
    EXPECT_INT(err.kind, ERROR_INVALID);
    EXPECT_STR(err.field, "batch_size");
    EXPECT(strstr(err.message, "2000000000 needs about ") == err.message);
}

/* In GiB. */
static double need_of(const struct graph *graph, bool keeps_gradients)
{
    const char *begins = "1000000 needs about ";
    const struct net_options options = {.batch = 1000000,
                                        .seed = 1,
                                        .threads = 1,
                                        .isa = cpu_probe(),
                                        .keep_gradients = keeps_gradients};
    struct error err = {0};

    EXPECT(!layerwise_new(graph, &adam, &options, &err));
    EXPECT(strstr(err.message, begins) == err.message);
    return strtod(err.message + strlen(begins), NULL);
}

/* Dense layers have 85 M of GPT-2's 124 M weights, and share the table, which has 38.6 M. */
TEST(gradients_that_share_a_place_need_its_memory_alone)
{
    struct graph graph;

    recipe_fill(recipe_find("gpt2"), 0, &graph);
    EXPECT_NEAR(need_of(&graph, true) - need_of(&graph, false), 0.31, 0.11);
}

/* What the second convolution makes, its pool reads at once; what the first one makes has no
 * gradient but for one image of each thread. All else has a value and a gradient. */
TEST(what_convolutions_pass_on_needs_no_memory)
{
    struct graph graph;
    double numbers = 26 * 26 * 32 + 2 * (28 * 28 + 2 * 12 * 12 * 64 + 2 * 128 + 10);

    recipe_fill(recipe_find("cnn2017"), 0, &graph);
    EXPECT_NEAR(need_of(&graph, true) / (numbers * sizeof(float) * 1e6 / (1 << 30)), 1, 0.01);
}

TEST(only_a_table_that_a_layer_shares_is_rounded)
{
    struct graph graph;
    struct net *net;

    graph_of_means(&graph, 3, 30);
    net = make(&graph, &adam, 2, 1, DNN_BF16);
    EXPECT(!((struct layerwise *)net)->operands[0]);
    EXPECT(((struct layerwise *)net)->operands[1]); /* the weight of the layer behind it */
    net_free(net);
    graph_of_a_transformer(&graph, 4);
    net = make(&graph, &adam, 2, 1, DNN_BF16);
    EXPECT(((struct layerwise *)net)->operands[0]);
    EXPECT(!((struct layerwise *)net)->operands[1]); /* positions */
    net_free(net);
}

TEST(without_an_optimizer_a_net_stays_as_it_is_and_shows_its_gradients)
{
    struct graph graph;
    struct net *learns, *stays;
    const struct parameter *p;
    double loss;

    graph_of_images(&graph);
    learns = make(&graph, &adam, 4, 2, DNN_F32);
    stays = make(&graph, NULL, 4, 2, DNN_F32);
    p = net_parameters(stays, NULL)->list;
    loss = step(learns);
    EXPECT_NEAR(step(stays), loss, 0);
    EXPECT(memcmp(p->gradient, net_parameters(learns, NULL)->list->gradient,
                  p->count * sizeof(float)) == 0);
    EXPECT(memcmp(p->value, net_parameters(learns, NULL)->list->value,
                  p->count * sizeof(float)) != 0);
    EXPECT(!p->velocity && !p->second);
    net_free(learns);
    net_free(stays);
}

TEST(a_net_says_what_it_is)
{
    struct graph graph;
    struct net *net;
    struct net_facts facts;

    graph_of_characters(&graph, 4);
    net = make(&graph, &adam, 2, 1, DNN_F32);
    facts = net_facts(net);
    EXPECT_STR(facts.plan, "layerwise");
    EXPECT_INT(facts.parameters, graph_parameters(&graph));
    EXPECT_INT(facts.multiply_adds, 4 * 24 * (7 + 6) + 6 * 7);
    EXPECT(facts.memory > 0);
    EXPECT_INT(facts.emulated, ANSWER_NO);
    net_free(net);
}
