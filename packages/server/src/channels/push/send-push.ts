import type { PushSubscription } from "../../postgres/index.ts";
import { createSender } from "../../webhooks/index.ts";
import type { Channel, ChannelContext, Delivery } from "../channel.ts";
import { composePush, type PushMessage } from "./payload.ts";
import type { PushOptions } from "./push.ts";
import { readVapidKeys, type VapidKeys } from "./vapid.ts";

/**
 * Opens the push channel. It sends a message to all devices of the recipient, and deletes the devices that their push
 * service no longer knows. The message counts as sent if one device's push service accepted it.
 */
export function openPush(options: PushOptions, { credential, devices }: ChannelContext): Channel {
  const sender = createSender({ allowLoopback: options.allowLoopback === true });

  return {
    async tell(message, signal) {
      const { tenant, address: person, content } = message;
      // Only a channel that reads replies sends answers to them.
      if (content.kind === "answer" || content.kind === "mail-request")
        return { kind: "failed", code: "push-no-answers", permanent: true };
      let keys: VapidKeys;
      try {
        keys = readVapidKeys(await credential(options.secret));
      } catch {
        return { kind: "failed", code: "push-key-invalid", permanent: false };
      }
      const composed = composePush(message, content);
      const sendTo = async (subscription: PushSubscription) => {
        const request = await encryptPush(composed, subscription, options.contact, keys);
        if (!request) return "push-encryption-failed";
        const code = await sender.send(subscription.endpoint, request.headers, request.body, signal);
        return code === undefined ? undefined : `push-${code}`;
      };
      const found = await devices.listSubscriptions(tenant, person);
      const results = await Promise.all(
        found.map(async (device) => ({ id: device.id, code: await sendTo(device) })),
      );
      for (const { id, code } of results)
        if (code !== undefined && goneCodes.includes(code)) await devices.remove(tenant, person, id);
      const accepted = results.filter(({ code }) => code === undefined).map(({ id }) => id);
      if (accepted.length === 0) return toFailure(results.flatMap(({ code }) => code ?? []));
      await devices.markUsed(tenant, accepted);
      return { kind: "sent", providerId: accepted.join(" ") };
    },
    close: () => sender.close(),
  };
}

/** The answers with which a push service says that a subscription ended (RFC 8030). */
const goneCodes: readonly string[] = ["push-http-404", "push-http-410"];

/** The answers that mean that this message to this device would fail again. */
const permanentCodes: readonly string[] = [
  ...goneCodes,
  ...["push-http-400", "push-http-413", "push-encryption-failed", "push-address-not-allowed"],
];

function toFailure(codes: readonly string[]): Delivery {
  const temporary = codes.find((code) => !permanentCodes.includes(code));
  if (temporary !== undefined) return { kind: "failed", code: temporary, permanent: false };
  const refused = codes.find((code) => !goneCodes.includes(code));
  return { kind: "failed", code: refused ?? "push-no-device", permanent: true };
}

/** Encrypts the message for one device (RFC 8291). Returns undefined if the device's keys are not usable. */
async function encryptPush(
  { payload, ttl, urgency, topic }: PushMessage,
  { endpoint, p256dh, auth }: PushSubscription,
  contact: string,
  keys: VapidKeys,
): Promise<{ readonly headers: Record<string, string>; readonly body: Buffer } | undefined> {
  // A server without the push channel starts sooner without this library.
  const { default: webPush } = await import("web-push");
  try {
    const { headers, body } = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(payload),
      {
        vapidDetails: { subject: contact, ...keys },
        TTL: ttl,
        urgency,
        topic,
        contentEncoding: "aes128gcm",
      },
    );
    if (!body) return undefined;
    const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    return { headers: Object.fromEntries(entries), body };
  } catch {
    return undefined;
  }
}
