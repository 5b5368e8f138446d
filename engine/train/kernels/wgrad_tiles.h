/* AMX's tiles as wgrad_amx.c uses them: eight of 16 rows of 64 bytes. With WGRAD_EMULATE_TILES
 * they are plain memory that does what the manual says of the instructions, so that everything
 * but the instructions themselves can be tested on any machine. Tiles are named by constants. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

#ifndef WGRAD_EMULATE_TILES
#include <immintrin.h>

#define TILE_TARGET __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw")))

#define tile_configure _tile_loadconfig
#define tile_release _tile_release
#define tile_zero _tile_zero
#define tile_load _tile_loadd /* (tile, address, bytes from row to row) */
#define tile_store _tile_stored
#define tile_multiply _tile_dpbf16ps /* (sums, left, right) */
#else
#include <stdlib.h>
#include <string.h>

#define TILE_TARGET

/* Palette 0 is what tile_release() leaves: then tiles cannot be used. */
static _Thread_local struct tile_config emulated_config;
static _Thread_local uint16_t emulated_tiles[8][16][32];

static void emulated_check(int truth)
{
    if (!truth)
        abort(); /* the processor would fault */
}

static void tile_configure(const void *config)
{
    memcpy(&emulated_config, config, sizeof emulated_config);
    emulated_check(emulated_config.palette == 1);
    for (int i = 0; i < 16; i++) {
        emulated_check(emulated_config.rows[i] <= (i < 8 ? 16 : 0));
        emulated_check(emulated_config.row_bytes[i] <= (i < 8 ? 64 : 0));
    }
    memset(emulated_tiles, 0, sizeof emulated_tiles);
}

static void tile_release(void)
{
    memset(&emulated_config, 0, sizeof emulated_config);
}

static void tile_zero(int tile)
{
    emulated_check(emulated_config.palette == 1);
    memset(emulated_tiles[tile], 0, sizeof emulated_tiles[tile]);
}

static void tile_load(int tile, const void *address, long stride)
{
    tile_zero(tile);
    for (int row = 0; row < emulated_config.rows[tile]; row++)
        memcpy(emulated_tiles[tile][row], (const char *)address + row * stride,
               emulated_config.row_bytes[tile]);
}

static void tile_store(int tile, void *address, long stride)
{
    emulated_check(emulated_config.palette == 1);
    for (int row = 0; row < emulated_config.rows[tile]; row++)
        memcpy((char *)address + row * stride, emulated_tiles[tile][row],
               emulated_config.row_bytes[tile]);
}

/* Numbers below the smallest normal one count as zero, before and after. */
static float emulated_flush(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits &= bits & 0x7f800000 ? 0xffffffff : 0x80000000;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void emulated_widen(int tile, float ret_values[16][32])
{
    for (int i = 0; i < 16 * 32; i++) {
        uint32_t bits = (uint32_t)emulated_tiles[tile][i / 32][i % 32] << 16;

        memcpy(&ret_values[i / 32][i % 32], &bits, sizeof bits);
        ret_values[i / 32][i % 32] = emulated_flush(ret_values[i / 32][i % 32]);
    }
}

static void tile_multiply(int sums, int left, int right)
{
    const struct tile_config *config = &emulated_config;
    float a[16][32], b[16][32], c[16][16];

    emulated_check(config->palette == 1 && sums != left && sums != right && left != right);
    emulated_check(config->rows[left] == config->rows[sums]);
    emulated_check(config->row_bytes[right] == config->row_bytes[sums]);
    emulated_check(4 * config->rows[right] == config->row_bytes[left]);
    emulated_widen(left, a);
    emulated_widen(right, b);
    memcpy(c, emulated_tiles[sums], sizeof c);
    for (int m = 0; m < config->rows[sums]; m++)
        for (int k = 0; k < config->rows[right]; k++)
            for (int n = 0; n < config->row_bytes[sums] / 4; n++) {
                c[m][n] += emulated_flush(a[m][2 * k + 1] * b[k][2 * n + 1]);
                c[m][n] += emulated_flush(a[m][2 * k] * b[k][2 * n]);
            }
    memcpy(emulated_tiles[sums], c, sizeof c);
}
#endif

/* Lets the calling thread use all eight tiles, until tile_release(). */
static inline TILE_TARGET void tiles_use(void)
{
    struct tile_config config = {.palette = 1};

    for (int i = 0; i < 8; i++) {
        config.rows[i] = 16;
        config.row_bytes[i] = 64;
    }
    atomic_signal_fence(memory_order_seq_cst);
    tile_configure(&config);
}

/* A block of sums, 32 rows by 32 columns, in tiles 0 to 3: brings it there, or zeros, and back.
 * `stride`: floats from row to row. The intrinsics of some compilers do not say that they read
 * memory, hence the fences. */
static inline TILE_TARGET void tiles_begin(const float *sums, long stride, bool adds)
{
    long bytes = stride * (long)sizeof *sums;

    atomic_signal_fence(memory_order_seq_cst);
    if (adds) {
        tile_load(0, sums, bytes);
        tile_load(1, sums + 16, bytes);
        tile_load(2, sums + 16 * stride, bytes);
        tile_load(3, sums + 16 * stride + 16, bytes);
    } else {
        tile_zero(0);
        tile_zero(1);
        tile_zero(2);
        tile_zero(3);
    }
}

static inline TILE_TARGET void tiles_end(float *sums, long stride)
{
    long bytes = stride * (long)sizeof *sums;

    tile_store(0, sums, bytes);
    tile_store(1, sums + 16, bytes);
    tile_store(2, sums + 16 * stride, bytes);
    tile_store(3, sums + 16 * stride + 16, bytes);
    atomic_signal_fence(memory_order_seq_cst);
}
