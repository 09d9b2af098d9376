// The sun's view of the scene: what it sees first is lit. Drawn again only when something moved.
import { DepthTexture, Matrix4, NearestFilter, OrthographicCamera, UnsignedIntType, Vector3, WebGLRenderTarget } from 'three'
import type { Material, Mesh, Object3D, Scene, WebGLRenderer } from 'three'
import type { Bodies } from './bodies'
import type { Grains } from './grains'
import type { LightUniforms } from './light'

export class Shadow {
  private readonly camera = new OrthographicCamera()
  private readonly target: WebGLRenderTarget

  constructor(
    private readonly light: LightUniforms,
    private readonly size: number,
  ) {
    const depth = new DepthTexture(size, size, UnsignedIntType)
    depth.minFilter = depth.magFilter = NearestFilter
    this.target = new WebGLRenderTarget(size, size, { depthTexture: depth, depthBuffer: true })
    light.shadowMap.value = depth
    light.shadowTexel.value = 1 / size
  }

  // `middle`, `radius`: of a ball around all that throws shadows.
  draw(renderer: WebGLRenderer, scene: Scene, grains: Grains, bodies: Bodies, middle: Vector3, radius: number): void {
    const camera = this.camera
    const sun = this.light.sunDirection.value
    camera.position.copy(middle).addScaledVector(sun, radius * 2)
    camera.up.set(0, Math.abs(sun.y) > 0.98 ? 0 : 1, Math.abs(sun.y) > 0.98 ? 1 : 0)
    camera.lookAt(middle)
    camera.left = camera.bottom = -radius
    camera.right = camera.top = radius
    camera.near = radius * 0.5
    camera.far = radius * 6
    camera.updateProjectionMatrix()
    camera.updateMatrixWorld()
    this.light.shadowMatrix.value = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse)
    grains.setMapScale(this.size / (2 * radius))

    const shown = new Map<Object3D, boolean>()
    for (const child of scene.children) {
      shown.set(child, child.visible)
      child.visible = (child === grains.points && child.visible) || child === bodies.group
    }
    const usual = new Map<Mesh, Material>()
    for (const mesh of bodies.group.children as Mesh[]) {
      usual.set(mesh, mesh.material as Material)
      shown.set(mesh, mesh.visible)
      mesh.visible = mesh.visible && mesh.userData.kind === 'collider'
      mesh.material = bodies.shadowMaterial
    }
    const ofGrains = grains.points.material
    grains.points.material = grains.shadowMaterial
    renderer.setRenderTarget(this.target)
    renderer.clear()
    renderer.render(scene, camera)
    renderer.setRenderTarget(null)
    grains.points.material = ofGrains
    for (const [mesh, material] of usual) mesh.material = material
    for (const [object, visible] of shown) object.visible = visible
  }
}
