// SPDX-License-Identifier: Apache-2.0
// Every document whose schema comes from its TypeInfo: packaging/schemas has the file of each.
#pragma once

#include <span>
#include <vector>

#include "api/convert/document.h"

namespace rdmaready {

std::span<const convert::Document> ChangeDocuments();
std::span<const convert::Document> ReportDocuments();
std::span<const convert::Document> CatalogueDocuments();
std::span<const convert::Document> RunDocuments();
std::span<const convert::Document> FleetDocuments();
std::span<const convert::Document> ContextDocuments();
std::span<const convert::Document> StatusDocuments();
std::span<const convert::Document> IncastDocuments();
std::span<const convert::Document> EtsDocuments();
std::span<const convert::Document> PfcDocuments();
std::span<const convert::Document> CompareDocuments();
std::span<const convert::Document> PathsDocuments();
std::span<const convert::Document> FailoverDocuments();
std::span<const convert::Document> PageDocuments();

inline std::vector<convert::Document> AllDocuments() {
  std::vector<convert::Document> all;
  for (const auto& some :
       {ChangeDocuments(), ReportDocuments(), CatalogueDocuments(), RunDocuments(), FleetDocuments(),
        ContextDocuments(), StatusDocuments(), IncastDocuments(), EtsDocuments(), PfcDocuments(),
        CompareDocuments(), PathsDocuments(), FailoverDocuments(), PageDocuments()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace rdmaready
