// SPDX-License-Identifier: Apache-2.0
#include "cli/render/picture/svg.h"

#include <fmt/format.h>

#include <utility>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string_view AnchorName(Svg::Anchor anchor) {
  switch (anchor) {
    case Svg::Anchor::kStart:
      return "start";
    case Svg::Anchor::kMiddle:
      return "middle";
    case Svg::Anchor::kEnd:
      return "end";
  }
  return "start";
}

}  // namespace

std::string XmlText(std::string_view raw) {
  std::string text;
  for (const char c : Printable(raw)) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

Svg::Svg(int width, int height, std::string_view title, std::string_view style)
    : text_(fmt::format(
          R"(<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}" role="img">
<title>{}</title>
<style>{}</style>
)",
          width, height, width, height, XmlText(title), style)) {}

void Svg::Rectangle(const Box& box, std::string_view css_class, std::string_view tip) {
  text_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" class="{}")", box.x, box.y, box.width,
                       box.height, css_class);
  text_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", XmlText(tip));
}

void Svg::Polyline(std::span<const Point> points, std::string_view css_class) {
  text_ += R"(<polyline fill="none" points=")";
  for (const Point& point : points) text_ += fmt::format("{},{} ", point.x, point.y);
  text_ += fmt::format("\" class=\"{}\"/>\n", css_class);
}

void Svg::Text(int x, int y, std::string_view text, std::string_view css_class, Anchor anchor, int degrees) {
  std::string turn;
  if (degrees != 0) turn = fmt::format(R"_( transform="rotate({} {} {})")_", degrees, x, y);
  text_ += fmt::format(R"_(<text x="{}" y="{}" class="{}" text-anchor="{}"{}>{}</text>)_", x, y, css_class,
                       AnchorName(anchor), turn, XmlText(text));
  text_ += '\n';
}

std::string Svg::Finish() && {
  text_ += "</svg>\n";
  return std::move(text_);
}

}  // namespace rdmaready
