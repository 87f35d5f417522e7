#include <cmath>
#include <numbers>
#include <utility>

#include "coluber/math/sincos.hpp"
#include "coluber/path/path.hpp"

#include "quadrature.hpp"

namespace coluber::path {
namespace {

/// One wavelength is integrated once, in panels; the next is the same, moved on.
class Serpenoid final : public Path {
 public:
  Serpenoid(PathPoint start, double amplitude, double wavelength)
      : start_(std::move(start)), amplitude_(amplitude), wavelength_(wavelength) {
    constexpr double turn = 0.5;  // of a panel, at most (rad)
    const double count =
        std::ceil(2.0 * std::numbers::pi * std::max(std::abs(amplitude), 1.0) / turn);
    panel_ = wavelength / count;
    places_.emplace_back(0.0, 0.0);
    for (double i = 0.0; i < count; ++i) {
      places_.emplace_back(places_.back() + move(panel_ * i, panel_ * (i + 1.0)));
    }
  }

  [[nodiscard]] PathPoint at(double s) const override {
    const double wave = std::floor(s / wavelength_);
    const double within = s - wave * wavelength_;
    const auto last = static_cast<double>(places_.size() - 2);
    const double panel = std::clamp(std::floor(within / panel_), 0.0, last);
    const Vector2d moved = wave * places_.back() + places_[static_cast<std::size_t>(panel)] +
                           move(panel * panel_, within);
    double sine = 0.0;
    double cosine = 0.0;
    math::sincos(phase(within), sine, cosine);
    return {start_.r + moved, start_.theta + amplitude_ * cosine,
            -amplitude_ * 2.0 * std::numbers::pi / wavelength_ * sine};
  }
  [[nodiscard]] double max_curvature() const override {
    return std::abs(amplitude_) * 2.0 * std::numbers::pi / wavelength_;
  }

 private:
  [[nodiscard]] double phase(double s) const { return 2.0 * std::numbers::pi * s / wavelength_; }
  [[nodiscard]] Vector2d move(double from, double to) const {
    return integrate(from, to, Vector2d{Vector2d::Zero()}, [&](double s) -> Vector2d {
      double sine = 0.0;
      double cosine = 0.0;
      math::sincos(phase(s), sine, cosine);
      Vector2d t;
      math::sincos(start_.theta + amplitude_ * cosine, t.y(), t.x());
      return t;
    });
  }

  PathPoint start_;
  double amplitude_, wavelength_, panel_ = 0.0;
  std::vector<Vector2d> places_;  // where the panels begin, and where the wave ends
};

}  // namespace

std::unique_ptr<Path> make_serpenoid(const PathPoint& start, double amplitude, double wavelength) {
  return std::make_unique<Serpenoid>(start, amplitude, wavelength);
}

}  // namespace coluber::path
