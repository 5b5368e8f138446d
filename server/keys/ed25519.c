#include "server/keys/ed25519.h"

#include <gmp.h>
#include <nettle/eddsa.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What an operation of nettle 3.8 and 3.10 takes is below 8 KiB. What does not fit comes from
 * GMP, as it does for all other users of GMP in this process. */
#define SCRATCH_SIZE (32 * 1024)
#define ALIGNMENT 16

struct scratch {
    char *memory;
    size_t used;
};

static _Thread_local struct scratch scratch; /* without memory outside of the functions below */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *(*gmp_allocate)(size_t size);
static void *(*gmp_reallocate)(void *memory, size_t old_size, size_t size);
static void (*gmp_free)(void *memory, size_t size);

static bool is_ours(const void *memory)
{
    const char *at = memory;

    return scratch.memory && at >= scratch.memory && at < scratch.memory + SCRATCH_SIZE;
}

static void *allocate(size_t size)
{
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *memory;

    if (!scratch.memory || rounded < size || rounded > SCRATCH_SIZE - scratch.used)
        return gmp_allocate(size);
    memory = scratch.memory + scratch.used;
    scratch.used += rounded;
    return memory;
}

static void *reallocate(void *memory, size_t old_size, size_t size)
{
    void *moved;

    if (!is_ours(memory))
        return gmp_reallocate(memory, old_size, size);
    moved = allocate(size);
    memcpy(moved, memory, old_size < size ? old_size : size);
    return moved;
}

static void release(void *memory, size_t size)
{
    if (!is_ours(memory))
        gmp_free(memory, size);
}

static void take_over(void)
{
    mp_get_memory_functions(&gmp_allocate, &gmp_reallocate, &gmp_free);
    mp_set_memory_functions(allocate, reallocate, release);
}

static bool begin(struct error *err)
{
    pthread_once(&once, take_over);
    scratch = (struct scratch){.memory = malloc(SCRATCH_SIZE)};
    return scratch.memory || error_no_memory(err);
}

static void end(void)
{
    explicit_bzero(scratch.memory, scratch.used);
    free(scratch.memory);
    scratch = (struct scratch){NULL, 0};
}

bool ed25519_public(const uint8_t secret[ED25519_SIZE], uint8_t ret_public[ED25519_SIZE],
                    struct error *err)
{
    if (!begin(err))
        return false;
    ed25519_sha512_public_key(ret_public, secret);
    end();
    return true;
}

bool ed25519_sign(const struct ed25519_pair *pair, const char *text, size_t length,
                  uint8_t ret_signature[ED25519_SIGNATURE_SIZE], struct error *err)
{
    if (!begin(err))
        return false;
    ed25519_sha512_sign(pair->public, pair->secret, length, (const uint8_t *)text, ret_signature);
    end();
    return true;
}

bool ed25519_verify(const uint8_t public[ED25519_SIZE], const char *text, size_t length,
                    const uint8_t signature[ED25519_SIGNATURE_SIZE], bool *ret_valid,
                    struct error *err)
{
    if (!begin(err))
        return false;
    *ret_valid = ed25519_sha512_verify(public, length, (const uint8_t *)text, signature) == 1;
    end();
    return true;
}
