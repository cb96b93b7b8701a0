import * as THREE from 'three';
import { paintSurface } from './paint-surfaces.js';

type Size = [number, number, number];

function solid(
  geometry: THREE.BufferGeometry,
  colour: THREE.ColorRepresentation,
  x = 0,
  y = 0,
  z = 0,
): THREE.Mesh {
  const mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ color: colour }));
  mesh.position.set(x, y, z);
  return mesh;
}

/** A side view drawn in metres, given the body's width. */
function extrude(outline: readonly (readonly [number, number])[], width: number): THREE.BufferGeometry {
  const shape = new THREE.Shape(outline.map(([x, y]) => new THREE.Vector2(x, y)));
  const geometry = new THREE.ExtrudeGeometry(shape, {
    depth: width,
    bevelEnabled: true,
    bevelSize: 0.05,
    bevelThickness: 0.05,
  });
  return geometry.translate(0, 0, -width / 2);
}

function car(colour: THREE.Color): THREE.Group {
  const group = new THREE.Group();
  const body = [
    [-2.1, 0.35],
    [2.1, 0.35],
    [2.12, 0.7],
    [1.9, 0.88],
    [1.0, 0.95],
    [-1.9, 0.98],
    [-2.12, 0.75],
  ] as const;
  const cabin = [
    [-1.75, 0.95],
    [1.0, 0.93],
    [0.35, 1.42],
    [-1.15, 1.44],
  ] as const;
  group.add(
    solid(extrude(body, 1.6), colour),
    solid(extrude(cabin, 1.36), 0x1c2530),
    solid(new THREE.BoxGeometry(1.5, 0.06, 1.34), colour, -0.4, 1.48, 0),
  );
  for (const side of [-1, 1]) {
    group.add(solid(new THREE.BoxGeometry(0.1, 0.5, 0.03), colour, -0.35, 1.2, side * 0.73));
    group.add(solid(new THREE.BoxGeometry(0.08, 0.16, 0.34), 0xfff4c8, 2.12, 0.72, side * 0.6));
    group.add(solid(new THREE.BoxGeometry(0.08, 0.16, 0.34), 0xb01010, -2.14, 0.75, side * 0.6));
    for (const axle of [-1.3, 1.3]) {
      const wheel = solid(
        new THREE.CylinderGeometry(0.34, 0.34, 0.22, 20),
        0x151515,
        axle,
        0.34,
        side * 0.78,
      );
      wheel.rotation.x = Math.PI / 2;
      const rim = solid(new THREE.CylinderGeometry(0.19, 0.19, 0.24, 12), 0xb8bcc0, axle, 0.34, side * 0.79);
      rim.rotation.x = Math.PI / 2;
      group.add(wheel, rim);
    }
  }
  group.add(
    solid(new THREE.BoxGeometry(0.05, 0.14, 0.5), 0xf0f0e0, 2.18, 0.5, 0),
    solid(new THREE.BoxGeometry(0.05, 0.2, 1.0), 0x202020, 2.15, 0.66, 0),
  );
  return group;
}

function truck(colour: THREE.Color): THREE.Group {
  const group = new THREE.Group();
  const cab = [
    [1.55, 0.5],
    [2.95, 0.5],
    [3.0, 1.3],
    [2.6, 2.3],
    [1.55, 2.35],
  ] as const;
  group.add(
    solid(extrude(cab, 1.9), colour),
    solid(new THREE.BoxGeometry(4.4, 2.2, 2.1), 0xe6e4de, -0.8, 1.85, 0),
  );
  group.add(
    solid(new THREE.BoxGeometry(4.4, 0.5, 2.14), colour, -0.8, 1.6, 0),
    solid(new THREE.BoxGeometry(5.6, 0.25, 1.2), 0x303030, -0.2, 0.6, 0),
  );
  const windscreen = solid(new THREE.BoxGeometry(0.06, 0.85, 1.6), 0x1c2530, 2.87, 1.8, 0);
  windscreen.rotation.z = 0.38;
  group.add(windscreen);
  for (const side of [-1, 1]) {
    group.add(solid(new THREE.BoxGeometry(0.8, 0.6, 0.05), 0x1c2530, 2.1, 1.85, side * 1.0));
    group.add(solid(new THREE.BoxGeometry(0.1, 0.2, 0.35), 0xfff4c8, 3.03, 0.85, side * 0.75));
    for (const axle of [-2.1, -1.1, 2.2]) {
      const wheel = solid(new THREE.CylinderGeometry(0.46, 0.46, 0.3, 20), 0x151515, axle, 0.46, side * 0.9);
      wheel.rotation.x = Math.PI / 2;
      group.add(wheel);
    }
  }
  return group;
}

function hydrant(colour: THREE.Color): THREE.Group {
  const group = new THREE.Group();
  group.add(
    solid(new THREE.CylinderGeometry(0.14, 0.16, 0.55, 16), colour, 0, 0.28, 0),
    solid(new THREE.SphereGeometry(0.15, 16, 10), colour, 0, 0.56, 0),
  );
  group.add(
    solid(new THREE.CylinderGeometry(0.2, 0.2, 0.06, 16), colour, 0, 0.05, 0),
    solid(new THREE.CylinderGeometry(0.04, 0.04, 0.12, 8), colour, 0, 0.74, 0),
  );
  const nozzles = solid(new THREE.CylinderGeometry(0.07, 0.07, 0.44, 12), colour, 0, 0.42, 0);
  nozzles.rotation.z = Math.PI / 2;
  group.add(nozzles);
  return group;
}

function stopSign(): THREE.Group {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 256;
  const brush = canvas.getContext('2d');
  if (brush === null) throw new Error('this browser gives no 2D canvas');
  brush.fillStyle = '#c01818';
  brush.fillRect(0, 0, 256, 256);
  brush.fillStyle = '#fff';
  brush.font = 'bold 84px sans-serif';
  brush.textAlign = 'center';
  brush.fillText('STOP', 128, 158);
  const face = new THREE.Mesh(
    new THREE.CircleGeometry(0.37, 8, Math.PI / 8),
    new THREE.MeshLambertMaterial({ map: new THREE.CanvasTexture(canvas), side: THREE.DoubleSide }),
  );
  face.position.set(0, 2.2, 0.06);
  const rim = solid(new THREE.CircleGeometry(0.4, 8, Math.PI / 8), 0xffffff, 0, 2.2, 0.05);
  const group = new THREE.Group();
  group.add(face, rim, solid(new THREE.CylinderGeometry(0.035, 0.035, 2.5, 8), 0x888888, 0, 1.25, 0));
  return group;
}

function trafficLight(): THREE.Group {
  const group = new THREE.Group();
  group.add(
    solid(new THREE.CylinderGeometry(0.06, 0.08, 2.5, 10), 0x444444, 0, 1.25, 0),
    solid(new THREE.BoxGeometry(0.38, 1.0, 0.3), 0x181818, 0, 2.9, 0),
  );
  [0xff2a1a, 0x6a5a10, 0x0c5a1c].forEach((colour, index) => {
    const lamp = new THREE.Mesh(
      new THREE.SphereGeometry(0.12, 14, 10),
      new THREE.MeshBasicMaterial({ color: colour }),
    );
    lamp.position.set(0, 3.2 - index * 0.3, 0.12);
    group.add(lamp);
  });
  return group;
}

function tree(size: Size): THREE.Group {
  const group = new THREE.Group();
  const bark = new THREE.CanvasTexture(paintSurface('wood', 5, 128, 256));
  group.add(
    new THREE.Mesh(
      new THREE.CylinderGeometry(0.14, 0.22, 2.6, 10),
      new THREE.MeshLambertMaterial({ map: bark }),
    ),
  );
  group.children[0].position.y = 1.3;
  const leaves = new THREE.MeshLambertMaterial({
    map: new THREE.CanvasTexture(paintSurface('grass', 11, 512, 512)),
  });
  for (const [x, y, z, radius] of [
    [0, 3.9, 0, 1.25],
    [0.6, 3.2, 0.3, 0.85],
    [-0.6, 3.4, -0.2, 0.9],
    [0.1, 4.7, -0.2, 0.8],
    [-0.2, 3.3, 0.7, 0.8],
  ]) {
    const crown = new THREE.Mesh(new THREE.IcosahedronGeometry(radius, 3), leaves);
    crown.position.set(x, y, z);
    group.add(crown);
  }
  group.scale.setScalar(size[1] / 5.5);
  return group;
}

/** Street things that the furniture package lacks, made of simple solids. Fronts face +z; a car's front is at +x. */
export function buildModel(name: string, colour: THREE.Color, size: Size): THREE.Group {
  switch (name) {
    case 'car':
      return car(colour);
    case 'truck':
      return truck(colour);
    case 'hydrant':
      return hydrant(colour);
    case 'stop-sign':
      return stopSign();
    case 'traffic-light':
      return trafficLight();
    case 'tree':
      return tree(size);
    default:
      throw new Error(`no built model is called ${name}`);
  }
}
