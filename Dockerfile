# The one image of the project. It runs the service in every role, the migration, `gold`, the sidecar programs
# (configuration, trust sync, drain) and the example webhook receiver. There is no build step, because this
# version of Node runs TypeScript directly.
FROM node:24.19.0-trixie-slim
ENV NODE_ENV=production
WORKDIR /srv/gold
# The dependencies change less often than the code. They are installed before the code is copied, so that a
# build after a change of the code reuses this layer. npm installs only the workspaces whose package.json is
# copied here. The image therefore contains no dependencies of tests or tools.
COPY package.json package-lock.json .npmrc ./
COPY packages/canonical/package.json packages/canonical/
COPY packages/jws/package.json packages/jws/
COPY packages/approvals/package.json packages/approvals/
COPY packages/protocol/package.json packages/protocol/
COPY packages/command_line/package.json packages/command_line/
COPY packages/database/package.json packages/database/
COPY packages/server/package.json packages/server/
COPY packages/audit/package.json packages/audit/
COPY packages/operator/package.json packages/operator/
COPY packages/sidecar/package.json packages/sidecar/
RUN npm ci --omit=dev --include-workspace-root=false --workspaces --no-update-notifier && npm cache clean --force
# A running container installs nothing, so the image contains no package manager for Node.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-v* /usr/local/bin/yarn /usr/local/bin/yarnpkg
COPY packages packages/
COPY deploy/receiver deploy/receiver/
COPY tools/probe.mjs tools/
# docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD): gold --version and gold_build_info show the commit
# if the image is not made from a release.
ARG COMMIT=""
ENV GOLD_COMMIT=$COMMIT
# Containers share these folders as volumes. A new volume takes its owner and mode from the folder in the
# image.
RUN install --directory --owner=1000 --group=1000 --mode=0770 /run/gold /run/front /run/authority /run/loadtest /run/heads
USER 1000:1000
# A larger young generation of V8: an order costs the service less CPU time, for up to 150 MiB of memory.
ENV NODE_OPTIONS=--max-semi-space-size=64
CMD ["node", "packages/server/src/main.ts"]
