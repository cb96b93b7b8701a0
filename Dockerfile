# syntax=docker/dockerfile:1
# Two images of the same server:
#   docker build --target cpu  -t saccade .
#   docker build --target cuda -t saccade:cuda .

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

# The CUDA provider is too large for the npm package; its install script fetches it.
FROM build AS build-cuda
RUN ONNXRUNTIME_NODE_INSTALL=cuda12 node node_modules/onnxruntime-node/script/install

FROM node:22-bookworm-slim AS cpu
RUN apt-get update \
  && apt-get install -y --no-install-recommends ffmpeg tini \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/models ./models
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 SACCADE_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/src/main.js"]

FROM nvidia/cuda:12.8.1-cudnn-runtime-ubuntu24.04 AS cuda
RUN apt-get update \
  && apt-get install -y --no-install-recommends ffmpeg tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --create-home --shell /bin/bash saccade \
  && install -d -o saccade -g saccade /data
COPY --from=node:22-bookworm-slim /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=build-cuda /app/package.json ./
COPY --from=build-cuda /app/node_modules ./node_modules
COPY --from=build-cuda /app/dist ./dist
COPY --from=build-cuda /app/prisma ./prisma
COPY --from=build-cuda /app/models ./models
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 SACCADE_DATA_DIR=/data LM_DEVICE=cuda
USER saccade
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/src/main.js"]
