import { createHmac, timingSafeEqual } from "node:crypto";
import type { InboundRequest } from "../channel.ts";

/** The maximum difference between the time of a request and the current time. */
const maxAgeSeconds = 300;

/**
 * [TRUST 4] Returns whether Slack signed the request within the last five minutes. The signature covers the time and the
 * whole body. A request that arrives twice is valid twice, so every effect must recognise itself.
 */
export function isSignedBySlack(request: InboundRequest, signingSecret: string, now: number): boolean {
  const time = request.header("x-slack-request-timestamp") ?? "";
  const given = Buffer.from(request.header("x-slack-signature") ?? "");
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1_000 - Number(time)) > maxAgeSeconds) return false;
  const mac = createHmac("sha256", signingSecret.trim()).update(`v0:${time}:${request.body}`).digest("hex");
  const expected = Buffer.from(`v0=${mac}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
