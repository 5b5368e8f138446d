/* Bytes. */
#pragma once

#define MIB (1024LL * 1024)
#define GIB (1024 * MIB)
