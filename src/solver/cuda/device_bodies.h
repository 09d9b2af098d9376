// Bodies in the GPU's memory, apart because it owns what they point at: sampled level sets are brought there once, and stay as long as
// somebody may need them.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "core/parallel.h"
#include "solver/cuda/device.h"
#include "solver/model.h"

namespace firn::cuda {

// A level set there. One that is made on demand is made as a whole: a GPU cannot ask.
class DeviceBricks {
 public:
  explicit DeviceBricks(const Bricks& host) {
    Bricks view = host;
    const std::size_t count = std::size_t(host.count[0]) * std::size_t(host.count[1]) * std::size_t(host.count[2]);
    if (host.lazy != nullptr) {
      copy_made(host, count, view);
    } else {
      std::size_t with_values = 0;
      for (std::size_t b = 0; b < count; ++b) with_values += host.number[b] != Bricks::kEmpty;
      view.number = copy(host.number, count, number_);
      view.bound = copy(host.bound, count, bound_);
      view.phi = copy(host.phi, with_values * Bricks::kValues, phi_);
      if (host.velocity != nullptr) view.velocity = copy(host.velocity, 3 * with_values * Bricks::kValues, velocity_);
    }
    view.lazy = nullptr;
    copy(&view, 1, view_);
  }
  const Bricks* on_device() const { return view_.data(); }

 private:
  template <class V>
  static const V* copy(const V* from, std::size_t n, Buffer<V>& to) {
    to.reserve(n > 0 ? n : 1);
    if (n > 0) check(cudaMemcpy(to.data(), from, n * sizeof(V), cudaMemcpyHostToDevice), "bringing a level set to the GPU");
    return to.data();
  }

  void copy_made(const Bricks& host, std::size_t count, Bricks& view) {
    std::vector<BrickValues> made(count);
    parallel_for(count, [&](std::size_t b) { made[b] = values_on_demand(*host.lazy, static_cast<std::int64_t>(b)); });
    std::vector<std::int32_t> number(count, Bricks::kEmpty);
    std::vector<float> bound(count), phi;
    for (std::size_t b = 0; b < count; ++b) {
      bound[b] = made[b].bound;
      if (made[b].phi == nullptr) continue;
      number[b] = static_cast<std::int32_t>(phi.size() / Bricks::kValues);
      phi.insert(phi.end(), made[b].phi, made[b].phi + Bricks::kValues);
    }
    view.number = copy(number.data(), count, number_);
    view.bound = copy(bound.data(), count, bound_);
    view.phi = copy(phi.data(), phi.size(), phi_);
  }

  Buffer<std::int32_t> number_;
  Buffer<float> bound_, phi_, velocity_;
  Buffer<Bricks> view_;
};

// Level sets by where they are in the host's memory.
class BrickStore {
 public:
  const Bricks* on_device(const Bricks* host, const std::vector<std::shared_ptr<const LevelSet>>& held) {
    if (host == nullptr) return nullptr;
    Entry& entry = entries_[host];
    if (!entry.bricks) entry.bricks = std::make_unique<DeviceBricks>(*host);
    for (const auto& level_set : held)
      if (&level_set->bricks == host) entry.held = level_set;
    entry.used = true;
    return entry.bricks->on_device();
  }
  // Of deforming bodies: those that nobody has asked for since the last time go.
  void forget_unused() {
    std::erase_if(entries_, [](const auto& entry) { return entry.second.held && !entry.second.used; });
    for (auto& [host, entry] : entries_) entry.used = false;
  }

 private:
  struct Entry {
    std::unique_ptr<DeviceBricks> bricks;
    std::shared_ptr<const LevelSet> held;  // so that nothing else comes to lie there; none: the model holds it
    bool used = false;
  };
  std::map<const Bricks*, Entry> entries_;
};

// A list of bodies at one moment; what is there already is not brought again.
template <class T, int D>
class DeviceBodies {
 public:
  const Body<T, D>* bring(const Bodies<T, D>& bodies, BrickStore& bricks) {
    std::vector<Body<T, D>> list = bodies.list;
    for (Body<T, D>& body : list) {
      body.solid.bricks = bricks.on_device(body.solid.bricks, bodies.held);
      body.next = bricks.on_device(body.next, bodies.held);
    }
    const std::size_t bytes = list.size() * sizeof(Body<T, D>);
    std::vector<char> now(bytes);
    std::memcpy(now.data(), static_cast<const void*>(list.data()), bytes);
    if (now == there_) return memory_.data();
    memory_.reserve(list.size());
    check(cudaMemcpyAsync(memory_.data(), now.data(), bytes, cudaMemcpyHostToDevice), "bringing bodies to the GPU");
    there_ = std::move(now);
    return memory_.data();
  }

 private:
  Buffer<Body<T, D>> memory_;
  std::vector<char> there_;  // as last brought
};

}  // namespace firn::cuda
