/* Marks a function whose result must be checked: the compiler warns where it is not. */
#pragma once

#define MUST_USE __attribute__((warn_unused_result))
