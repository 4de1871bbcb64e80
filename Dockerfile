# One image for every process of the house: the service in each role, migration, `gold`, what stands beside Envoy, and
# the example of a webhook receiver. Nothing is built: this Node runs TypeScript as it is written.
FROM node:24.19.0-trixie-slim
ENV NODE_ENV=production
WORKDIR /srv/gold
# What changes seldom comes first. Workspaces that are not copied are not installed: no tests, no tools.
COPY package.json package-lock.json .npmrc ./
COPY packages/canonical/package.json packages/canonical/
COPY packages/jws/package.json packages/jws/
COPY packages/protocol/package.json packages/protocol/
COPY packages/database/package.json packages/database/
COPY packages/server/package.json packages/server/
COPY packages/operator/package.json packages/operator/
COPY packages/sidecar/package.json packages/sidecar/
RUN npm ci --omit=dev --include-workspace-root=false --workspaces --no-update-notifier && npm cache clean --force
# Nobody installs anything in a container that runs.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-v* /usr/local/bin/yarn /usr/local/bin/yarnpkg
COPY packages packages/
COPY deploy/receiver deploy/receiver/
COPY tools/probe.mjs tools/
# What containers share: a new volume takes its owner from here.
RUN install --directory --owner=1000 --group=1000 --mode=0770 /run/gold /run/front /run/authority /run/loadtest
USER 1000:1000
CMD ["node", "packages/server/src/main.ts"]
