// Volumes in files, for the tests of this folder.
#pragma once

#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>

#include <set>
#include <string>

#include "firn/frame.h"

namespace firn::test {

inline constexpr double kSpacing = 0.05;

inline FrameNotes notes_3d() {
  FrameNotes notes;
  notes.time = 0.125;
  notes.fps = 48;
  notes.spacing = kSpacing;
  return notes;
}

inline FrameNotes notes_2d() {
  FrameNotes notes = notes_3d();
  notes.dimension = 2;
  notes.kernel = Kernel::kQuadratic;
  return notes;
}

// Every grid of a file, by OpenVDB's own reader and as programs open it.
class Volume {
 public:
  explicit Volume(const std::string& path) : file_((openvdb::initialize(), path)) {
    file_.open();
    grids_ = file_.getGrids();
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& grid : *grids_) names.insert(grid->getName());
    return names;
  }
  template <class GridT>
  typename GridT::Ptr grid(const std::string& name) {
    return openvdb::gridPtrCast<GridT>(file_.readGrid(name));
  }
  openvdb::MetaMap notes() { return *file_.getMetadata(); }

 private:
  openvdb::io::File file_;
  openvdb::GridPtrVecPtr grids_;
};

}  // namespace firn::test
