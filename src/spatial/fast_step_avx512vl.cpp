// Compiled with -mavx512vl … (CMakeLists.txt), for its 32 registers; called on processors that have
// it.
#if defined(__x86_64__)
#define COLUBER_LANES 4
#define COLUBER_FUSED
#define COLUBER_PATH avx512vl
#include "fast_kernel.inl"
#endif
