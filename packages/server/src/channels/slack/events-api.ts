import type { HandleContext, InboundRequest, InboundResponse } from "../channel.ts";
import { handlePayload } from "./handle-payload.ts";
import { isSignedBySlack } from "./signature.ts";
import { type SlackClient, SlackError } from "./slack-client.ts";

/**
 * Handles a request of the Events API. Slack repeats a request that fails, so the response is 200 only if the payload was
 * handled.
 */
export async function handleRequest(
  request: InboundRequest,
  signingSecret: string,
  client: SlackClient,
  context: HandleContext,
): Promise<InboundResponse> {
  try {
    const secret = await context.credential(signingSecret);
    if (!isSignedBySlack(request, secret, context.ports.clock.now())) {
      context.log("slack-signature-invalid");
      return { status: 401 };
    }
    const payload = readPayload(request);
    if (payload === undefined) return { status: 400 };
    const json = await handlePayload(payload, client, context);
    return { status: 200, ...(json && { json }) };
  } catch (error) {
    context.log("slack-failed", { cause: error instanceof SlackError ? error.code : "failed" });
    return { status: 503 };
  }
}

/** Returns the payload: the body of an event, or the form field of an interaction. */
function readPayload({ header, body }: InboundRequest): unknown {
  const isForm = header("content-type")?.startsWith("application/x-www-form-urlencoded");
  try {
    return JSON.parse((isForm ? new URLSearchParams(body).get("payload") : body) ?? "");
  } catch {
    return undefined;
  }
}
