/* Embeddings of every set: look-ups, the order of tokens, gradients and steps of tables. */
#include "engine/train/kernels/text/embedding.h"

#include "tests/engine/train/kernels/text/text_trial.h"

#define TABLE_ROWS 3000 /* more than one digit of the sort */
#define WIDTH 19
#define TOKENS 60

static int32_t tokens[TOKENS], places[TOKENS], scratch[TOKENS];
static float table[TABLE_ROWS * WIDTH], positions[12 * WIDTH], gradient[TOKENS * WIDTH];
static float result[TOKENS * WIDTH], slopes[2][TABLE_ROWS * WIDTH];
static const struct embedding_order order = {places, scratch};

/* Few tokens, often, the first and the last row of the table among them. */
static struct embedding embedding_of(long each, bool positioned)
{
    for (long i = 0; i < TOKENS; i++)
        tokens[i] = (int32_t)(i * i % 23 * 131);
    tokens[7] = tokens[31] = TABLE_ROWS - 1;
    noise_state = 7;
    fill(table, COUNT(table));
    fill(positions, COUNT(positions));
    fill(gradient, COUNT(gradient));
    return (struct embedding){.rows = TABLE_ROWS,
                              .width = WIDTH,
                              .count = TOKENS,
                              .tokens = tokens,
                              .each = each,
                              .positions = positioned ? positions : NULL,
                              .length = 12};
}

static void check_look_up(const struct text_kernels *kernels)
{
    for (int way = 0; way < 3; way++) {
        long each = way == 2 ? 6 : 1;
        struct embedding embedding = embedding_of(each, way == 1);

        for (long row = 0; row < TOKENS / each; row++)
            kernels->embedding->look_up(&embedding, table, row, row + 1, result);
        for (long i = 0; i < TOKENS / each * WIDTH; i++) {
            double sum = 0;

            for (long t = i / WIDTH * each; t < (i / WIDTH + 1) * each; t++)
                sum += (double)table[tokens[t] * WIDTH + i % WIDTH] +
                       (way == 1 ? (double)positions[t % 12 * WIDTH + i % WIDTH] : 0);
            EXPECT_NEAR((double)result[i], sum / (double)each, 2e-7);
        }
    }
}

static void a_look_up_gives_rows_with_positions_or_their_mean(void)
{
    trial_each(check_look_up);
}

static void check_sort(const struct text_kernels *kernels)
{
    const long rows_of[] = {1000, TABLE_ROWS, 5000000};

    for (size_t k = 0; k < COUNT(rows_of); k++) {
        struct embedding embedding = embedding_of(1, false);

        embedding.rows = rows_of[k];
        for (long i = 0; i < TOKENS; i++)
            tokens[i] = (int32_t)(i * 7919 % 17 * (rows_of[k] / 17));
        kernels->embedding->sort(&embedding, &order);
        for (long i = 1; i < TOKENS; i++) {
            int32_t before = tokens[places[i - 1]], here = tokens[places[i]];

            EXPECT(before < here || (before == here && places[i - 1] < places[i]));
        }
    }
}

static void places_are_sorted_by_token_and_then_as_in_the_text(void)
{
    trial_each(check_sort);
}

static void check_gradient(const struct text_kernels *kernels)
{
    for (long each = 1; each <= 6; each += 5) {
        struct embedding embedding = embedding_of(each, false);
        static double wanted[TABLE_ROWS * WIDTH];

        memset(wanted, 0, sizeof wanted);
        for (long t = 0; t < TOKENS; t++)
            for (long c = 0; c < WIDTH; c++)
                wanted[tokens[t] * WIDTH + c] +=
                    (double)gradient[t / each * WIDTH + c] / (double)each;
        fill(slopes[0], COUNT(slopes[0]));
        kernels->embedding->sort(&embedding, &order);
        kernels->embedding->gradient(&embedding, &order, gradient, (const long[]){0, TABLE_ROWS},
                                     slopes[0]);
        for (long i = 0; i < TABLE_ROWS * WIDTH; i++)
            EXPECT_NEAR((double)slopes[0][i], wanted[i], 1e-6);
        for (long row = 0; row < TABLE_ROWS; row += 7)
            kernels->embedding->gradient(
                &embedding, &order, gradient,
                (const long[]){row, row + 7 < TABLE_ROWS ? row + 7 : TABLE_ROWS}, slopes[1]);
        EXPECT(memcmp(slopes[0], slopes[1], sizeof slopes[0]) == 0);
    }
}

static void the_gradient_of_a_row_is_the_sum_over_the_places_of_its_token(void)
{
    trial_each(check_gradient);
}

struct learned {
    float weights[TABLE_ROWS * WIDTH], first[TABLE_ROWS * WIDTH], second[TABLE_ROWS * WIDTH];
};

static struct learned apart, together;

static void check_learn(const struct text_kernels *kernels, const struct learn_rule *rule)
{
    static uint8_t reached[TABLE_ROWS];
    struct embedding embedding = embedding_of(6, false);
    struct learn_arrays arrays = {together.weights, slopes[0], together.first, together.second,
                                  NULL};
    struct embedding_learn learn = {
        rule, {apart.weights, NULL, apart.first, apart.second, NULL}, reached};

    memset(reached, 0, sizeof reached);
    memset(&apart, 0, sizeof apart);
    memcpy(apart.weights, table, sizeof table);
    together = apart;
    for (int step = 0; step < 3; step++) {
        for (long i = 0; i < TOKENS; i++)
            tokens[i] = (tokens[i] + step * 262) % TABLE_ROWS;
        kernels->embedding->sort(&embedding, &order);
        kernels->embedding->gradient(&embedding, &order, gradient, (const long[]){0, TABLE_ROWS},
                                     slopes[0]);
        kernels->learn->run(rule, &arrays, 0, TABLE_ROWS * WIDTH);
        for (long row = 0; row < TABLE_ROWS; row += 500)
            kernels->embedding->learn(&embedding, &order, gradient,
                                      (const long[]){row, row + 500}, &learn);
    }
    EXPECT(memcmp(&apart, &together, sizeof apart) == 0);
}

static void check_learns(const struct text_kernels *kernels)
{
    check_learn(kernels, &(struct learn_rule){.kind = LEARN_ADAM,
                                              .rate = 0.01f,
                                              .beta1 = 0.9f,
                                              .beta2 = 0.999f,
                                              .eps = 1e-8f,
                                              .first_scale = 10,
                                              .second_scale = 1000});
    check_learn(kernels,
                &(struct learn_rule){
                    .kind = LEARN_SGD, .rate = 0.01f, .momentum = 0.9f, .weight_decay = 0.1f});
}

static void a_step_from_places_gives_the_bits_of_one_from_a_table_of_gradients(void)
{
    trial_each(check_learns);
}

int main(void)
{
    RUN(a_look_up_gives_rows_with_positions_or_their_mean);
    RUN(places_are_sorted_by_token_and_then_as_in_the_text);
    RUN(the_gradient_of_a_row_is_the_sum_over_the_places_of_its_token);
    RUN(a_step_from_places_gives_the_bits_of_one_from_a_table_of_gradients);
    return test_result();
}
