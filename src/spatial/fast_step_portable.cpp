#define COLUBER_LANES 2
#define COLUBER_FUSED
#define COLUBER_PATH portable
#include "fast_kernel.inl"
