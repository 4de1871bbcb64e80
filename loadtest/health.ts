// The first thing to run against a deployment: one partner's connections, kept open, ask whether the service is up.
//   k6 run -e BASE_URL=https://… -e PARTNER_CERTIFICATE=/…/tls.crt -e PARTNER_KEY=/…/tls.key loadtest/health.ts
import { check, sleep } from "k6";
import http from "k6/http";

const { BASE_URL = "https://localhost:8443", PARTNER_CERTIFICATE, PARTNER_KEY } = __ENV;

export const options = {
  vus: 4,
  duration: "10s",
  tlsAuth: [{ cert: open(PARTNER_CERTIFICATE!), key: open(PARTNER_KEY!) }],
  thresholds: { checks: ["rate==1"], http_req_duration: ["p(95)<200"] },
};

export default function (): void {
  const reply = http.get(`${BASE_URL}/health`);
  check(reply, { "is up": ({ status, body }) => status === 200 && body === '{"status":"ok"}' });
  sleep(0.1);
}
