#define VEC_BYTES 64
#include "engine/train/kernels/conv/conv_bf16.h"

long conv_bf16_depth(const struct conv_shape *shape)
{
    return (conv_depth(shape) + BF16_PANEL - 1) / BF16_PANEL * BF16_PANEL;
}

size_t conv_bf16_panels_size(const struct conv_shape *shape)
{
    struct conv_class classes[CONV_CLASSES_MAX];
    int count = conv_classes(shape, classes);
    long taps = 0;

    for (int i = 0; i < count; i++)
        taps += classes[i].taps;
    return (size_t)(taps * conv_bf16_depth(shape) * conv_n(shape)) * sizeof(uint16_t);
}

static uint32_t conv_bf16_narrow(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

/* [even n, odd n][16 pairs][16][2], from channel n and number k on. */
static void pack_block(const struct conv_shape *shape, const struct conv_weights *weights,
                       const struct conv_tap *tap, const long first[2], uint16_t *ret_block)
{
    float block[BF16_PANEL][BF16_PANEL];
    uint32_t packed[BF16_BLOCK / 2];

    conv_copy_weights(shape, weights, tap,
                      &(struct conv_part){first[0], BF16_PANEL, first[1], BF16_PANEL},
                      &block[0][0]);
    for (long odd = 0; odd < 2; odd++)
        for (long pair = 0; pair < BF16_PANEL / 2; pair++)
            for (long n = 0; n < BF16_PANEL / 2; n++)
                packed[(odd * BF16_PANEL / 2 + pair) * (BF16_PANEL / 2) + n] =
                    conv_bf16_narrow(block[2 * pair][2 * n + odd]) |
                    conv_bf16_narrow(block[2 * pair + 1][2 * n + odd]) << 16;
    memcpy(ret_block, packed, sizeof packed);
}

void conv_bf16_pack(const struct conv_shape *shape, const struct conv_weights *weights, int index,
                    int of, void *ret_panels)
{
    struct conv_class classes[CONV_CLASSES_MAX];
    int count = conv_classes(shape, classes);
    long panels = conv_n(shape) / BF16_PANEL, depth = conv_bf16_depth(shape);
    uint16_t *class_panels = ret_panels;

    for (int i = 0; i < count; i++) {
        long panel_size = classes[i].taps * depth * BF16_PANEL;

        for (long p = panels * index / of; p < panels * (index + 1) / of; p++) {
            uint16_t *to = class_panels + p * panel_size;

            for (int t = 0; t < classes[i].taps; t++)
                for (long k = 0; k < depth; k += BF16_PANEL, to += BF16_BLOCK)
                    pack_block(shape, weights, &classes[i].tap[t],
                               (const long[2]){p * BF16_PANEL, k}, to);
        }
        class_panels += panels * panel_size;
    }
}
