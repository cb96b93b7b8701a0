import * as THREE from 'three';

function truthMaterial(objectId: number): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    side: THREE.DoubleSide,
    uniforms: { objectId: { value: objectId } },
    vertexShader: `varying float depth;
      void main() { vec4 seen = modelViewMatrix * vec4(position, 1.0); depth = -seen.z; gl_Position = projectionMatrix * seen; }`,
    fragmentShader: `uniform float objectId; varying float depth;
      void main() { gl_FragColor = vec4(objectId, depth, 0.0, 1.0); }`,
  });
}

/** Draws the scene again, small, in object ids and depths instead of colours. */
export class TruthPass {
  private readonly target: THREE.WebGLRenderTarget;
  private readonly swaps: { mesh: THREE.Mesh; truth: THREE.Material }[] = [];

  constructor(
    private readonly scene: THREE.Scene,
    private readonly width: number,
    private readonly height: number,
  ) {
    this.target = new THREE.WebGLRenderTarget(width, height, {
      type: THREE.FloatType,
      minFilter: THREE.NearestFilter,
      magFilter: THREE.NearestFilter,
      colorSpace: THREE.NoColorSpace,
    });
    const materials = new Map<number, THREE.Material>();
    scene.traverse((part) => {
      if (!(part instanceof THREE.Mesh)) return;
      const id = Number(part.userData['objectId'] ?? 0);
      const truth = materials.get(id) ?? truthMaterial(id);
      materials.set(id, truth);
      this.swaps.push({ mesh: part, truth });
    });
  }

  /** Base64 of Float32Array [height, width, 2], rows from the top; depth 0 where there is only sky. */
  measure(renderer: THREE.WebGLRenderer, camera: THREE.Camera): string {
    const shown = this.swaps.map(({ mesh, truth }) => {
      const material: THREE.Material | THREE.Material[] = mesh.material;
      mesh.material = truth;
      return material;
    });
    const background = this.scene.background;
    this.scene.background = null;
    renderer.setRenderTarget(this.target);
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
    renderer.render(this.scene, camera);
    const pixels = new Float32Array(this.width * this.height * 4);
    renderer.readRenderTargetPixels(this.target, 0, 0, this.width, this.height, pixels);
    renderer.setRenderTarget(null);
    this.scene.background = background;
    this.swaps.forEach(({ mesh }, index) => {
      mesh.material = shown[index];
    });
    const packed = new Float32Array(this.width * this.height * 2);
    for (let row = 0; row < this.height; row += 1) {
      for (let column = 0; column < this.width; column += 1) {
        const from = ((this.height - 1 - row) * this.width + column) * 4;
        packed.set(pixels.subarray(from, from + 2), (row * this.width + column) * 2);
      }
    }
    let binary = '';
    for (const byte of new Uint8Array(packed.buffer)) binary += String.fromCharCode(byte);
    return btoa(binary);
  }
}
