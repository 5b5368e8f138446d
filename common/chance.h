/* Pseudo-random numbers with a small state: the same seed gives the same numbers everywhere. For
 * statistics and pauses; never for secrets (use getrandom()). */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct chance {
    uint64_t state; /* any number is a seed */
};

/* From a text, such as a run's id. */
struct chance chance_from(const char *text);

/* SplitMix64 (Steele, Lea and Flood, 2014). Inline because a bootstrap draws tens of
 * thousands. */
static inline uint64_t chance_next(struct chance *chance)
{
    uint64_t mixed = chance->state += 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

/* 0 .. limit - 1, each as likely as the other. */
static inline size_t chance_below(struct chance *chance, size_t limit)
{
    /* The high half of a product: no division, and a bias of limit / 2^32 at most. */
    return (size_t)(((chance_next(chance) >> 32) * (uint64_t)limit) >> 32);
}

/* A pause of `low` to `high` times `ns`, so that programs that started or failed together do not
 * retry together. */
long long chance_jitter(struct chance *chance, long long ns, double low, double high);
