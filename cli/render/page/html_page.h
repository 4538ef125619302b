// SPDX-License-Identifier: Apache-2.0
// HtmlPage: one self-contained page of HTML, to read and to print. It has no script, and asks no network for
// anything: its policy (CSP) forbids both. Pure. Every text is escaped and printable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rdmaready {

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title);

  // From 1 (the largest) to 6.
  void Heading(int level, std::string_view text);
  // `css_class`: "good", "bad", "warning" or "faint", or empty.
  void Paragraph(std::string_view text, std::string_view css_class = {});
  // A line for a shell.
  void Command(std::string_view command);
  void List(const std::vector<std::string>& texts);

  struct Cell {
    std::string text{};
    std::string_view css_class{};
  };
  void Table(const std::vector<std::string>& header, const std::vector<std::vector<Cell>>& rows);

  // An SVG document. It becomes an image of its own, so its styles stay in it. `alt` is for those who cannot
  // see it.
  void Picture(std::string_view svg, std::string_view alt);

  // Lines as they are, in letters of one width.
  void Verbatim(std::string_view text);

  // The document, with an end of line. Call it once.
  std::string Finish() &&;

 private:
  void Element(std::string_view name, std::string_view text, std::string_view css_class = {});

  std::string text_;
};

}  // namespace rdmaready
