/* Where oneDNN's generations differ. Implemented by dnn_v2.c or dnn_v3.c, whichever fits the
 * installed library; used by dnn.c alone. */
#pragma once

#include "engine/train/dnn.h"

#include <dnnl.h>

/* Describes left x right -> m x n as a primitive. */
dnnl_status_t dnn_api_product(dnnl_engine_t engine, struct dnn_shape left, struct dnn_shape right,
                              dnnl_primitive_desc_t *ret_description);

/* A memory object without data for such a matrix. */
dnnl_status_t dnn_api_matrix(dnnl_engine_t engine, struct dnn_shape shape,
                             dnnl_memory_t *ret_memory);
