// SPDX-License-Identifier: Apache-2.0
#include "cli/render/page/html_page.h"

#include <fmt/format.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "cli/render/picture/svg.h"

namespace rdmaready {
namespace {

// Dark letters on white, so that it prints; a table goes on behind the end of a sheet with its header.
constexpr std::string_view kStyle =
    "body{font:15px/1.45 system-ui,sans-serif;color:#1b1f24;background:#fff;max-width:62rem;margin:2rem auto;"
    "padding:0 1rem}"
    "h1{font-size:1.6rem;margin:0 0 .3rem}h2{font-size:1.2rem;margin:1.8rem 0 .4rem;border-bottom:1px solid "
    "#d0d7de}"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}p{margin:.3rem 0}ul{margin:.3rem 0 .3rem 1.2rem;padding:0}"
    "pre{background:#f3f5f7;padding:.45rem .6rem;margin:.25rem 0;overflow-wrap:anywhere;white-space:pre-wrap;"
    "font:13px/1.4 ui-monospace,monospace}"
    "table{border-collapse:collapse;width:100%;margin:.4rem 0;font-size:13px}"
    "th,td{border-bottom:1px solid #e3e7eb;padding:.25rem .5rem;text-align:left;vertical-align:top;"
    "overflow-wrap:anywhere}"
    "thead{display:table-header-group}tr,pre,img{break-inside:avoid}img{max-width:100%}"
    ".good{color:#126b34}.bad{color:#a40e26;font-weight:600}.warning{color:#7a5200}.faint{color:#59636e}"
    "@media print{body{margin:0;max-width:none;font-size:11px}}";

}  // namespace

HtmlPage::HtmlPage(std::string_view title)
    : text_(fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width">
<title>{}</title>
<style>{}</style>
</head>
<body>
)",
                        XmlText(title), kStyle)) {}

void HtmlPage::Element(std::string_view name, std::string_view text, std::string_view css_class) {
  const std::string of_class = css_class.empty() ? std::string() : fmt::format(R"( class="{}")", css_class);
  text_ += fmt::format("<{}{}>{}</{}>\n", name, of_class, XmlText(text), name);
}

void HtmlPage::Heading(int level, std::string_view text) { Element(fmt::format("h{}", level), text); }

void HtmlPage::Paragraph(std::string_view text, std::string_view css_class) { Element("p", text, css_class); }

void HtmlPage::Command(std::string_view command) { Element("pre", command); }

void HtmlPage::List(const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  text_ += "<ul>\n";
  for (const std::string& one : texts) Element("li", one);
  text_ += "</ul>\n";
}

void HtmlPage::Table(const std::vector<std::string>& header, const std::vector<std::vector<Cell>>& rows) {
  text_ += "<table>\n<thead><tr>\n";
  for (const std::string& one : header) Element("th", one);
  text_ += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : rows) {
    text_ += "<tr>\n";
    for (const Cell& cell : row) Element("td", cell.text, cell.css_class);
    text_ += "</tr>\n";
  }
  text_ += "</tbody>\n</table>\n";
}

void HtmlPage::Picture(std::string_view svg, std::string_view alt) {
  text_ += fmt::format("<img src=\"data:image/svg+xml;base64,{}\" alt=\"{}\">\n",
                       absl::Base64Escape(std::string(svg)), XmlText(alt));
}

void HtmlPage::Verbatim(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines += XmlText(text.substr(0, end)) + "\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  text_ += "<pre>" + lines + "</pre>\n";
}

std::string HtmlPage::Finish() && { return std::move(text_) + "</body>\n</html>\n"; }

}  // namespace rdmaready
