import * as THREE from 'three';
import { MTLLoader } from 'three/addons/loaders/MTLLoader.js';
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js';
import { type Colour } from '../../../src/perception/percept.js';
import { type PlacedObject } from '../scene/scene-plan.js';
import { buildModel } from './built-models.js';

/** The dyes, as a person would name them. */
export const DYES: Record<Colour, number> = {
  red: 0xc8201c,
  orange: 0xe8801a,
  yellow: 0xe8c81e,
  green: 0x2f8a3a,
  blue: 0x2050c0,
  purple: 0x7a30a8,
  pink: 0xe887b0,
  brown: 0x7d4c26,
  black: 0x26262a,
  white: 0xf0eee8,
  gray: 0x85878a,
};

/** Replaces the hue of a model's materials by the dye, keeping which parts are light and which dark. */
function dye(material: THREE.Material, colour: Colour): THREE.Material {
  const source = material instanceof THREE.MeshPhongMaterial ? material : new THREE.MeshPhongMaterial();
  const { r, g, b } = source.color;
  const light = source.map === null ? 0.3 * r + 0.59 * g + 0.11 * b : 0.8;
  const dyed = new THREE.Color(DYES[colour]).multiplyScalar(0.55 + 0.6 * light);
  return new THREE.MeshLambertMaterial({ color: dyed, side: THREE.DoubleSide });
}

let loading = Promise.resolve();
let finish: () => void = () => undefined;
THREE.DefaultLoadingManager.onStart = () => {
  loading = new Promise((resolve) => (finish = resolve));
};
THREE.DefaultLoadingManager.onLoad = () => finish();

/** Models are there before their pictures; a clip that starts earlier differs from run to run. */
export async function texturesLoaded(): Promise<void> {
  await loading;
}

async function loadModel(name: string): Promise<THREE.Object3D> {
  const folder = `/furniture/${name}/`;
  const materials = await new MTLLoader().setPath(folder).setResourcePath(folder).loadAsync(`${name}.mtl`);
  return await new OBJLoader().setMaterials(materials).setPath(folder).loadAsync(`${name}.obj`);
}

const loaded = new Map<string, Promise<THREE.Object3D>>();

/** Scales a model to its size, sets it on its place and marks its meshes with the object's id. */
export async function placeModel(object: PlacedObject): Promise<THREE.Object3D> {
  let model: THREE.Object3D;
  if (object.model.startsWith('built:')) {
    model = buildModel(
      object.model.slice('built:'.length),
      new THREE.Color(DYES[object.colour]),
      object.size,
    );
  } else {
    const known = loaded.get(object.model) ?? loadModel(object.model);
    loaded.set(object.model, known);
    model = (await known).clone(true);
    const bounds = new THREE.Box3().setFromObject(model);
    const size = bounds.getSize(new THREE.Vector3());
    const centre = bounds.getCenter(new THREE.Vector3());
    const fitted = new THREE.Group();
    model.position.set(-centre.x, -bounds.min.y, -centre.z);
    fitted.add(model);
    fitted.scale.set(object.size[0] / size.x, object.size[1] / size.y, object.size[2] / size.z);
    model = fitted;
  }
  const keepsOwnColours = object.model === 'plant' || object.model.startsWith('built:');
  model.traverse((part) => {
    if (!(part instanceof THREE.Mesh)) return;
    part.userData['objectId'] = object.id;
    part.castShadow = true;
    part.receiveShadow = true;
    if (keepsOwnColours) return;
    const source: unknown = part.material;
    part.material = Array.isArray(source)
      ? source.map((material: THREE.Material) => dye(material, object.colour))
      : dye(source as THREE.Material, object.colour);
  });
  const placed = new THREE.Group();
  placed.add(model);
  placed.position.set(...object.position);
  placed.rotation.y = (object.yawDegrees * Math.PI) / 180;
  return placed;
}
