import { type PathStep } from './camera-path.js';
import { type ClipPlan } from './record-clip.js';
import { planRoom, planTwoRooms } from './scene/room-plan.js';
import { planStreet } from './scene/street-plan.js';

const step = (action: PathStep['action'], seconds: number, amount: number): PathStep => ({
  action,
  seconds,
  amount,
});

/** The three clips that the README and the tests use. */
export function sampleClips(): ClipPlan[] {
  return [
    {
      name: 'room',
      scene: planRoom(21),
      start: { x: 0.03, y: 1.4, z: 1.43, yawDegrees: 0, pitchDegrees: 0 },
      steps: [
        step('stay', 1, 0),
        step('move forward', 2, 1.4),
        step('rotate left', 3, 90),
        step('stay', 1, 0),
        step('move backward', 2, 1.4),
        step('rotate right', 3, 90),
        step('move right', 1, 0.7),
      ],
      quality: 28,
      asksQuestions: true,
    },
    {
      name: 'street',
      scene: planStreet(3),
      start: { x: 0, y: 1.8, z: 17.87, yawDegrees: 0, pitchDegrees: 0 },
      steps: [
        step('move forward', 3, 4.5),
        step('move upward', 3, 3),
        step('tilt downward', 1, 20),
        step('stay', 1, 0),
        step('tilt upward', 1, 20),
        step('move forward', 3, 6),
        step('rotate right', 2, 60),
        step('move downward', 2, 1.6),
      ],
      quality: 31,
      asksQuestions: true,
    },
    {
      name: 'tour',
      scene: planTwoRooms(7),
      start: { x: -1.04, y: 1.5, z: 0.03, yawDegrees: 90, pitchDegrees: 0 },
      steps: [
        step('rotate right', 3, 90),
        step('stay', 1, 0),
        step('rotate right', 3, 90),
        step('move forward', 4, 3.6),
        step('rotate left', 1, 30),
        step('rotate left', 1, 30),
        step('rotate right', 2, 60),
        step('move forward', 3, 3.6),
        step('rotate right', 2, 90),
      ],
      quality: 28,
      asksQuestions: true,
    },
  ];
}
