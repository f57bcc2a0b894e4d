import { z } from "zod";
import type { Channel, ChannelContext, Delivery } from "../channel.ts";
import type { ComposedMail } from "./message.ts";
import type { MailOptions, ResendOptions } from "./options.ts";
import { createResendClient } from "./resend-client.ts";

/** Opens the mail channel through the API of Resend. */
export function openResend(
  options: MailOptions,
  resend: ResendOptions,
  { credential }: ChannelContext,
): Channel {
  const client = createResendClient(resend);
  return {
    async tell(message, signal) {
      try {
        const { status, body } = await client.call(
          {
            method: "POST",
            path: "/emails",
            key: await credential(resend.secret),
            headers: { "idempotency-key": message.id },
            body: toResendMail((await import("./message.ts")).composeMail(message, options)),
          },
          signal,
        );
        return toDelivery(status, body);
      } catch (error) {
        const { code } = error as { readonly code?: unknown };
        const name = typeof code === "string" && /^[A-Za-z_-]{1,40}$/.test(code) ? code : "failed";
        const cause = name.toLowerCase().replaceAll("_", "-");
        return { kind: "failed", code: `resend-${cause}`, permanent: false };
      }
    },
    close: () => client.close(),
  };
}

/**
 * Resend may replace the Message-ID. The first mail of a thread therefore refers to the same id as the later ones, by
 * which clients put all of them into one thread.
 */
function toResendMail({
  messageId,
  from,
  to,
  replyTo,
  inReplyTo,
  references,
  headers,
  ...mail
}: ComposedMail) {
  const { subject, text, html, attachments } = mail;
  return {
    from: `${JSON.stringify(from.name)} <${from.address}>`,
    to: [to.address],
    ...(replyTo !== undefined && { reply_to: replyTo }),
    subject,
    text,
    html,
    ...(attachments && {
      attachments: attachments.map(({ filename, contentType, content }) => ({
        filename,
        content_type: contentType,
        content: Buffer.from(content).toString("base64"),
      })),
    }),
    headers: {
      ...headers,
      "Message-ID": messageId,
      References: (references ?? [messageId]).join(" "),
      ...(inReplyTo !== undefined && { "In-Reply-To": inReplyTo }),
    },
  };
}

/** The errors of Resend that have a code of their own in Paraph. */
const errorNames = [
  ...["missing_api_key", "restricted_api_key", "suspended_api_key", "invalid_permission"],
  ...["validation_error", "rate_limit_exceeded", "daily_quota_exceeded", "monthly_quota_exceeded"],
];

const sent = z.object({ id: z.string().regex(/^[\w-]{1,100}$/) });
const failed = z.object({ name: z.string() });

/**
 * Classifies an answer. A repeated message has other content, such as the time that is left and the reply address. If an
 * earlier attempt was accepted and its answer was lost, Resend therefore says that the key was used for another content.
 * Only a fault of this message is permanent. A wrong key, a domain and a quota can be repaired.
 */
function toDelivery(status: number, body: unknown): Delivery {
  if (status === 200) return { kind: "sent", providerId: sent.safeParse(body).data?.id ?? "resend" };
  const name = failed.safeParse(body).data?.name ?? "";
  if (status === 409 && name === "invalid_idempotent_request")
    return { kind: "sent", providerId: "resend-earlier-attempt" };
  const code = errorNames.includes(name) ? name.replaceAll("_", "-") : `http-${status}`;
  return { kind: "failed", code: `resend-${code}`, permanent: status === 400 || status === 422 };
}
