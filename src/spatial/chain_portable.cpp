#define COLUBER_LANES 2
#define COLUBER_PATH portable
#include "chain_kernel.inl"
