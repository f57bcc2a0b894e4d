import { isIP } from "node:net";
import { createEgressPolicy } from "@paraph/adapters/egress";
import { schemaFaults } from "@paraph/core";
import { z } from "zod";
import type { ChannelConfig } from "../channel.ts";
import { openPush } from "./send-push.ts";
import { readVapidKeys } from "./vapid.ts";

/** The options of the push channel. */
export interface PushOptions {
  /** A mail address (`mailto:…`) or an `https` address, where operators of push services can reach you. */
  readonly contact: string;
  /** The name of the secret that holds the private VAPID key. */
  readonly secret: string;
  /** The maximum number of notices per minute to all recipients together. */
  readonly maxPerMinute?: number;
  /** The maximum number of notices per minute to one recipient. */
  readonly maxPerRecipient?: number;
  /** Whether push services on this machine are allowed, also without TLS, for development. */
  readonly allowLoopback?: boolean;
}

const count = z.int().min(1).max(1_000_000);

const pushSchema = z.strictObject({
  contact: z.string().refine(isContact, "expected `mailto:ops@example.com` or an `https` address"),
  secret: z.string().min(1),
  maxPerMinute: count.optional(),
  maxPerRecipient: count.optional(),
  allowLoopback: z.boolean().optional(),
} satisfies Record<keyof PushOptions, z.ZodType>);

/** Tells approvers by push notifications, in browsers and in the installed pages. */
export function push(options: PushOptions): ChannelConfig {
  const { secret, maxPerMinute = 1_000, maxPerRecipient = 20, allowLoopback = false } = options;
  return {
    name: "push",
    maxPerMinute,
    maxPerRecipient,
    secrets: [secret],
    faults: schemaFaults(pushSchema, options),
    subscriptions: {
      publicKey: async ({ credential }) => readVapidKeys(await credential(secret)).publicKey,
      allowsEndpoint: (endpoint) => isPushEndpoint(endpoint, allowLoopback),
    },
    open: (context) => openPush(options, context),
  };
}

function isContact(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, pathname } = new URL(address);
  return protocol === "https:" || (protocol === "mailto:" && /^[^@\s]+@[^@\s]+$/.test(pathname));
}

/**
 * [TRUST 17] Returns whether a browser may name this address: `https`, without a user or password, and not a private
 * address. A name that resolves to a private address is rejected when Paraph connects to it.
 */
function isPushEndpoint(endpoint: string, allowLoopback: boolean): boolean {
  if (endpoint.length > 2_048 || !URL.canParse(endpoint)) return false;
  const { protocol, hostname, port, username, password } = new URL(endpoint);
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  if (username !== "" || password !== "") return false;
  if (allowLoopback && host === "127.0.0.1") return true;
  return protocol === "https:" && (isIP(host) === 0 || createEgressPolicy().allows(host, Number(port), host));
}
