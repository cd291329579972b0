#pragma once

#include <string>

namespace cosyvoice::testing {

/// A directory of its own, removed with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;
  /// As editors and configuration managers do: written beside, and renamed into place.
  void replace(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace cosyvoice::testing
