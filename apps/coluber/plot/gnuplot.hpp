#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace coluber::app {

enum class PictureFormat : unsigned char { svg, png, pdf };

/// A picture as gnuplot commands that do not depend on the format it is drawn in.
struct Figure {
  double width_cm = 17.0;
  double height_cm = 9.0;
  std::string title{};  ///< for readers who hear the picture, and for the window of an SVG viewer
  std::string commands{};
};

/// Format by the file's ending. Throws InputError for any other.
PictureFormat picture_format(const std::filesystem::path& file);

/// The text as a gnuplot string: single-quoted, quotes doubled, control characters blanked.
std::string gnuplot_quoted(std::string_view text);

/// Draws and returns the file's bytes. gnuplot gets the commands on its standard input and gives
/// the picture on its standard output: no file name and no shell is involved. Throws FileError.
std::string render(const Figure& figure, PictureFormat format);

/// Draws into `file`, which appears by rename. Throws FileError.
void save_picture(const Figure& figure, const std::filesystem::path& file);

/// Writes a whole file under a temporary name and renames it. Throws FileError.
void save_text(std::string_view text, const std::filesystem::path& file);

}  // namespace coluber::app
