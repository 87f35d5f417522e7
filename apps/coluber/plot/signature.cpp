#include "plot/signature.hpp"

#include <cstdint>
#include <utility>

#include "coluber/record/marks.hpp"

namespace coluber::app {

namespace {

using record::png_begin;
using record::png_mark;

constexpr std::string_view svg_mark = "<!-- made by Coluber -->";
constexpr std::string_view pdf_mark = "%made by Coluber";
constexpr std::size_t png_header_end = 33;  // signature and IHDR

std::uint32_t png_checksum(std::string_view bytes) {
  constexpr std::uint32_t polynomial = 0xedb88320U;
  std::uint32_t sum = 0xffffffffU;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ ((sum & 1U) != 0U ? polynomial : 0U);
  }
  return sum ^ 0xffffffffU;
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    bytes += static_cast<char>(static_cast<unsigned char>(number >> shift));
  return bytes;
}

}  // namespace

std::string with_signature(std::string picture, PictureFormat format) {
  switch (format) {
    case PictureFormat::svg:
      if (const auto at = picture.find("?>\n"); at != std::string::npos)
        picture.insert(at + 3, std::string(svg_mark) + "\n");
      break;
    case PictureFormat::png:
      if (picture.starts_with(png_begin) && picture.size() > png_header_end)
        picture.insert(png_header_end, big_endian(png_mark.size() - 4) + std::string(png_mark) +
                                           big_endian(png_checksum(png_mark)));
      break;
    case PictureFormat::pdf:  // behind all that the table of places speaks of
      if (const auto at = picture.rfind("startxref"); at != std::string::npos)
        picture.insert(at, std::string(pdf_mark) + "\n");
      break;
  }
  return picture;
}

bool has_signature(std::string_view sample, PictureFormat format) {
  switch (format) {
    case PictureFormat::svg:
      return sample.find(svg_mark) != std::string_view::npos;
    case PictureFormat::png:
      return sample.starts_with(png_begin) && sample.find(png_mark) != std::string_view::npos;
    case PictureFormat::pdf:
      return sample.starts_with("%PDF") && sample.rfind(pdf_mark) != std::string_view::npos;
  }
  return false;
}

}  // namespace coluber::app
