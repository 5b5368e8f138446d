/* Those who hold a token, by name: what each has done since we started, and how much more each
 * may do now. A sender stays until the end, whatever becomes of the file: what was spent is not
 * given back by reading it again. Any thread. */
#pragma once

#include "common/bytes.h"
#include "server/http/tokens.h"

struct token_usage;
struct sender;

struct token_usage *token_usage_new(void); /* NULL when memory ends */
void token_usage_free(struct token_usage *token_usage);

/* The sender of this name, made where there is none yet; NULL when memory ends. */
struct sender *token_usage_get(struct token_usage *token_usage, const char *name);

const char *sender_name(const struct sender *sender);

enum spent {
    SPENT_OK,
    SPENT_LATER, /* *ret_wait_ns says when there will be enough */
    SPENT_NEVER, /* it is more than may be done in all that time: it must be split */
};

/* Spends `amount` of a limit that lets `most` be done in its time, 0 without end; all of it or
 * nothing. A limit is full at first, and fills evenly. */
enum spent sender_spend(struct sender *sender, enum limit_kind kind, long long most,
                        long long amount, long long now_ns, long long *ret_wait_ns);

/* Takes back what sender_spend() of the same limit has let be spent, and was of no use. */
void sender_give_back(struct sender *sender, enum limit_kind kind, long long most,
                      long long amount);

void sender_count_request(struct sender *sender);
void sender_count_runs(struct sender *sender, long long count); /* stored or queued */

/* Adds what was counted, in Prometheus' text format. */
bool token_usage_write(struct token_usage *token_usage, struct bytes *text);
