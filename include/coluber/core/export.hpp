#pragma once

/// Marks what a user of the shared library may call; everything else is hidden.
#if defined(_WIN32)
#define COLUBER_EXPORT
#else
#define COLUBER_EXPORT __attribute__((visibility("default")))
#endif
