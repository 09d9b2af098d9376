// The vertex properties firn gives a meaning to, in the order it writes them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "firn/frame.h"

namespace firn {

enum PlyField : int {
  kFieldId = 0,
  kFieldPosition = 1,  // 3
  kFieldVelocity = 4,  // 3
  kFieldMass = 7,
  kFieldVolume = 8,
  kFieldJp = 9,
  kFieldJe = 10,
  kFieldMaterial = 11,
  kFieldFe = 12,  // 9, row by row
  kFieldB = 21,   // 9, row by row
  kFieldStiffness = 30,
  kFieldHardening = 31,
  kFieldCompression = 32,
  kFieldStretch = 33,
  kFieldYoung = 34,
  kFieldCount = 35,
};

inline constexpr std::array<std::string_view, kFieldCount> kFieldNames{
    "id",   "x",    "y",    "z",    "vx",   "vy",   "vz",  "mass", "volume", "jp",  "je",  "material", "fe00", "fe01", "fe02",
    "fe10", "fe11", "fe12", "fe20", "fe21", "fe22", "b00", "b01",  "b02",    "b10", "b11", "b12",      "b20",  "b21",  "b22",
    "stiffness", "hardening", "critical_compression", "critical_stretch", "young_modulus"};

// Of particles that differ from their material.
struct PlyParameter {
  PlyField field;
  std::vector<double> Frame::*column;
};
inline constexpr std::array<PlyParameter, 5> kParameters{{{kFieldStiffness, &Frame::stiffness},
                                                          {kFieldHardening, &Frame::hardening},
                                                          {kFieldCompression, &Frame::critical_compression},
                                                          {kFieldStretch, &Frame::critical_stretch},
                                                          {kFieldYoung, &Frame::young_modulus}}};

}  // namespace firn
