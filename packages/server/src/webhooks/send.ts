import { createAgent, createEgressPolicy } from "@paraph/adapters/egress";
import { request } from "undici";

/** A sender of messages to addresses that a third party can choose. */
export interface WebhookSender {
  /**
   * Sends a message. Returns undefined if the receiver accepted it. Otherwise returns a code, never the receiver's own
   * words.
   */
  send(
    url: string,
    headers: Record<string, string>,
    body: string | Buffer,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  close(): Promise<void>;
}

const timeoutMs = 15_000;

/** Creates a sender. It follows no redirects and ignores the response's body. */
export function createSender({ allowLoopback }: { readonly allowLoopback: boolean }): WebhookSender {
  const agent = createAgent(createEgressPolicy(allowLoopback ? ["127.0.0.0/8", "[::1]"] : []), {
    patienceMs: timeoutMs,
  });
  return {
    async send(url, headers, body, signal) {
      try {
        const response = await request(url, {
          dispatcher: agent,
          method: "POST",
          body,
          headers: { "content-type": "application/cloudevents+json", ...headers, "user-agent": "paraph" },
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        await response.body.dump({ limit: 65_536, signal }).catch(() => {});
        const { statusCode } = response;
        return statusCode >= 200 && statusCode < 300 ? undefined : `http-${statusCode}`;
      } catch (error) {
        return toSendCode(error);
      }
    },
    close: () => agent.destroy(),
  };
}

function toSendCode(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(code))
    return code.toLowerCase().replaceAll("_", "-");
  return (error as Error).name === "TimeoutError" ? "timeout" : "not-sent";
}
