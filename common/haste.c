#include "common/haste.h"

#include <pthread.h>
#include <stdlib.h>

#define HASTE_MAX 1000

static long long haste = 1;

static void read_haste(void)
{
    const char *text = getenv(HASTE_VARIABLE);
    long long number = text ? strtoll(text, NULL, 10) : 1;

    if (number >= 1 && number <= HASTE_MAX)
        haste = number;
}

long long haste_pause(long long pause)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_haste);
    return pause / haste;
}
