/* Before a function whose result the caller has to look at: the compiler says where nobody does.
 */
#pragma once

#define MUST_USE __attribute__((warn_unused_result))
