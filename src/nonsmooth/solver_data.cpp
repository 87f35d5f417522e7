#include "sweep.hpp"

namespace coluber::nonsmooth {

template <int T>
SolverData<T>::SolverData() : storage_(std::make_unique<Storage>()) {}
template <int T>
SolverData<T>::~SolverData() = default;
template <int T>
SolverData<T>::SolverData(SolverData&&) noexcept = default;
template <int T>
SolverData<T>& SolverData<T>::operator=(SolverData&&) noexcept = default;

template <int T>
void SolverData<T>::reserve(std::size_t nodes, std::size_t contacts) {
  storage_->nodes.reserve(nodes);
  storage_->laws.reserve(contacts);
  storage_->proximal.reserve(contacts);
  storage_->last_increment.reserve(nodes);
  for (Solution<T>* solution : {&storage_->best, &storage_->trial, &storage_->newton,
                                &storage_->before_pass, &storage_->best_pass}) {
    solution->rate.reserve(nodes);
    solution->twist.reserve(nodes);
    solution->impulse.reserve(contacts);
    solution->proximal.reserve(contacts);
  }
}

template class SolverData<3>;
template class SolverData<6>;

}  // namespace coluber::nonsmooth
