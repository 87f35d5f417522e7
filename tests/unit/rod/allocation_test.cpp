// No step of a rod allocates.

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "coluber/rod/system.hpp"

#include "support/allocations.hpp"

namespace coluber::rod {
namespace allocation_test {

#if defined(COLUBER_COUNTS_ALLOCATIONS)

/// Allocations of steps 3 to 40.
long count_in_steps(Model model, std::unique_ptr<StrainLaw> strain, ContactModel contact,
                    Integrator integrator) {
  SystemOptions options;
  options.dt = 0.1;  // past several switches of the inchworm
  options.solver.integrator = integrator;
  RodSystem system(std::move(model), std::move(strain), std::move(contact), {}, options);
  EXPECT_EQ(system.start_fault(), Fault::none);
  for (int k = 0; k < 2; ++k) EXPECT_EQ(system.step().status, Status::ok);
  const long before = allocations;
  bool good = true;
  for (int k = 2; k < 40; ++k) good = system.step().status == Status::ok && good;
  const long after = allocations;
  EXPECT_TRUE(good);
  return after - before;
}

TEST(Allocation, IsNoneInAStepOfAnyRod) {
  for (Space space : {Space::magnus4, Space::collocation6, Space::adaptive}) {
    for (Integrator integrator : {Integrator::rk4, Integrator::dopri5}) {
      Model model;
      model.elements = 12;
      model.space = space;
      ContactModel annular;
      annular.kind = ContactKind::annular;
      annular.abscissae = {0.1, 0.3, 0.5, 0.7, 0.9};
      EXPECT_EQ(count_in_steps(model, make_strain(Spiral{}), annular, integrator), 0);
      model.forces.push_back({.c_along = 0.1, .c_across = 1.0});
      EXPECT_EQ(count_in_steps(model, make_strain(Swim{}), {}, integrator), 0);
      model.group = Group::SE2;
      ContactModel locked;
      locked.kind = ContactKind::locked;
      locked.clamps = {{0.0, 0.0}, {1.0, 1.0}};
      EXPECT_EQ(count_in_steps(model, make_strain(OmegaBend{}), locked, integrator), 0);
      model.group = Group::R;
      ContactModel sweeping;
      sweeping.kind = ContactKind::sweeping;
      EXPECT_EQ(count_in_steps(model, make_strain(Contraction{}), sweeping, integrator), 0);
    }
  }
}

TEST(Data, TakesLessThanTwoKilobytesPerElement) {
  for (Space space : {Space::magnus4, Space::collocation6}) {
    Model model;
    model.elements = 640;
    model.space = space;
    EXPECT_LE(Data(model, 5).bytes(), 640U * 2000U);
  }
}

#endif

}  // namespace allocation_test
}  // namespace coluber::rod
