// The bytes of a mesh in all formats, as other programs write them.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "geometry/mesh.h"

namespace firn::test {

template <class T>
void append(std::string& bytes, const T& value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}
inline void append_floats(std::string& bytes, const Vec<double, 3>& x) {
  for (int i = 0; i < 3; ++i) append(bytes, static_cast<float>(x[i]));
}

inline std::string obj(const Mesh& mesh) {
  std::string text = "# a mesh\no thing\n";
  for (const auto& p : mesh.points) text += fmt::format("v {} {} {}\n", p[0], p[1], p[2]);
  for (const auto& t : mesh.triangles) text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

inline std::string ply_header(const Mesh& mesh, const char* format) {
  return fmt::format(
      "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      format, mesh.points.size(), mesh.triangles.size());
}
inline std::string ascii_ply(const Mesh& mesh) {
  std::string text = ply_header(mesh, "ascii");
  for (const auto& p : mesh.points) text += fmt::format("{} {} {}\n", p[0], p[1], p[2]);
  for (const auto& t : mesh.triangles) text += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
  return text;
}
inline std::string binary_ply(const Mesh& mesh) {
  std::string bytes = ply_header(mesh, "binary_little_endian");
  for (const auto& p : mesh.points) append_floats(bytes, p);
  for (const auto& t : mesh.triangles) {
    append(bytes, std::uint8_t{3});
    append(bytes, t);
  }
  return bytes;
}

inline std::string ascii_stl(const Mesh& mesh) {
  std::string text = "solid thing\n";
  for (const auto& t : mesh.triangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const auto corner : t)
      text += fmt::format("vertex {} {} {}\n", mesh.points[corner][0], mesh.points[corner][1], mesh.points[corner][2]);
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid thing\n";
}
inline std::string binary_stl(const Mesh& mesh) {
  std::string bytes(80, ' ');
  append(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    append_floats(bytes, {0, 0, 0});
    for (const auto corner : t) append_floats(bytes, mesh.points[corner]);
    append(bytes, std::uint16_t{0});
  }
  return bytes;
}

inline std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
  }
  return text;
}

inline std::string gltf_buffer(const Mesh& mesh) {
  std::string bytes;
  for (const auto& p : mesh.points) append_floats(bytes, p);
  for (const auto& t : mesh.triangles) append(bytes, t);
  return bytes;
}
// `nodes`: the JSON array of nodes, of which number 0 is the root; `uri`: of the buffer, with its comma.
inline std::string gltf_text(const Mesh& mesh, const std::string& nodes, const std::string& uri) {
  const std::size_t points = mesh.points.size() * 12, triangles = mesh.triangles.size() * 12;
  const Bounds box = bounds(mesh);
  return fmt::format(
      R"({{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":{},
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3","min":[{},{},{}],"max":[{},{},{}]}},
{{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],
"buffers":[{{{}"byteLength":{}}}]}})",
      nodes, mesh.points.size(), box.lower[0], box.lower[1], box.lower[2], box.upper[0], box.upper[1], box.upper[2],
      3 * mesh.triangles.size(), points, points, triangles, uri, points + triangles);
}
inline std::string gltf(const Mesh& mesh, const std::string& nodes = R"([{"mesh":0}])") {
  return gltf_text(mesh, nodes, fmt::format(R"("uri":"data:application/octet-stream;base64,{}",)", base64(gltf_buffer(mesh))));
}
inline std::string glb(const Mesh& mesh) {
  std::string json = gltf_text(mesh, R"([{"mesh":0}])", "");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const std::string buffer = gltf_buffer(mesh);
  std::string bytes = "glTF";
  for (const std::size_t number : {std::size_t{2}, 12 + 8 + json.size() + 8 + buffer.size(), json.size()})
    append(bytes, static_cast<std::uint32_t>(number));
  bytes += "JSON" + json;
  append(bytes, static_cast<std::uint32_t>(buffer.size()));
  return bytes + std::string("BIN\0", 4) + buffer;
}

struct FbxSettings {
  double centimetres = 100;  // of the unit
  int right = 0, up = 1, front = 2;
  Vec<double, 3> translation{0, 0, 0}, scaling{1, 1, 1};
};
inline std::string fbx(const Mesh& mesh, const FbxSettings& settings = {}) {
  std::string points, corners;
  for (const auto& p : mesh.points) points += fmt::format("{}{},{},{}", points.empty() ? "" : ",", p[0], p[1], p[2]);
  for (const auto& t : mesh.triangles)
    corners += fmt::format("{}{},{},{}", corners.empty() ? "" : ",", t[0], t[1], -1 - static_cast<int>(t[2]));
  const auto axis = [](const char* name, int number) {
    return fmt::format("\t\tP: \"{}\", \"int\", \"Integer\", \"\",{}\n\t\tP: \"{}Sign\", \"int\", \"Integer\", \"\",1\n", name, number,
                       name);
  };
  return "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
         "GlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n" +
         axis("CoordAxis", settings.right) + axis("UpAxis", settings.up) + axis("FrontAxis", settings.front) +
         fmt::format("\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{}\n\t}}\n}}\n", settings.centimetres) +
         fmt::format(
             "Objects:  {{\n\tGeometry: 1000, \"Geometry::thing\", \"Mesh\" {{\n\t\tVertices: *{} {{\n\t\t\ta: {}\n\t\t}}\n"
             "\t\tPolygonVertexIndex: *{} {{\n\t\t\ta: {}\n\t\t}}\n\t\tGeometryVersion: 124\n\t}}\n",
             3 * mesh.points.size(), points, 3 * mesh.triangles.size(), corners) +
         fmt::format(
             "\tModel: 2000, \"Model::thing\", \"Mesh\" {{\n\t\tVersion: 232\n\t\tProperties70:  {{\n"
             "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",{},{},{}\n"
             "\t\t\tP: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",{},{},{}\n\t\t}}\n\t}}\n}}\n",
             settings.translation[0], settings.translation[1], settings.translation[2], settings.scaling[0], settings.scaling[1],
             settings.scaling[2]) +
         "Connections:  {\n\tC: \"OO\",2000,0\n\tC: \"OO\",1000,2000\n}\n";
}

}  // namespace firn::test
