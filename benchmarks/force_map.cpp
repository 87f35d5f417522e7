// Holden's example, 20 links with the five contacts of Table III: our route beside the literal one
// (explicit inverses, eiquadprog with a row per equality). `apart` is the largest difference of the
// torques by the two routes (N m), `kkt` the residual of the conditions of optimality.
#include "coluber/planar/force_map.hpp"

#include <vector>

#include <benchmark/benchmark.h>

#include "coluber/control/force_mapping.hpp"
#include "coluber/qp/qp.hpp"

#include "sample/holden.hpp"
#include "support/literal_force_map.hpp"
#ifdef COLUBER_HAS_EIQUADPROG
#include "support/literal_optimisation.hpp"
#endif

namespace {

using namespace coluber;

constexpr double u_max = 4.5;

control::ForceMappingOptions printed_form() {
  control::ForceMappingOptions options;
  options.kinematics = planar::Kinematics::mean;
  options.form = planar::ContactAcceleration::skate;
  options.u_max = u_max;
  return options;
}

/// Tables I to IV.
struct Example {
  control::ForceMapping mapping{sample::table_i().links, printed_form()};
  planar::Instant instant = sample::table_ii();
  std::vector<planar::LinkContact> contacts = sample::table_iii();
  control::Wish wish;
  planar::GroundLoad ground;

  Example() {
    control::WishLaw law;
    law.position = Eigen::Vector2d{1.0, 0.0};
    law.links = sample::table_iv();
    wish = control::compute_wish(law, instant);
    ground = sample::table_v_friction(mapping.model(), instant);
    mapping.solve(instant, contacts, wish, ground);
  }
};

void assembly(benchmark::State& timer) {
  Example example;
  planar::ForceMap map;
  for (auto _ : timer) {
    benchmark::DoNotOptimize(planar::update_force_map(
        example.mapping.model(), example.instant, example.contacts, example.wish.links,
        example.ground, planar::ContactAcceleration::skate, map));
    benchmark::DoNotOptimize(map.A_e.data());
  }
}

void quadratic_program(benchmark::State& timer, bool warm) {
  const Example example;
  qp::Solver solver;
  qp::Solution solution;
  solver.solve(example.mapping.problem(), {}, solution);
  for (auto _ : timer) {
    solver.solve(example.mapping.problem(), {}, solution, warm);
    benchmark::DoNotOptimize(solution.x.data());
  }
  timer.counters["kkt"] = solution.kkt;
}

/// All of it, with forces and accelerations.
void map(benchmark::State& timer, bool warm) {
  Example example;
  for (auto _ : timer) {
    benchmark::DoNotOptimize(
        example.mapping.solve(example.instant, example.contacts, example.wish, example.ground, warm)
            .u.data());
  }
  timer.counters["kkt"] = example.mapping.result().kkt;
}

using Dense = support::LiteralForceMap<>;
using Diagonal = support::LiteralForceMap<Eigen::DiagonalMatrix<double, Eigen::Dynamic>>;

template <typename Literal>
void literal_assembly(benchmark::State& timer) {
  const Example example;
  Literal literal(example.mapping.model());
  for (auto _ : timer) {
    literal.update(example.instant, example.contacts, example.wish.links, example.ground,
                   planar::ContactAcceleration::skate);
    benchmark::DoNotOptimize(literal.A_e.data());
  }
}

BENCHMARK(assembly);
BENCHMARK_CAPTURE(quadratic_program, cold, false);
BENCHMARK_CAPTURE(quadratic_program, warm, true);
BENCHMARK_CAPTURE(map, cold, false);
BENCHMARK_CAPTURE(map, warm, true);
BENCHMARK(literal_assembly<Dense>);
BENCHMARK(literal_assembly<Diagonal>);

#ifdef COLUBER_HAS_EIQUADPROG
template <typename Literal>
Eigen::VectorXd wished(const Example& example, const Literal& literal) {
  Eigen::VectorXd b_e = literal.b_0;
  b_e.head<2>() -= example.mapping.model().m_T * example.wish.centre;
  b_e.tail(example.wish.angular.size()) += example.wish.angular;
  return b_e;
}

double apart(const Example& example, const support::LiteralOptimisation& optimisation) {
  return (optimisation.u - example.mapping.result().u).cwiseAbs().maxCoeff();
}

template <typename Literal>
bool solve(support::LiteralOptimisation& optimisation, const Literal& literal,
           const Example& example, const Eigen::VectorXd& b_e, bool fast) {
  return fast ? optimisation.solve_fast(literal, example.contacts, b_e, u_max)
              : optimisation.solve(literal, example.contacts, b_e, u_max);
}

void literal_quadratic_program(benchmark::State& timer, bool fast) {
  const Example example;
  Dense literal(example.mapping.model());
  literal.update(example.instant, example.contacts, example.wish.links, example.ground,
                 planar::ContactAcceleration::skate);
  const Eigen::VectorXd b_e = wished(example, literal);
  support::LiteralOptimisation optimisation;
  for (auto _ : timer) {
    benchmark::DoNotOptimize(solve(optimisation, literal, example, b_e, fast));
  }
  timer.counters["apart"] = apart(example, optimisation);
}

template <typename Literal>
void literal_map(benchmark::State& timer, bool fast) {
  const Example example;
  Literal literal(example.mapping.model());
  support::LiteralOptimisation optimisation;
  Eigen::VectorXd f_C;
  for (auto _ : timer) {
    literal.update(example.instant, example.contacts, example.wish.links, example.ground,
                   planar::ContactAcceleration::skate);
    benchmark::DoNotOptimize(solve(optimisation, literal, example, wished(example, literal), fast));
    f_C = literal.A_f_inverse * (literal.b_f - literal.A_u * optimisation.u);
    benchmark::DoNotOptimize(f_C.data());
  }
  timer.counters["apart"] = apart(example, optimisation);
}

void literal_map_dense(benchmark::State& timer) { literal_map<Dense>(timer, false); }
void literal_map_diagonal_fast(benchmark::State& timer) { literal_map<Diagonal>(timer, true); }

BENCHMARK_CAPTURE(literal_quadratic_program, eiquadprog, false);
BENCHMARK_CAPTURE(literal_quadratic_program, eiquadprog_fast, true);
BENCHMARK(literal_map_dense);
BENCHMARK(literal_map_diagonal_fast);
#endif

}  // namespace

BENCHMARK_MAIN();
