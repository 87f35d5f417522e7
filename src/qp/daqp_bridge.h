/* DAQP behind four functions, so that its headers and macros stay in one C file. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct coluber_daqp;

/* Room for problems of up to n unknowns and m constraints; null if there is no memory. */
struct coluber_daqp* coluber_daqp_make(int n, int m);
void coluber_daqp_free(struct coluber_daqp* solver);

/* min |y|²/2 subject to lower <= rows y <= upper. rows: m × n, row-major. */
struct coluber_daqp_problem {
  int n;
  int m;
  double* rows;
  double* upper;
  double* lower;
  int* active; /* 1 at the upper, -1 at the lower bound, 0 not; start and outcome */
  int again;   /* only upper and lower differ from the last call: start where that ended */
  double tolerance;
  int max_iterations;
  double* y;      /* outcome, n */
  double* lambda; /* outcome, m: y + rowsᵀ lambda = 0; positive at the upper bound */
  int iterations; /* is added to */
};

/* What came of it; any other negative number: no answer. */
enum { coluber_daqp_solved = 1, coluber_daqp_infeasible = -1 };
int coluber_daqp_solve(struct coluber_daqp* solver, struct coluber_daqp_problem* problem);

#ifdef __cplusplus
}
#endif
