/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/memory.h"

#include "common/cleanup.h"
#include "engine/train/threads/host.h"

#define PAGE ((size_t)4096)
#define LARGE (16 * PAGE)

/* Stands before each piece. */
struct piece {
    void *next;
};

void *layerwise_take(struct layerwise *net, size_t bytes, struct error *err)
{
    size_t head = bytes >= LARGE ? PAGE : 64;
    size_t whole = (bytes + 2 * head - 1) / head * head;
    struct piece *piece = aligned_alloc(head, whole);

    if (!piece) {
        error_set(err, ERROR_INTERNAL, NULL, "no memory for %zu bytes", bytes);
        return NULL;
    }
    if (head == PAGE && host_ask_huge_pages(piece, whole))
        net->huge_pages = true;
    memset(piece, 0, whole);
    piece->next = net->memory;
    net->memory = piece;
    net->memory_bytes += whole;
    return (char *)piece + head;
}

void layerwise_give_all_back(struct layerwise *net)
{
    while (net->memory) {
        struct piece *piece = net->memory;

        net->memory = piece->next;
        free(piece);
    }
}
