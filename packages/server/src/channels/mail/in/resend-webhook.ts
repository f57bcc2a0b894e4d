import { z } from "zod";
import { isSignedMessage } from "../../../webhooks/index.ts";
import type { HandleContext, InboundHandler } from "../../channel.ts";
import { receivedPath } from "../options.ts";
import { createResendClient, type ResendClient } from "../resend-client.ts";
import { createHandleDeps, maxMailBytes, type RepliesOptions } from "./handle-deps.ts";
import { handleMail } from "./handle-mail.ts";
import { createResolver, type ResolveDns } from "./sender-proof.ts";

const received = z.object({
  type: z.literal("email.received"),
  data: z.object({ email_id: z.string().regex(/^[\w-]{1,100}$/) }),
});
const mailInfo = z.object({ raw: z.object({ download_url: z.url() }) });

/**
 * [TRUST 3] Handles the webhook of a received mail. The webhook only names the mail. Paraph downloads the mail as it
 * arrived and verifies its signature itself, whatever Resend says about it. Resend repeats a webhook that fails, so the
 * response is 200 only if the mail was handled. A repeated webhook finds the reply recorded, and has no second effect.
 */
export function handleByWebhook(
  options: RepliesOptions,
  resolve: ResolveDns = createResolver(),
): InboundHandler {
  const { resend } = options.replies;
  return {
    path: receivedPath,
    async handle({ header, body }, context) {
      if (!resend) return { status: 401 };
      const client = createResendClient(resend);
      try {
        if (!(await isSigned(header, body, resend.webhookSecret, context))) {
          context.log("reply-webhook-refused");
          return { status: 401 };
        }
        const webhook = received.safeParse(parseJson(body));
        if (!webhook.success) return { status: 200 };
        const key = await context.credential(resend.secret);
        const raw = await download(webhook.data.data.email_id, key, client);
        if (raw) await handleMail(raw, createHandleDeps(options, context, resolve));
        else context.log("reply-ignored", { cause: "mail-gone" });
        return { status: 200 };
      } catch (error) {
        return answerFailure(error, context);
      } finally {
        await client.close();
      }
    },
  };
}

async function isSigned(
  header: (name: string) => string | undefined,
  body: string,
  secretName: string,
  { credential, ports }: HandleContext,
): Promise<boolean> {
  const id = header("svix-id") ?? "";
  const timestamp = Number(header("svix-timestamp") ?? Number.NaN);
  const message = { id, timestamp, body };
  return isSignedMessage(
    message,
    header("svix-signature") ?? "",
    await credential(secretName),
    ports.clock.now(),
  );
}

/** Returns a mail as it arrived, or undefined if Resend does not have it. */
async function download(id: string, key: string, client: ResendClient): Promise<Buffer | undefined> {
  const { status, body } = await client.call({
    method: "GET",
    path: `/emails/receiving/${id}?html_format=cid`,
    key,
  });
  if (status === 404) return undefined;
  if (status !== 200)
    throw Object.assign(new Error("Resend did not return a mail."), { code: `resend-http-${status}` });
  return client.download(mailInfo.parse(body).raw.download_url, maxMailBytes);
}

function answerFailure(error: unknown, { log }: HandleContext) {
  const { code } = error as { readonly code?: unknown };
  if (code === "too-large") {
    log("reply-ignored", { cause: code });
    return { status: 200 } as const;
  }
  const cause = typeof code === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(code) ? code : "failed";
  log("replies-unavailable", { cause: cause.toLowerCase() });
  return { status: 503 } as const;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
