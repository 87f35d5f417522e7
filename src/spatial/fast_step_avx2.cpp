// Compiled with -mavx2 -mfma (CMakeLists.txt); called on processors that have them.
#if defined(__x86_64__)
#define COLUBER_LANES 4
#define COLUBER_FUSED
#define COLUBER_PATH avx2
#include "fast_kernel.inl"
#endif
