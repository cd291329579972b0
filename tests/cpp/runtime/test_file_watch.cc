#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "runtime/file_watch.h"

namespace cosyvoice {
namespace {

namespace fs = std::filesystem;

/// A directory with a file, and a count of what its watch told.
struct Watched {
  Watched() {
    std::string name = (fs::temp_directory_path() / "cosyvoice-watch-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder = name;
  }
  ~Watched() { fs::remove_all(folder); }

  void write(const fs::path& path, const std::string& text) const { std::ofstream(folder / path) << text; }
  /// Waits until the watch has told more often than `before`.
  void wait_past(int before) {
    while (told.load() <= before) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  fs::path folder;
  std::atomic<int> told{0};
};

TEST_CASE("file watch: written in place, replaced, and turned over by a symbolic link") {
  Watched files;
  files.write("a.yaml", "1");
  {
    FileWatch watch((files.folder / "a.yaml").string(), [&] { ++files.told; });
    files.write("a.yaml", "2");
    files.wait_past(0);
    int before = files.told;
    files.write("new", "3");
    fs::rename(files.folder / "new", files.folder / "a.yaml");
    files.wait_past(before);
  }
  fs::create_directory(files.folder / "v1");
  files.write("v1/b.yaml", "1");
  fs::create_directory_symlink("v1", files.folder / "data");
  fs::create_symlink("data/b.yaml", files.folder / "b.yaml");
  int before = files.told;
  FileWatch watch((files.folder / "b.yaml").string(), [&] { ++files.told; });
  fs::create_directory(files.folder / "v2");
  fs::create_directory_symlink("v2", files.folder / "data.new");
  fs::rename(files.folder / "data.new", files.folder / "data");
  files.wait_past(before);
  before = files.told;
  files.write("v1/b.yaml", "2");
  files.wait_past(before);
}

TEST_CASE("file watch: the directory must be there, the file need not") {
  Watched files;
  FileWatch watch((files.folder / "later.yaml").string(), [&] { ++files.told; });
  files.write("later.yaml", "1");
  files.wait_past(0);
  CHECK_THROWS_AS(FileWatch("/nowhere/at/all.yaml", [] {}), std::system_error);
}

}  // namespace
}  // namespace cosyvoice
