#include "coluber/rod/strain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "coluber/math/sincos.hpp"

#include "math/exp.hpp"

namespace coluber::rod {

namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr int kGammaX = 0, kKY = 4, kKZ = 5;
constexpr std::size_t kChunk = 32;

/// Sine and cosine of slope X + shift at all X, a chunk at a time: `use(i, sine, cosine)`.
template <typename Use>
void for_each_angle(std::span<const double> X, double slope, double shift, Use use) {
  std::array<double, kChunk> angle;
  std::array<double, kChunk> sine;
  std::array<double, kChunk> cosine;
  for (std::size_t first = 0; first < X.size(); first += kChunk) {
    const std::size_t n = std::min(kChunk, X.size() - first);
    for (std::size_t i = 0; i < n; ++i) angle[i] = slope * X[first + i] + shift;
    math::sincos({angle.data(), n}, {sine.data(), n}, {cosine.data(), n});
    for (std::size_t i = 0; i < n; ++i) use(first + i, sine[i], cosine[i]);
  }
}

StrainMask mask_of(std::initializer_list<int> components) {
  StrainMask mask{};
  for (int each : components) mask[static_cast<std::size_t>(each)] = true;
  return mask;
}

Travel travel_of(const Advance& advance, double t) {
  return {(advance.speed + 0.5 * advance.acceleration * t) * t,
          advance.speed + advance.acceleration * t, advance.acceleration};
}

/// A function of one variable and its first two derivatives.
struct Profile {
  double f = 0.0, d1 = 0.0, d2 = 0.0;
};

/// exp(−u²/(w² − u²)) inside |u| < w, else 0.  Ali (6.41), corrected
Profile pulse(double u, double w) {
  const double gap = w * w - u * u;
  if (!(gap > 0.0)) return {};
  const double q = -u * u / gap;
  if (q < -690.0) return {};
  const double B = math::exponential(q);
  const double q1 = -2.0 * u * w * w / (gap * gap);
  const double q2 = -2.0 * w * w / (gap * gap) - 8.0 * u * u * w * w / (gap * gap * gap);
  return {B, q1 * B, (q2 + q1 * q1) * B};
}

/// A strain f(X + S) that runs along the body.
void put_running(Strains& out, int component, const Profile& f, const Travel& travel) {
  out.xi(component) = f.f;
  out.xidot(component) = f.d1 * travel.V;
  out.xiddot(component) = f.d2 * travel.V * travel.V + f.d1 * travel.Vdot;
}

class UndulationLaw final : public StrainLaw {
 public:
  explicit UndulationLaw(const Undulation& law) : law_(law) {}

  void evaluate(double t, std::span<const double> X, std::span<Strains> out) const override {
    const Travel travel = travel_of(law_.advance, t);
    for_each(travel, X, [&](std::size_t i, const Profile& yaw, const Profile& pitch) {
      out[i] = {};
      put_running(out[i], kKZ, yaw, travel);
      put_running(out[i], kKY, pitch, travel);
    });
  }
  void evaluate_slopes(double t, std::span<const double> X, std::span<Slopes> out) const override {
    const Travel travel = travel_of(law_.advance, t);
    for_each(travel, X, [&](std::size_t i, const Profile& yaw, const Profile& pitch) {
      out[i] = {};
      out[i].xi(kKZ) = yaw.d1;
      out[i].xi(kKY) = pitch.d1;
      out[i].xidot(kKZ) = yaw.d2 * travel.V;
      out[i].xidot(kKY) = pitch.d2 * travel.V;
    });
  }
  [[nodiscard]] StrainMask actuated() const override {
    return law_.turn && law_.turn->pitch_amplitude != 0.0 ? mask_of({kKY, kKZ}) : mask_of({kKZ});
  }
  [[nodiscard]] std::optional<Travel> travel(double t) const override {
    return travel_of(law_.advance, t);
  }

 private:
  template <typename Use>
  void for_each(const Travel& travel, std::span<const double> X, Use use) const {
    const double k = kTwoPi / law_.wavelength;
    const double A = law_.amplitude;
    for_each_angle(X, k, k * travel.S, [&](std::size_t i, double s, double c) {
      Profile yaw{A * c, -A * k * s, -A * k * k * c};
      Profile pitch;
      if (law_.turn) {
        const Turn& turn = *law_.turn;
        const double rate = 1.0 / law_.advance.speed;
        const double w = 0.5 * turn.duration;
        const Profile B = pulse((X[i] + travel.S) * rate - turn.start - w, w);
        const auto add = [&](Profile& to, double b) {
          to.f += b * B.f;
          to.d1 += b * B.d1 * rate;
          to.d2 += b * B.d2 * rate * rate;
        };
        add(yaw, turn.amplitude);
        add(pitch, turn.pitch_amplitude);
      }
      use(i, yaw, pitch);
    });
  }
  Undulation law_;
};

class SpiralLaw final : public StrainLaw {
 public:
  explicit SpiralLaw(const Spiral& law) : law_(law) {}

  void evaluate(double t, std::span<const double> X, std::span<Strains> out) const override {
    const Travel travel = travel_of(law_.advance, t);
    const double k = kTwoPi / law_.wavelength;
    const double A = law_.amplitude;
    for_each_angle(X, k, k * travel.S, [&](std::size_t i, double s, double c) {
      out[i] = {};
      put_running(out[i], kKY, {-A * s, -A * k * c, A * k * k * s}, travel);
      put_running(out[i], kKZ, {A * c, -A * k * s, -A * k * k * c}, travel);
    });
  }
  void evaluate_slopes(double t, std::span<const double> X, std::span<Slopes> out) const override {
    const Travel travel = travel_of(law_.advance, t);
    const double k = kTwoPi / law_.wavelength;
    const double A = law_.amplitude;
    for_each_angle(X, k, k * travel.S, [&](std::size_t i, double s, double c) {
      out[i] = {};
      out[i].xi(kKY) = -A * k * c;
      out[i].xi(kKZ) = -A * k * s;
      out[i].xidot(kKY) = A * k * k * s * travel.V;
      out[i].xidot(kKZ) = -A * k * k * c * travel.V;
    });
  }
  [[nodiscard]] StrainMask actuated() const override { return mask_of({kKY, kKZ}); }
  [[nodiscard]] std::optional<Travel> travel(double t) const override {
    return travel_of(law_.advance, t);
  }

 private:
  Spiral law_;
};

class ContractionLaw final : public StrainLaw {
 public:
  explicit ContractionLaw(const Contraction& law) : law_(law) {}

  void evaluate(double t, std::span<const double> X, std::span<Strains> out) const override {
    const Travel s_of_t = travel_of(law_.advance, t);
    const double k = kTwoPi / law_.wavelength;
    const double A = law_.amplitude;
    for_each_angle(X, -k, k * s_of_t.S, [&](std::size_t i, double s, double c) {
      out[i] = {};
      put_running(out[i], kGammaX, {A * s, A * k * c, -A * k * k * s}, s_of_t);
      out[i].xi(kGammaX) += 1.0;
    });
  }
  void evaluate_slopes(double t, std::span<const double> X, std::span<Slopes> out) const override {
    const Travel s_of_t = travel_of(law_.advance, t);
    const double k = kTwoPi / law_.wavelength;
    const double A = law_.amplitude;
    for_each_angle(X, -k, k * s_of_t.S, [&](std::size_t i, double s, double c) {
      out[i] = {};
      out[i].xi(kGammaX) = -A * k * c;
      out[i].xidot(kGammaX) = A * k * k * s * s_of_t.V;
    });
  }
  [[nodiscard]] StrainMask actuated() const override { return mask_of({kGammaX}); }
  [[nodiscard]] std::optional<Peristalsis> peristalsis(double t) const override {
    const Travel s = travel_of(law_.advance, t);
    return Peristalsis{s.S, s.V, s.Vdot, law_.wavelength};
  }

 private:
  Contraction law_;
};

class OmegaBendLaw final : public StrainLaw {
 public:
  explicit OmegaBendLaw(const OmegaBend& law) : law_(law) {}

  void evaluate(double t, std::span<const double> X, std::span<Strains> out) const override {
    const double k = kTwoPi / law_.length;
    double s = 0.0;
    double c = 1.0;
    math::sincos(law_.omega * t, s, c);
    const double w = law_.omega;
    const double size = law_.amplitude * k * s * s;
    const double rate = law_.amplitude * k * w * 2.0 * s * c;
    const double second = law_.amplitude * k * 2.0 * w * w * (c * c - s * s);
    for_each_angle(X, k, -kTwoPi, [&](std::size_t i, double /*sine*/, double cosine) {
      out[i] = {};
      out[i].xi(kKZ) = size * cosine;
      out[i].xidot(kKZ) = rate * cosine;
      out[i].xiddot(kKZ) = second * cosine;
    });
  }
  [[nodiscard]] StrainMask actuated() const override { return mask_of({kKZ}); }

 private:
  OmegaBend law_;
};

class SwimLaw final : public StrainLaw {
 public:
  explicit SwimLaw(const Swim& law) : law_(law) {}

  void evaluate(double t, std::span<const double> X, std::span<Strains> out) const override {
    const double k = kTwoPi / law_.wavelength;
    const double A = law_.amplitude * k;
    const double w = law_.omega;
    for_each_angle(X, k, -w * t, [&](std::size_t i, double s, double c) {
      out[i] = {};
      out[i].xi(kKZ) = A * c;
      out[i].xidot(kKZ) = A * w * s;
      out[i].xiddot(kKZ) = -A * w * w * c;
    });
  }
  void evaluate_slopes(double t, std::span<const double> X, std::span<Slopes> out) const override {
    const double k = kTwoPi / law_.wavelength;
    const double A = law_.amplitude * k;
    for_each_angle(X, k, -law_.omega * t, [&](std::size_t i, double s, double c) {
      out[i] = {};
      out[i].xi(kKZ) = -A * k * s;
      out[i].xidot(kKZ) = A * k * law_.omega * c;
    });
  }
  [[nodiscard]] StrainMask actuated() const override { return mask_of({kKZ}); }

 private:
  Swim law_;
};

/// 1 − exp(−(t/ramp)²) and its rates.
Profile ramp_at(double ramp, double t) {
  if (ramp == 0.0) return {1.0, 0.0, 0.0};
  const double r2 = ramp * ramp;
  const double e = math::exponential(-t * t / r2);
  return {1.0 - e, 2.0 * t / r2 * e, (2.0 / r2 - 4.0 * t * t / (r2 * r2)) * e};
}

class WavesLaw final : public StrainLaw {
 public:
  explicit WavesLaw(std::vector<Wave> waves) : waves_(std::move(waves)) {}

  void evaluate(double t, std::span<const double> X, std::span<Strains> out) const override {
    for (std::size_t i = 0; i < X.size(); ++i) out[i] = {};
    for (const Wave& wave : waves_) {
      const Profile r = ramp_at(wave.ramp, t);
      const double a = wave.amplitude;
      const double w = wave.omega;
      const int at = wave.component;
      for_each_angle(X, kTwoPi / wave.wavelength, wave.phase - w * t,
                     [&](std::size_t i, double s, double c) {
                       out[i].xi(at) += wave.offset + a * r.f * s;
                       out[i].xidot(at) += a * (r.d1 * s - r.f * w * c);
                       out[i].xiddot(at) += a * (r.d2 * s - 2.0 * r.d1 * w * c - r.f * w * w * s);
                     });
    }
  }
  void evaluate_slopes(double t, std::span<const double> X, std::span<Slopes> out) const override {
    for (std::size_t i = 0; i < X.size(); ++i) out[i] = {};
    for (const Wave& wave : waves_) {
      const Profile r = ramp_at(wave.ramp, t);
      const double k = kTwoPi / wave.wavelength;
      const double a = wave.amplitude * k;
      const double w = wave.omega;
      const int at = wave.component;
      for_each_angle(X, k, wave.phase - w * t, [&](std::size_t i, double s, double c) {
        out[i].xi(at) += a * r.f * c;
        out[i].xidot(at) += a * (r.d1 * c + r.f * w * s);
      });
    }
  }
  [[nodiscard]] StrainMask actuated() const override {
    StrainMask mask{};
    for (const Wave& wave : waves_) mask[static_cast<std::size_t>(wave.component)] = true;
    return mask;
  }

 private:
  std::vector<Wave> waves_;
};

}  // namespace

void StrainLaw::evaluate_slopes(double t, std::span<const double> X, std::span<Slopes> out) const {
  // Fourth-order central differences: the error is 2e-13 of the fifth derivative.
  constexpr double h = 1.6e-3;
  constexpr std::array<double, 4> weight{1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  constexpr std::array<double, 4> offset{-2.0 * h, -h, h, 2.0 * h};
  std::array<double, 4> near;
  std::array<Strains, 4> at;
  for (std::size_t i = 0; i < X.size(); ++i) {
    for (std::size_t j = 0; j < 4; ++j) near[j] = X[i] + offset[j];
    evaluate(t, near, at);
    out[i] = {};
    for (std::size_t j = 0; j < 4; ++j) {
      out[i].xi += weight[j] / h * at[j].xi;
      out[i].xidot += weight[j] / h * at[j].xidot;
    }
  }
}

std::unique_ptr<StrainLaw> make_strain(const Undulation& law) {
  return std::make_unique<UndulationLaw>(law);
}
std::unique_ptr<StrainLaw> make_strain(const Spiral& law) {
  return std::make_unique<SpiralLaw>(law);
}
std::unique_ptr<StrainLaw> make_strain(const Contraction& law) {
  return std::make_unique<ContractionLaw>(law);
}
std::unique_ptr<StrainLaw> make_strain(const OmegaBend& law) {
  return std::make_unique<OmegaBendLaw>(law);
}
std::unique_ptr<StrainLaw> make_strain(const Swim& law) { return std::make_unique<SwimLaw>(law); }
std::unique_ptr<StrainLaw> make_strain(std::vector<Wave> waves) {
  return std::make_unique<WavesLaw>(std::move(waves));
}

}  // namespace coluber::rod
