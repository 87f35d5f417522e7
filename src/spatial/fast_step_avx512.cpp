// Compiled with -mavx512… (CMakeLists.txt); called on processors that have
// it.
#if defined(__x86_64__)
#define COLUBER_LANES 8
#define COLUBER_FUSED
#define COLUBER_PATH avx512
#include "fast_kernel.inl"
#endif
