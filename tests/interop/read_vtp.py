#!/usr/bin/env python3
"""Reads a .vtp with VTK's own reader and prints what it found as JSON. Wants VTK: package python3-paraview or python3-vtk9.

    read_vtp.py FILE

{"points", "cells", "vertices", "time", "bounds", "arrays": {NAME: {"type", "components", "tuples", "ranges", "sums"}}}
"""
import json
import sys

from vtkmodules.vtkIOXML import vtkXMLPolyDataReader


def describe(array):
    components = array.GetNumberOfComponents()
    return {
        "type": array.GetDataTypeAsString(),
        "components": components,
        "tuples": array.GetNumberOfTuples(),
        "ranges": [list(array.GetRange(c)) for c in range(components)],
        "sums": [sum(array.GetComponent(row, c) for row in range(array.GetNumberOfTuples())) for c in range(components)],
    }


def main():
    complaints = []
    reader = vtkXMLPolyDataReader()
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *_, event=event: complaints.append(event))
    reader.SetFileName(sys.argv[1])
    reader.Update()
    if complaints:
        sys.exit(f"VTK complained: {complaints}")
    data = reader.GetOutput()
    point_data, time = data.GetPointData(), data.GetFieldData().GetArray("TimeValue")
    arrays = {point_data.GetArrayName(i): describe(point_data.GetArray(i)) for i in range(point_data.GetNumberOfArrays())}
    if data.GetPoints() is not None:
        arrays["Points"] = describe(data.GetPoints().GetData())
    print(json.dumps({
        "points": data.GetNumberOfPoints(),
        "cells": data.GetNumberOfCells(),
        "vertices": data.GetNumberOfVerts(),
        "time": None if time is None else time.GetValue(0),
        "bounds": list(data.GetBounds()),
        "arrays": arrays,
    }))


main()
