// SPDX-License-Identifier: Apache-2.0
// Svg: a picture as one self-contained SVG 1.1 document, without script and without anything from a network.
// Pure. Every text is escaped and printable.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rdmaready {

// For an element's text and an attribute's value alike.
std::string XmlText(std::string_view raw);

// Lengths are pixels, from the upper left corner.
class Svg {
 public:
  // `title` is what a screen reader says. `style`: CSS of the classes that the picture uses; it is ours.
  Svg(int width, int height, std::string_view title, std::string_view style);

  struct Box {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
  };
  // `tip` is shown where a pointer rests; may be empty.
  void Rectangle(const Box& box, std::string_view css_class, std::string_view tip = {});
  struct Point {
    int x = 0;
    int y = 0;
  };
  void Polyline(std::span<const Point> points, std::string_view css_class);
  enum class Anchor { kStart, kMiddle, kEnd };
  // `degrees`: clockwise around the point.
  void Text(int x, int y, std::string_view text, std::string_view css_class, Anchor anchor = Anchor::kStart,
            int degrees = 0);

  // The document, with an end of line. Call it once.
  std::string Finish() &&;

 private:
  std::string text_;
};

}  // namespace rdmaready
