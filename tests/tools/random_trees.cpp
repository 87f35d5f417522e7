// Evaluates random trees with all kinds of joints and writes them with what comes out, for another
// program to judge (tests/oracles/trees_test.py).
//   random_trees COUNT SEED FILE
// FILE: little-endian doubles. For each tree: bodies, coordinates, gravity; of each body parent,
// joint (0 revolute, 1 prismatic, 2 cylindrical, 3 fixed), rotation (row by row) and position of
// its joint frame, m, centre, inertia about it (row by row); r, rdot, rddot. Then for the free tree
// R of the base, eta_o, etadot_o, F_o⁺, M_o⁺ (row by row), tau; for the one whose base is imposed R
// of the base, eta_o, etadot_o, root wrench, tau.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "coluber/multibody/evaluate.hpp"

#include "sample/trees.hpp"

namespace {

using namespace coluber::multibody;

void add(std::vector<double>& out, const Eigen::MatrixXd& matrix) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) out.push_back(matrix(i, j));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: random_trees COUNT SEED FILE\n");
    return 2;
  }
  const int count = std::atoi(argv[1]);
  std::mt19937_64 random(static_cast<std::uint64_t>(std::atoll(argv[2])));
  std::ofstream file(argv[3], std::ios::binary);
  for (int number = 0; number < count; ++number) {
    const int bodies = 1 + static_cast<int>(sample::uniform(random, 0.0, 60.0));
    Tree tree = sample::random_tree(random, bodies);
    tree.gravity = number % 2 == 0 ? 0.0 : 9.81;
    std::vector<double> out;
    const Model model(tree);
    out.push_back(bodies);
    out.push_back(model.coordinates);
    out.push_back(tree.gravity);
    for (const Body& body : tree.bodies) {
      out.push_back(body.parent);
      out.push_back(static_cast<double>(body.joint));
      add(out, body.joint_frame.R);
      add(out, body.joint_frame.p);
      out.push_back(body.m);
      add(out, body.c);
      add(out, body.I_c);
    }
    const Eigen::VectorXd r = sample::random_vector(random, model.coordinates, 2.0);
    const Eigen::VectorXd rdot = sample::random_vector(random, model.coordinates, 2.0);
    const Eigen::VectorXd rddot = sample::random_vector(random, model.coordinates, 2.0);
    add(out, r);
    add(out, rdot);
    add(out, rddot);

    Configuration at = sample::at_origin(model);
    at.eta = sample::random_vector(random, 6, 1.0);
    const Eigen::Vector3d turned = sample::random_vector(random, 3, 2.0);
    at.g.R = coluber::math::exp(turned);
    Data data(model);
    const Program shape = sample::frozen(r, rdot, rddot);
    if (!evaluate(model, {}, shape, 0.0, at, {}, data).ok()) return 1;
    add(out, at.g.R);
    add(out, data.eta_o);
    add(out, data.etadot_o);
    add(out, data.body[0].F_plus);
    add(out, data.M_o);
    add(out, data.tau);

    tree.base_imposed = true;
    const Model held(tree);
    Data held_data(held);
    const Eigen::VectorXd base = sample::random_vector(random, 12, 1.0);
    const Program moved = [&](double t, Input& input) {
      shape(t, input);
      input.placedot = base.segment<3>(0);
      input.placeddot = base.segment<3>(3);
      input.yaw = base(6);
      input.yawdot = base(7);
      input.yawddot = base(8);
      input.tilt = coluber::math::exp(Eigen::Vector3d(base.tail<3>()));
    };
    Input input(held);
    moved(0.0, input);
    at.g = imposed_pose(input);
    const Classification imposed{Case::imposed, 0, 0, true};
    if (!evaluate(held, imposed, moved, 0.0, at, {}, held_data).ok()) return 1;
    add(out, at.g.R);
    add(out, held_data.eta_o);
    add(out, held_data.etadot_o);
    add(out, held_data.F_c);
    add(out, held_data.tau);
    file.write(reinterpret_cast<const char*>(out.data()),
               static_cast<std::streamsize>(out.size() * sizeof(double)));
  }
  return file.good() ? 0 : 1;
}
