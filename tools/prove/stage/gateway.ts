import { ID_PREFIX, newId } from "@gold-partner/protocol";
import { ensureAuthorities, startGateway } from "@gold-partner/dev";
import type { Deployment } from "./deployment.ts";

/** Opens the development gateway in front of all processes. It ends with the deployment. */
export async function openGateway(deployment: Deployment): Promise<void> {
  const { state, operator, servers, port } = deployment;
  const { partnerCa, cert, key } = await ensureAuthorities(state, operator);
  const gateway = await startGateway({
    port,
    ca: partnerCa,
    cert,
    key,
    upstreams: servers.map(({ socket }) => socket),
    newRequestId: () =>
      newId(ID_PREFIX.request, Date.now(), (n) => crypto.getRandomValues(new Uint8Array(n))),
  });
  deployment.onStop(() => gateway.close());
}
