/* Standings and offers in memory, for all who compare: brought up to date when the database says
 * that something has changed, and lent to one answer at a time. Threads may share it. */
#pragma once

#include "db/offers.h"
#include "db/standings.h"

struct board;

struct board *board_new(struct error *err) __attribute__((warn_unused_result));
void board_free(struct board *board); /* NULL is fine */

/* What an answer is made of. Nobody changes it until it is given back:
 *     AUTO(board_return) struct board_loan loan = {0};
 *     if (!board_borrow(board, db, &question, &loan, err)) return false; */
struct board_loan {
    struct board *board; /* NULL: nothing to give back */
    const struct standings *standings;
    const struct offers *offers;
};

bool board_borrow(struct board *board, struct db *db, const struct offers_question *question,
                  struct board_loan *ret_loan, struct error *err)
    __attribute__((warn_unused_result));
void board_return(struct board_loan *loan);
