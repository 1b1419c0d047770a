// Several models behind one: a request goes to the model of its name, any other to the one that stands for all.
//
// Tested in tests/models/routed_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backedge/model.h"

namespace backedge::models {

class RoutedModel : public Model {
 public:
  using Named = std::map<std::string, std::shared_ptr<Model>, std::less<>>;

  RoutedModel(std::shared_ptr<Model> other, Named named) : other_(std::move(other)), named_(std::move(named)) {}

  Result<Reply> ask(Request const& request, DeltaSink& deltas, std::stop_token stop) override {
    return of(request).ask(request, deltas, std::move(stop));
  }
  Estimate estimate(Request const& request) const override { return of(request).estimate(request); }
  bool inline_ok() const override {
    for (auto const& [name, model] : named_)
      if (!model->inline_ok()) return false;
    return other_->inline_ok();
  }

 private:
  Model& of(Request const& request) const {
    auto const at = named_.find(request.model);
    return at == named_.end() ? *other_ : *at->second;
  }

  std::shared_ptr<Model> other_;
  Named named_;
};

}  // namespace backedge::models
