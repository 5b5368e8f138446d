#include "engine/train/workloads/net_new.h"

#include "engine/train/depth_first/depth_first.h"
#include "engine/train/plain/plain.h"

struct net *net_new(const struct network *network, const struct net_options *options,
                    struct error *err)
{
    if (options->layout != NET_NHWC && options->plan != NET_PLAIN) {
        error_set(err, ERROR_INVALID, "layout", "nchw and blocked are layouts of the plain plan");
        return NULL;
    }
    return options->plan == NET_PLAIN ? plain_new(network, options, err)
                                      : depth_first_new(network, options, err);
}
