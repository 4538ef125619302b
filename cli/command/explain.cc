// SPDX-License-Identifier: Apache-2.0
// rdmaready explain: the catalogue of checks and live tests.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/explanation.h"
#include "cli/render/json.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

struct ExplainOptions {
  std::string id{};
  bool list = false;
  bool markdown = false;
  bool verbose = false;
};

ExitStatus List(const Context& context, const ExplainOptions& options) {
  std::string ids;
  for (const Explanation& entry : Catalogue()) ids += entry.id + "\n";
  context.Print(CatalogueJson(Catalogue()),
                options.verbose ? CatalogueTable(Catalogue(), context.style()) : ids);
  return ExitStatus::kOk;
}

ExitStatus RunExplain(const Context& context, const ExplainOptions& options) {
  if ((options.id.empty() ? 0 : 1) + (options.list ? 1 : 0) + (options.markdown ? 1 : 0) != 1) {
    return context.Fail(ExitStatus::kUsage,
                        "explain takes an ID, --list or --markdown (see rdmaready explain --help)");
  }
  if (options.list) return List(context, options);
  if (options.markdown) {
    context.console.Print(CatalogueMarkdown(Catalogue()));
    return ExitStatus::kOk;
  }
  const std::vector<Explanation> explanations = Explain(options.id);
  if (explanations.empty()) {
    if (const std::vector<Explanation> family = ExplainFamily(options.id); !family.empty()) {
      context.Print(CatalogueJson(family), CatalogueTable(family, context.style()));
      return ExitStatus::kOk;
    }
    const std::string nearest = NearestId(options.id);
    return context.Fail(ExitStatus::kUsage, "no check '" + options.id + "'" +
                                                (nearest.empty() ? " (rdmaready explain --list names them all)"
                                                                 : " (did you mean " + nearest + "?)"));
  }
  context.Print(ExplainJson(explanations), ExplainText(explanations, context.style()));
  return ExitStatus::kOk;
}

}  // namespace

Action DefineExplain(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<ExplainOptions>();
  app.add_option(
      "ID", options->id,
      "The id of a check or of a live test, or the name of a case (send-1k); of a family (pfc): its checks");
  app.add_flag("--list", options->list, "Every id, one per line");
  app.add_flag("-v,--verbose", options->verbose, "With --list: also the family, the severity and what blocks");
  app.add_flag("--markdown", options->markdown, "The whole catalogue");
  return [options](const Context& context) { return RunExplain(context, *options); };
}

}  // namespace rdmaready
