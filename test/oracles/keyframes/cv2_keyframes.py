"""The paper's keyframe rule (Embodied-R, arXiv 2504.12680) on OpenCV, as an oracle and as a rival in speed.

Reads one JSON request a line and answers with one JSON line each. Frames are raw RGB files, [n, height, width, 3].
Needs Debian's python3-opencv.
"""

import json
import sys
import time

import cv2
import numpy as np

cv2.setNumThreads(1)

ORB = cv2.ORB_create(nfeatures=500)
MATCHER = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)
THRESHOLD = 0.5


def load(request):
    w, h = request["width"], request["height"]
    return np.memmap(request["path"], np.uint8, "r").reshape(-1, h, w, 3)


def look(rgb, size=None):
    if size is not None:
        rgb = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)
    gray = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    points, descriptors = ORB.detectAndCompute(gray, None)
    return points, descriptors


def match(current, keyframe):
    if current[1] is None or keyframe[1] is None:
        return []
    return MATCHER.match(current[1], keyframe[1])


def overlap(current, keyframe, matches, width, height, tolerance=5.0):
    """Overlap ratio and inliers; None where the rule keeps the frame for want of evidence."""
    if len(matches) <= 10:
        return None, 0
    source = np.float32([current[0][m.queryIdx].pt for m in matches]).reshape(-1, 1, 2)
    target = np.float32([keyframe[0][m.trainIdx].pt for m in matches]).reshape(-1, 1, 2)
    h, mask = cv2.findHomography(source, target, cv2.RANSAC, tolerance)
    if h is None:
        return None, 0
    outline = np.float32([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]).reshape(-1, 1, 2)
    warped = cv2.perspectiveTransform(outline, h)
    if cv2.isContourConvex(warped):
        area = cv2.intersectConvexConvex(warped, outline)[0] / ((width - 1) * (height - 1))
    else:
        canvas = np.zeros((height, width), np.uint8)
        cv2.fillPoly(canvas, [np.clip(np.nan_to_num(warped), -30000, 30000).astype(np.int32)], 1)
        area = float(canvas.mean())
    return float(area), int(mask.sum())


def keeps(ratio):
    return ratio is None or ratio < THRESHOLD


def rule(request):
    """The rule over a clip; `shuffles` further verdicts on each pair with the matches in another order."""
    frames = load(request)
    height, width = frames.shape[1:3]
    shuffles = request.get("shuffles", 0)
    held = request.get("keyframes")
    random = np.random.default_rng(7)
    rows, keyframe, keyframe_index = [], None, 0
    for index in range(len(frames)):
        current = look(np.ascontiguousarray(frames[index]))
        if index == 0:
            keyframe = current
            continue
        if held is not None and held[index] != keyframe_index:
            keyframe_index = held[index]
            keyframe = look(np.ascontiguousarray(frames[keyframe_index]))
        matches = match(current, keyframe)
        ratio, inliers = overlap(current, keyframe, matches, width, height)
        again = []
        for _ in range(shuffles):
            order = list(matches)
            random.shuffle(order)
            again.append(keeps(overlap(current, keyframe, order, width, height)[0]))
        rows.append(
            {
                "frame": index,
                "keyframe": keyframe_index,
                "keep": keeps(ratio),
                "overlap": ratio,
                "matches": len(matches),
                "inliers": inliers,
                "shuffled": again,
            }
        )
        if held is None and keeps(ratio):
            keyframe, keyframe_index = current, index
    return {"decisions": rows}


def timing(request):
    """Milliseconds for each frame against a cached keyframe; with `small`, on frames shrunk beforehand."""
    frames = load(request)
    size = request.get("small")
    tolerance = 5.0
    if size is not None:
        tolerance *= size[0] / frames.shape[2]
    prepared = [np.ascontiguousarray(frames[i]) for i in request["frames"]]
    if size is not None:
        prepared = [cv2.resize(f, tuple(size), interpolation=cv2.INTER_AREA) for f in prepared]
    height, width = prepared[0].shape[:2]
    keyframe = look(prepared[0])
    spent = []
    for frame in prepared[1:]:
        start = time.perf_counter()
        current = look(frame)
        matches = match(current, keyframe)
        ratio, _ = overlap(current, keyframe, matches, width, height, tolerance)
        spent.append(1000 * (time.perf_counter() - start))
        if keeps(ratio):
            keyframe = current
    return {"ms": spent}


def main():
    handlers = {"rule": rule, "timing": timing, "version": lambda _: {"version": cv2.__version__}}
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(handlers[request["kind"]](request)), flush=True)


if __name__ == "__main__":
    main()
