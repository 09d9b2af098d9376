// Bricks that are made when somebody asks for them: a body costs what is looked at of it.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "collide/bricks.h"

namespace firn {

class LazyBricks {
 public:
  explicit LazyBricks(std::size_t bricks);
  virtual ~LazyBricks();
  LazyBricks(const LazyBricks&) = delete;
  LazyBricks& operator=(const LazyBricks&) = delete;

  // The same for everyone who asks, on any thread.
  BrickValues at(std::int64_t brick) const;

 private:
  // Writes the brick's Bricks::kValues values, or returns the bound of one that needs none. Depends on the brick alone.
  virtual std::optional<float> fill(std::int64_t brick, float* values) const = 0;

  const float* make(std::int64_t brick) const;

  // Who makes bricks side by side keeps them in lists of their own.
  struct Made {
    std::mutex mutex;
    std::vector<std::unique_ptr<float[]>> blocks;
  };
  static constexpr std::size_t kLists = 16;

  // Of every brick nullptr, or a block that begins with its bound; after a bound that is not a number come its values. The system gives
  // out zeroed pages only where they are touched.
  const float** blocks_;
  mutable std::array<Made, kLists> made_;
};

}  // namespace firn
