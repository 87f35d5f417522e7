#include "control/pegs_at_links.hpp"

#include <algorithm>

#include "chain/links.hpp"

namespace coluber::control {

PegsAtLinks::PegsAtLinks(const planar::Model& model, double reach)
    : model_(model), reach_(reach), grid_(model.obstacles) {
  const std::size_t room = 4 * model.links.size() + 64;
  found_.reserve(room);
  near_.reserve(room);
  of_link_.resize(model.links.size());
}

void PegsAtLinks::find(const planar::Columns& r, const planar::Columns& axis,
                       std::vector<planar::LinkContact>& contacts) {
  near_.clear();
  const int n = model_.n();
  for (int i = 0; i < n; ++i) {
    const planar::Link& link = model_.links[static_cast<std::size_t>(i)];
    found_.clear();
    const Eigen::Vector2d middle = r.col(i) - link.offset * axis.col(i);
    grid_.find(middle, link.L_GS + link.L_SC + reach_, found_);
    for (const int j : found_) {
      const planar::Gap gap = planar::compute_gap(link, r.col(i), axis(0, i), axis(1, i),
                                                  model_.obstacles[static_cast<std::size_t>(j)]);
      if (!(gap.g < reach_)) continue;
      const auto known = std::ranges::find(near_, j, &Near::obstacle);
      if (known == near_.end()) {
        near_.push_back({j, i, gap});
      } else if (gap.g < known->gap.g) {
        known->link = i;
        known->gap = gap;
      }
    }
  }
  std::ranges::fill(of_link_, -1);
  for (std::size_t k = 0; k < near_.size(); ++k) {
    int& taken = of_link_[static_cast<std::size_t>(near_[k].link)];
    if (taken < 0 || near_[k].gap.g < near_[static_cast<std::size_t>(taken)].gap.g) {
      taken = static_cast<int>(k);
    }
  }
  contacts.clear();
  for (int i = 0; i < n; ++i) {
    const int k = of_link_[static_cast<std::size_t>(i)];
    if (k < 0) continue;
    const Near& near = near_[static_cast<std::size_t>(k)];
    const planar::Link& link = model_.links[static_cast<std::size_t>(i)];
    // the normal points from the obstacle to the link: to its left where the obstacle is right
    const bool right = axis(0, i) * near.gap.normal.y() - axis(1, i) * near.gap.normal.x() > 0.0;
    const double at = std::clamp(near.gap.s_c, -chain::behind(link), chain::ahead(link));
    contacts.push_back(
        {i, at, right ? 1 : -1, model_.obstacles[static_cast<std::size_t>(near.obstacle)].mu});
  }
}

}  // namespace coluber::control
