// Run this first against a deployment: one partner keeps its connections open and reads the service's health.
//   k6 run loadtest/health.ts
import { check, sleep } from "k6";
import http from "k6/http";
import { announce, connectionOf, openPartner } from "./lib/partner.ts";

const partner = openPartner();

export const options = {
  ...connectionOf(partner),
  vus: 4,
  duration: "10s",
  thresholds: { checks: ["rate==1"], http_req_duration: ["p(95)<200"] },
};
export const setup = () => announce(partner);

export default function (): void {
  const reply = http.get(`${partner.base_url}/health`);
  check(reply, { "is up": ({ status, body }) => status === 200 && body === '{"status":"ok"}' });
  sleep(0.1);
}
