#!/usr/bin/env python3
"""Reads a surface (.obj or .ply) with VTK's own reader and prints what it found as JSON.
Wants VTK: package python3-paraview or python3-vtk9.

    read_surface.py FILE

{"points", "triangles", "open_edges", "volume", "bounds"}
"""
import json
import sys

from vtkmodules.vtkFiltersCore import vtkFeatureEdges, vtkMassProperties
from vtkmodules.vtkIOGeometry import vtkOBJReader
from vtkmodules.vtkIOPLY import vtkPLYReader


def open_edges(data):
    """Those of one triangle, or of more than two: a closed surface has none."""
    edges = vtkFeatureEdges()
    edges.SetInputData(data)
    edges.BoundaryEdgesOn()
    edges.NonManifoldEdgesOn()
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.Update()
    return edges.GetOutput().GetNumberOfCells()


def main():
    file = sys.argv[1]
    reader = vtkOBJReader() if file.endswith(".obj") else vtkPLYReader()
    reader.SetFileName(file)
    reader.Update()
    data = reader.GetOutput()
    mass = vtkMassProperties()
    mass.SetInputData(data)
    print(json.dumps({
        "points": data.GetNumberOfPoints(),
        "triangles": data.GetNumberOfPolys(),
        "open_edges": open_edges(data),
        "volume": mass.GetVolume(),
        "bounds": list(data.GetBounds()),
    }))


main()
