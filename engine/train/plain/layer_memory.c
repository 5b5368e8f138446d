#include "engine/train/plain/layer_memory.h"

#include "common/cleanup.h"
#include "engine/train/threads/host.h"

#include <assert.h>

void *layer_memory(size_t bytes, struct error *err)
{
    size_t alignment = bytes >= HOST_HUGE_PAGE ? HOST_HUGE_PAGE : 4096;
    size_t size = (bytes + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, size ? size : alignment);

    if (!memory) {
        error_set(err, ERROR_INTERNAL, NULL, "no memory for another %zu MB", size >> 20);
        return NULL;
    }
    if (size >= HOST_HUGE_PAGE)
        host_ask_huge_pages(memory, size);
    memset(memory, 0, size ? size : alignment);
    return memory;
}

size_t tensor_bytes(const struct tensor *tensor)
{
    return dnn_images_bytes(&tensor->shape);
}

void *tensor_gradient_place(struct tensor *tensor)
{
    assert(!tensor->has_gradient || tensor->spare); /* a second reader has its buffer */
    return tensor->has_gradient ? tensor->spare : tensor->gradient;
}

bool tensor_gradient_placed(struct tensor *tensor, struct error *err)
{
    void *const memory[] = {tensor->gradient, tensor->spare, tensor->gradient};

    assert(!tensor->has_gradient || tensor->gather);
    if (tensor->has_gradient)
        return dnn_op_run(tensor->gather, memory, err);
    tensor->has_gradient = true;
    return true;
}
