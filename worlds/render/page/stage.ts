import * as THREE from 'three';
import { type Pose } from '../camera-path.js';
import { type CameraLens } from '../camera-lens.js';
import { type Panel, type ScenePlan } from '../scene/scene-plan.js';
import { placeModel, texturesLoaded } from './furniture-models.js';
import { paintSurface } from './paint-surfaces.js';
import { TruthPass } from './truth-pass.js';

/** What one pose gives: the picture, and what each small pixel shows and how far away it is. */
export interface ShotData {
  /** PNG, base64. */
  png: string;
  /** Float32Array [truthHeight, truthWidth, 2] of object id and depth along the optical axis in metres, base64. */
  truth: string;
}

declare global {
  interface Window {
    openStage(plan: ScenePlan, lens: CameraLens): Promise<void>;
    shoot(pose: Pose): ShotData;
  }
}

const PIXELS_PER_METRE = 170;

function panelMesh(panel: Panel): THREE.Mesh {
  const [width, height, depth] = panel.size;
  const [across, up] = height < Math.min(width, depth) ? [width, depth] : [Math.max(width, depth), height];
  const scale = Math.min(PIXELS_PER_METRE, 2048 / Math.max(across, up));
  const texture = new THREE.CanvasTexture(
    paintSurface(
      panel.paint,
      panel.seed,
      Math.max(64, Math.round(across * scale)),
      Math.max(64, Math.round(up * scale)),
    ),
  );
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 4;
  const mesh = new THREE.Mesh(
    new THREE.BoxGeometry(width, height, depth),
    new THREE.MeshLambertMaterial({ map: texture }),
  );
  mesh.position.set(...panel.centre);
  mesh.castShadow = panel.paint === 'facade';
  mesh.receiveShadow = true;
  return mesh;
}

function light(scene: THREE.Scene, kind: ScenePlan['kind']): void {
  scene.add(
    new THREE.HemisphereLight(0xffffff, kind === 'room' ? 0xe8ded0 : 0xb09a80, kind === 'room' ? 2.3 : 1.7),
  );
  const sun = new THREE.DirectionalLight(0xfff2dd, kind === 'room' ? 1.3 : 2.2);
  sun.position.set(9, 24, 13);
  if (kind === 'street') {
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    Object.assign(sun.shadow.camera, { left: -45, right: 45, top: 45, bottom: -45, far: 90 });
    sun.shadow.bias = -0.002;
  }
  scene.add(sun);
}

let renderer: THREE.WebGLRenderer | undefined;
let show: ((pose: Pose) => ShotData) | undefined;

window.openStage = async (plan, lens) => {
  renderer?.dispose();
  renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(lens.width, lens.height);
  renderer.shadowMap.enabled = true;
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(plan.kind === 'street' ? 0x9fc4e8 : 0x404040);
  light(scene, plan.kind);
  for (const panel of plan.panels) scene.add(panelMesh(panel));
  for (const object of plan.objects) scene.add(await placeModel(object));
  await texturesLoaded();
  const verticalDegrees =
    (2 *
      Math.atan(Math.tan((lens.horizontalFovDegrees * Math.PI) / 360) * (lens.height / lens.width)) *
      180) /
    Math.PI;
  const camera = new THREE.PerspectiveCamera(verticalDegrees, lens.width / lens.height, 0.05, 200);
  camera.rotation.order = 'YXZ';
  const truthPass = new TruthPass(scene, lens.truthWidth, lens.truthHeight);
  const canvas = renderer.domElement;
  const active = renderer;
  show = (pose) => {
    camera.position.set(pose.x, pose.y, pose.z);
    camera.rotation.set((pose.pitchDegrees * Math.PI) / 180, (pose.yawDegrees * Math.PI) / 180, 0);
    camera.updateMatrixWorld();
    active.render(scene, camera);
    active.shadowMap.autoUpdate = false;
    const png = canvas.toDataURL('image/png').split(',')[1];
    return { png, truth: truthPass.measure(active, camera) };
  };
};

window.shoot = (pose) => {
  if (show === undefined) throw new Error('open a stage before shooting');
  return show(pose);
};
