#include "daqp_bridge.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "utils.h"

struct coluber_daqp {
  DAQPWorkspace work;
  DAQPSettings settings;
  DAQPProblem qp;
  int* sense;
};

struct coluber_daqp* coluber_daqp_make(int n, int m) {
  struct coluber_daqp* solver = calloc(1, sizeof(*solver));
  if (solver == NULL) return NULL;
  if (n < 1) n = 1;
  if (m < 1) m = 1;
  daqp_default_settings(&solver->settings);
  solver->settings.eq_reduction = DAQP_EQ_REDUCTION_OFF; /* the null space is taken before */
  solver->work.settings = &solver->settings;
  solver->sense = calloc((size_t)m, sizeof(int));
  allocate_daqp_workspace(&solver->work, n, 0);
  allocate_daqp_ldp(&solver->work, n, m, 0, 0, 0);
  const DAQPWorkspace* w = &solver->work;
  const int complete = solver->sense && w->lam && w->lam_star && w->WS && w->D && w->xldl &&
                       w->zldl && w->L && w->u && w->xold && w->prox_mask && w->scaling && w->M &&
                       w->Mu && w->dupper && w->dlower && w->sense;
  if (!complete) {
    coluber_daqp_free(solver);
    return NULL;
  }
  return solver;
}

void coluber_daqp_free(struct coluber_daqp* solver) {
  if (solver == NULL) return;
  solver->work.settings = NULL; /* part of *solver */
  free_daqp_ldp(&solver->work);
  free_daqp_workspace(&solver->work);
  free(solver->sense);
  free(solver);
}

int coluber_daqp_solve(struct coluber_daqp* solver, struct coluber_daqp_problem* problem) {
  DAQPWorkspace* work = &solver->work;
  solver->settings.primal_tol = problem->tolerance;
  solver->settings.iter_limit = problem->max_iterations;
  DAQPProblem* qp = &solver->qp;
  memset(qp, 0, sizeof(*qp));
  qp->n = problem->n;
  qp->m = problem->m;
  qp->A = problem->rows;
  qp->bupper = problem->upper;
  qp->blower = problem->lower;
  qp->sense = solver->sense;
  qp->nh = 1;
  int mask = DAQP_UPDATE_d;
  if (!problem->again) {
    for (int i = 0; i < problem->m; ++i) {
      solver->sense[i] = problem->active[i] > 0   ? DAQP_ACTIVE
                         : problem->active[i] < 0 ? DAQP_ACTIVE + DAQP_LOWER
                                                  : 0;
    }
    mask |= DAQP_UPDATE_M + DAQP_UPDATE_sense;
    work->state = 0;
    reset_daqp_workspace(work);
  }
  int flag = daqp_update_ldp(mask, work, qp);
  if (flag < 0) return flag;
  DAQPResult result;
  memset(&result, 0, sizeof(result));
  result.x = problem->y;
  result.lam = problem->lambda;
  daqp_solve(&result, work);
  problem->iterations += work->iterations;
  for (int i = 0; i < problem->m; ++i) problem->active[i] = 0;
  for (int k = 0; k < work->n_active; ++k) {
    const int i = work->WS[k];
    problem->active[i] = work->sense[i] & DAQP_LOWER ? -1 : 1;
  }
  return result.exitflag > 0 ? coluber_daqp_solved : result.exitflag;
}
