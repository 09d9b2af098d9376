"""How snow looks: a medium that scatters much and absorbs little, denser where the simulation has more mass."""
import bpy

# Packed snow as Stomakhin et al. 2013 render theirs.
EXTINCTION = 724.0                  # 1/m, in snow of ...
REFERENCE_DENSITY = 400.0           # ... kg/m³
SINGLE_SCATTERING_ALBEDO = (0.9, 0.95, 1.0)
ANISOTROPY = 0.5                    # g of Henyey and Greenstein 1941: mostly forwards


def add(nodes, kind, x, y, **settings):
    node = nodes.new(kind)
    node.location = (x, y)
    for name, value in settings.items():
        setattr(node, name, value)
    return node


def medium(nodes, kind, y, albedo):
    node = add(nodes, kind, 200, y)
    node.inputs["Color"].default_value = (*albedo, 1.0)
    return node


def snow_material(albedo=SINGLE_SCATTERING_ALBEDO, extinction_of_packed=EXTINCTION, anisotropy=ANISOTROPY):
    """With the extinction σ_t = 724/m · density / 400 and the albedo ω per colour:

        Volume Scatter     of colour ω and density σ_t scatters  σ_s = ω σ_t
        Volume Absorption  of colour ω and density σ_t absorbs   σ_a = (1 - ω) σ_t

    so that σ_s + σ_a = σ_t and σ_s / σ_t = ω. Cycles counts both per unit of length, which here is a metre.
    """
    material = bpy.data.materials.new("snow")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    density = add(nodes, "ShaderNodeAttribute", -300, 0, attribute_name="density")
    extinction = add(nodes, "ShaderNodeMath", -50, 0, operation="MULTIPLY", label="extinction, 1/m")
    extinction.inputs[1].default_value = extinction_of_packed / REFERENCE_DENSITY
    links.new(density.outputs["Fac"], extinction.inputs[0])
    scatter = medium(nodes, "ShaderNodeVolumeScatter", 100, albedo)
    scatter.inputs["Anisotropy"].default_value = anisotropy
    absorption = medium(nodes, "ShaderNodeVolumeAbsorption", -100, albedo)
    both = add(nodes, "ShaderNodeAddShader", 450, 0)
    output = add(nodes, "ShaderNodeOutputMaterial", 650, 0)
    for index, node in enumerate((scatter, absorption)):
        links.new(extinction.outputs[0], node.inputs["Density"])
        links.new(node.outputs["Volume"], both.inputs[index])
    links.new(both.outputs[0], output.inputs["Volume"])
    return material


def body_material(name, colour, metal_roughness=None):
    """Metal of a roughness, or matte without one."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    surface = material.node_tree.nodes["Principled BSDF"]
    surface.inputs["Base Color"].default_value = (*colour, 1.0)
    surface.inputs["Metallic"].default_value = 0.0 if metal_roughness is None else 1.0
    surface.inputs["Roughness"].default_value = 0.9 if metal_roughness is None else metal_roughness
    return material
