// A small, valid bundle on disk, whose manifest the tests then break one line at a time.
#pragma once

#include <string>
#include <vector>

#include "support/temporary_directory.h"

namespace cosyvoice::testing {

/// The lines of a valid manifest: one key a line, so that a line is a key.
std::vector<std::string> valid_manifest();
std::string joined(const std::vector<std::string>& lines);
/// The line of `key`, counted from 0; `nth` picks among lines with the same key.
std::size_t line_of(const std::vector<std::string>& lines, const std::string& key, std::size_t nth = 0);
/// The manifest with the value of `key` replaced (and what was nested under it removed).
std::vector<std::string> with(std::vector<std::string> lines, const std::string& key, const std::string& value,
                              std::size_t nth = 0);
/// The manifest without line `index` and what is nested under it.
std::vector<std::string> without(std::vector<std::string> lines, std::size_t index);

/// Writes the files that valid_manifest() lists, and the manifest.
void write_bundle(const TemporaryDirectory& directory, const std::vector<std::string>& manifest);

/// What load_manifest() says of this manifest: "" when it accepts it.
std::string refusal(const std::vector<std::string>& manifest);

}  // namespace cosyvoice::testing
