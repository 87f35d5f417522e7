#pragma once

#include <string>
#include <vector>

#include "coluber/measure/measure.hpp"

namespace coluber::measure {

/// Rows of the built-in measures, one file per subject.
std::vector<Measure> motion_measures();    ///< where links go, and how
std::vector<Measure> dataset_measures();   ///< any component of any dataset, the summary
std::vector<Measure> contact_measures();   ///< forces of obstacles
std::vector<Measure> tracking_measures();  ///< joints, their references and torques
std::vector<Measure> study_measures();     ///< what force-map, quality, … answer
std::vector<Measure> combined_measures();  ///< measures of measures

/// One number of many: "max", "min", "size" (of the largest), "median_size" (of all), "range",
/// "sum", "mean" or "rms". NaN among them gives NaN.
double reduce_numbers(const std::vector<double>& values, const std::string& how);

/// Parameters that several rows share.
namespace parameter {
inline const MeasureParameter from{"from", ParameterKind::number};
inline const MeasureParameter to{"to", ParameterKind::number};
inline const MeasureParameter maybe_from{"from", ParameterKind::number, false};
inline const MeasureParameter maybe_to{"to", ParameterKind::number, false};
inline const MeasureParameter link{"link", ParameterKind::index};
inline const MeasureParameter maybe_link{"link", ParameterKind::index, false};
inline const MeasureParameter joint{"joint", ParameterKind::index};
inline const MeasureParameter maybe_joint{"joint", ParameterKind::index, false};
inline const MeasureParameter axis{"axis", ParameterKind::word, true, {"x", "y", "z"}, "dataset"};
inline const MeasureParameter maybe_axis{"axis", ParameterKind::word, false, {"x", "y", "z"}};
inline const MeasureParameter at_least{"at_least", ParameterKind::number};
inline const MeasureParameter period{"period", ParameterKind::number};
inline const MeasureParameter size{"of", ParameterKind::word, true, {"max", "rms"}};
// any component of any dataset (selection.hpp)
inline const MeasureParameter dataset{"dataset", ParameterKind::text};
inline const MeasureParameter maybe_dataset{"dataset", ParameterKind::text, false};
inline const MeasureParameter maybe_index{"index", ParameterKind::indices, false};
inline const MeasureParameter maybe_component{"component", ParameterKind::component, false};
}  // namespace parameter

}  // namespace coluber::measure
