# `cmake --install`: the program with its man page, the scripts for Blender and ParaView, and the library for find_package(firn).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What others link. The layers come along, but only the public headers do.
add_library(firn_library INTERFACE)
add_library(firn::firn ALIAS firn_library)
set_target_properties(firn_library PROPERTIES EXPORT_NAME firn)
target_link_libraries(firn_library INTERFACE firn_api)
target_compile_features(firn_library INTERFACE cxx_std_20)
target_include_directories(firn_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

get_property(layers GLOBAL PROPERTY FIRN_LAYERS)
set(layer_targets)
foreach(layer ${layers})
  set_target_properties(firn_${layer} PROPERTIES EXPORT_NAME ${layer})
  list(APPEND layer_targets firn_${layer})
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/firn)
install(TARGETS firn RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS firn_library ${layer_targets} EXPORT firn_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/firn)
install(DIRECTORY include/firn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT firn_targets NAMESPACE firn:: DESTINATION ${package} FILE firnTargets.cmake)

configure_package_config_file(cmake/firnConfig.cmake.in ${PROJECT_BINARY_DIR}/firnConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/firnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/firnConfig.cmake ${PROJECT_BINARY_DIR}/firnConfigVersion.cmake DESTINATION ${package})

install(FILES man/firn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# Without the comparison with Cycles, which reads the sources.
file(GLOB blender_scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/blender/*.py)
list(FILTER blender_scripts EXCLUDE REGEX "/(compare_radiance|daylight|read_exr)\\.py$")
install(FILES ${blender_scripts} DESTINATION ${CMAKE_INSTALL_DATADIR}/firn/blender)
install(FILES paraview/show_run.py DESTINATION ${CMAKE_INSTALL_DATADIR}/firn/paraview)
install(DIRECTORY ${PROJECT_BINARY_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/firn PATTERN made EXCLUDE)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
