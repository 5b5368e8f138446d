/* Usage counters and spent limits per token name, kept until exit, so that reloading the token
 * file does not reset limits. Thread-safe. In memory only, reset at restart: limits protect the
 * hub from a faulty client, not from the token's owner. */
#pragma once

#include "common/bytes.h"
#include "server/http/tokens/tokens.h"

struct token_usage;
struct sender;

struct token_usage *token_usage_new(void);
void token_usage_free(struct token_usage *token_usage);

/* The sender of this name, created if it is new. */
struct sender *token_usage_get(struct token_usage *token_usage, const char *name);

const char *sender_name(const struct sender *sender);

enum spent {
    SPENT_OK,
    SPENT_LATER, /* *ret_wait_ns is the time until the limit suffices */
    SPENT_NEVER, /* the amount exceeds the whole limit: the client must split it */
};

/* Spends `amount`, all or nothing, of a limit of `most` per period (0: unlimited). A limit starts
 * full and refills evenly. */
enum spent sender_spend(struct sender *sender, enum limit_kind kind, long long most,
                        long long amount, long long now_ns, long long *ret_wait_ns);

/* Refunds an amount that sender_spend() took from the same limit. */
void sender_give_back(struct sender *sender, enum limit_kind kind, long long most,
                      long long amount);

/* Begins to read a large body of the sender; false if LARGE_BODIES_OF_SENDER are being read
 * already, to leave slots for others. */
#define LARGE_BODIES_OF_SENDER 2
bool sender_begin_large(struct sender *sender);
void sender_end_large(struct sender *sender);

void sender_count_request(struct sender *sender);
void sender_count_runs(struct sender *sender, long long count); /* stored or queued */

/* Adds the counters in Prometheus' text format. */
bool token_usage_write(struct token_usage *token_usage, struct bytes *text);
