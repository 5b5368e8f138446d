/* Layer norm of rows, and sums of columns, which are the gradients of biases. */
#pragma once

/* (value - mean) * factor * scale + shift of each row, where factor is 1 / sqrt(the variance +
 * epsilon). */
struct layer_norm {
    long rows, columns;
    const float *values;        /* (rows, columns) */
    const float *scale, *shift; /* (columns) each */
    float epsilon;
    float *means, *factors; /* (rows) each: forward() writes them, the other two read them */
};

struct rows_kernel {
    /* Rows begin .. end - 1 of `ret_result`, stored numbers. */
    void (*layer_norm)(const struct layer_norm *norm, long begin, long end, void *ret_result);

    /* Adds the gradient of rows of the values to `result`, (rows, columns); `gradient` is that of
     * the norm's result, stored numbers. */
    void (*layer_norm_backward)(const struct layer_norm *norm, const void *gradient, long begin,
                                long end, float *result);

    /* The gradients of columns begin .. end - 1 of scale and shift, (columns) each. */
    void (*layer_norm_weights)(const struct layer_norm *norm, const void *gradient, long begin,
                               long end, float *ret_gradients[2]);

    /* Sums of columns begin .. end - 1 of rows of stored numbers that are `stride` apart. */
    void (*column_sums)(const void *values, const long rows_and_stride[2], long begin, long end,
                        float *ret_sums);
};
