// The particles in the GPU's memory, apart because it owns what kernels only see: columns, and the way between them and a state's.
#pragma once

#include <vector>

#include "core/parallel.h"
#include "particles/storage.h"
#include "solver/cuda/layout.h"

namespace firn::cuda {

// What a step changes is there twice.
template <class T, int D>
class ParticleArrays {
 public:
  explicit ParticleArrays(OptionalColumns optional = {}) : optional_(optional) {}

  const OptionalColumns& optional() const { return optional_; }
  std::size_t room() const { return room_; }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Changing& c : changing_) sum += c.place.bytes() + c.reals.bytes();
    return sum + fixed_.reals.bytes() + fixed_.material.bytes() + fixed_.id.bytes();
  }

  ParticleView<T, D> now() const { return view(0); }
  ParticleView<T, D> next() const { return view(1); }
  void swap_changing() { std::swap(changing_[0], changing_[1]); }

  // f(column) for what steps leave alone.
  template <class F>
  void for_each_fixed(F f) const {
    for (int k = 0; k < fixed_columns(); ++k) f(fixed_.reals.data() + k * room_);
    f(fixed_.material.data());
    f(fixed_.id.data());
  }

  // Room for so many; the first `kept` stay.
  void reserve(std::size_t n, std::size_t kept) {
    if (n <= room_) return;
    if (kept == 0) *this = ParticleArrays<T, D>(optional_);  // before there are two of them
    ParticleArrays<T, D> grown(optional_);
    grown.allocate(kept == 0 ? n : n + n / 8);
    if (kept > 0) grown.copy(*this, kept);
    *this = std::move(grown);  // all or nothing: where there was no room, these are as they were
  }

  // Slots of a state's columns become particles `first` and on. Their cells, from the origin, go to `cells`: in `place` there is no room
  // for them before they are in a block.
  void write(const Particles<T, D>& from, const std::vector<std::uint32_t>& slots, std::size_t first, const Cell<D>& origin,
             Buffer<Cell<D>>& cells) {
    const std::size_t n = slots.size();
    const ParticleView<T, D> to = now();
    std::vector<Place<T, D>> place(n);
    std::vector<Cell<D>> cell(n);
    parallel_for(n, [&](std::size_t i) {
      for (int d = 0; d < D; ++d) {
        place[i].offset[d] = from.offset[d][slots[i]];
        cell[i][d] = from.cell[d][slots[i]] - origin[d];
      }
      place[i].packed = 0;
      place[i].set_in_reach(optional_.held && remembers(from, slots[i]));
    });
    cells.reserve(n);
    copy_in(place, to.place + first);
    copy_in(cell, cells.data());
    for_each_column(from, to, [&](const auto& column, auto* on_device) {
      std::vector<std::remove_reference_t<decltype(*on_device)>> values(n);
      parallel_for(n, [&](std::size_t i) { values[i] = column[slots[i]]; });
      copy_in(values, on_device + first);
    });
  }

  // The other way: particle i becomes slot i. blocks: the place of each one's block.
  void read(std::size_t n, const std::vector<Cell<D>>& first_cell_of, Particles<T, D>& to) const {
    to.resize(slots_for(n), optional_);
    const ParticleView<T, D> from = now();
    std::vector<Place<T, D>> place(n);
    copy_out(from.place, place);
    parallel_for(n, [&](std::size_t i) {
      for (int d = 0; d < D; ++d) {
        to.offset[d][i] = place[i].offset[d];
        to.cell[d][i] = first_cell_of[i][d] + place[i].cell(d);
      }
    });
    for_each_column(to, from, [&](auto& column, const auto* on_device) {
      std::vector<std::remove_cvref_t<decltype(*on_device)>> values(n);
      copy_out(on_device, values);
      parallel_for(n, [&](std::size_t i) { column[i] = values[i]; });
    });
    if (optional_.held)
      parallel_for(n, [&](std::size_t i) {
        if (!place[i].in_reach()) to.push[i] = to.touch[i] = to.credit[i] = T(0);
      });
  }

 private:
  static bool remembers(const Particles<T, D>& ps, std::uint32_t slot) {
    return ps.push[slot] != T(0) || ps.touch[slot] != T(0) || ps.credit[slot] != T(0);
  }

  void allocate(std::size_t room) {
    room_ = room;
    for (Changing& c : changing_) {
      c.place.reserve(room_);
      c.reals.reserve(room_ * changing_columns());
    }
    fixed_.reals.reserve(room_ * fixed_columns());
    fixed_.material.reserve(room_);
    fixed_.id.reserve(room_);
  }

  void copy(const ParticleArrays& from, std::size_t count) {
    const auto copy = [count](auto* to, const auto* column) {
      check(cudaMemcpy(to, column, count * sizeof *to, cudaMemcpyDeviceToDevice), "making room for particles");
    };
    copy(changing_[0].place.data(), from.changing_[0].place.data());
    for (int k = 0; k < changing_columns(); ++k)
      copy(changing_[0].reals.data() + k * room_, from.changing_[0].reals.data() + k * from.room_);
    for (int k = 0; k < fixed_columns(); ++k) copy(fixed_.reals.data() + k * room_, from.fixed_.reals.data() + k * from.room_);
    copy(fixed_.material.data(), from.fixed_.material.data());
    copy(fixed_.id.data(), from.fixed_.id.data());
  }

  struct Changing {
    Buffer<Place<T, D>> place;
    Buffer<T> reals;
  };
  struct Fixed {
    Buffer<T> reals;
    Buffer<std::uint16_t> material;
    Buffer<std::uint32_t> id;
  };

  int changing_columns() const { return D + D * D + 1 + (optional_.affine ? D * D : 0) + (optional_.held ? 3 : 0); }
  int fixed_columns() const { return 2 + (optional_.varied ? 4 : 0); }

  ParticleView<T, D> view(int changing) const {
    const Changing& c = changing_[changing];
    const Fixed& f = fixed_;
    ParticleView<T, D> v{};
    v.room = room_;
    v.place = c.place.data();
    T* at = c.reals.data();
    const auto take = [&](int columns, bool is_there = true) {
      T* const column = is_there ? at : nullptr;
      if (is_there) at += columns * room_;
      return column;
    };
    v.velocity = take(D);
    v.F_E = take(D * D);
    v.J_P = take(1);
    v.B = take(D * D, optional_.affine);
    v.held = take(3, optional_.held);
    at = f.reals.data();
    v.mass = take(1);
    v.volume = take(1);
    v.own = take(4, optional_.varied);
    v.material = f.material.data();
    v.id = f.id.data();
    return v;
  }

  // f(column of the state, the same on the device) for all but places.
  template <class Ps, class F>
  static void for_each_column(Ps& ps, const ParticleView<T, D>& device, F f) {
    for (int d = 0; d < D; ++d) f(ps.velocity[d], device.velocity + d * device.room);
    for (int k = 0; k < D * D; ++k) f(ps.F_E[k], device.F_E + k * device.room);
    f(ps.J_P, device.J_P);
    for (int k = 0; device.B != nullptr && k < D * D; ++k) f(ps.B[k], device.B + k * device.room);
    if (device.held != nullptr) {
      f(ps.push, device.held);
      f(ps.touch, device.held + device.room);
      f(ps.credit, device.held + 2 * device.room);
    }
    f(ps.mass, device.mass);
    f(ps.volume, device.volume);
    if (device.own != nullptr) {
      f(ps.stiffness, device.own);
      f(ps.hardening, device.own + device.room);
      f(ps.critical_compression, device.own + 2 * device.room);
      f(ps.critical_stretch, device.own + 3 * device.room);
    }
    f(ps.material, device.material);
    f(ps.id, device.id);
  }

  template <class V>
  static void copy_in(const std::vector<V>& from, V* to) {
    check(cudaMemcpy(to, from.data(), from.size() * sizeof(V), cudaMemcpyHostToDevice), "bringing particles to the GPU");
  }
  template <class V>
  static void copy_out(const V* from, std::vector<V>& to) {
    check(cudaMemcpy(to.data(), from, to.size() * sizeof(V), cudaMemcpyDeviceToHost), "bringing particles back");
  }

  OptionalColumns optional_;
  std::size_t room_ = 0;
  Changing changing_[2];
  Fixed fixed_;
};

}  // namespace firn::cuda
