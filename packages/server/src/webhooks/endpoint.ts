import { createHash } from "node:crypto";
import { z } from "zod";

/** Where to tell what happens to calls, as Standard Webhooks. */
export interface WebhookConfig {
  readonly url: string;
  /** The credential that holds the signing secret (`whsec_…`) of each tenant; two of them, apart by a space, while one is replaced. */
  readonly secret: string;
  /**
   * Which events: `succeeded`, `asked`, `observation`, `*` (all), or names in full such as `dev.paraph.call.*.v1`. All of
   * calls unless given.
   */
  readonly events?: readonly string[];
  /** Only calls of these principals. */
  readonly principals?: readonly string[];
  /** Only calls of these tenants. */
  readonly tenants?: readonly string[];
  /** It tells people (a chat, a pager): of a flood of questions it hears of the first five, the rest is the inbox's bundle. */
  readonly people?: boolean;
  /** For development: addresses of this machine are otherwise not told anything. */
  readonly allowLoopback?: boolean;
}

export interface Endpoint extends WebhookConfig {
  /** Follows from the address: one at another address begins anew. */
  readonly id: string;
}

const text = z.string().min(1);

/** What an endpoint has to be: a fault shows when the process starts, not when something has happened. */
export const webhookSchema = z.strictObject({
  url: z.string().refine(isEndpointUrl, "expected an http(s) address without a user or password in it"),
  secret: text,
  events: z.array(text).optional(),
  principals: z.array(text).optional(),
  tenants: z.array(text).optional(),
  people: z.boolean().optional(),
  allowLoopback: z.boolean().optional(),
} satisfies Record<keyof WebhookConfig, z.ZodType>);

function isEndpointUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return ["https:", "http:"].includes(protocol) && username === "" && password === "";
}

export function createEndpoints(configs: readonly WebhookConfig[] = []): readonly Endpoint[] {
  return configs.map((config) => ({
    ...config,
    id: createHash("sha256").update(config.url).digest("hex").slice(0, 16),
  }));
}

export function isSubscribed(
  { events = ["dev.paraph.call.*"], principals, tenants }: Endpoint,
  { tenant, principal, type }: { tenant: string; principal: string | null; type: string },
): boolean {
  if (principals && (principal === null || !principals.includes(principal))) return false;
  if (tenants && !tenants.includes(tenant)) return false;
  const name = type.split(".").at(-2) ?? type;
  return events.some((pattern) => matchesPattern(type, pattern) || matchesPattern(name, pattern));
}

/** Whether it is told of any tenant's: nothing is written for those that never are. */
export function wantsObservations({ tenants: _, ...endpoint }: Endpoint): boolean {
  return isSubscribed(endpoint, { tenant: "", principal: null, type: "dev.paraph.observation.v1" });
}

function matchesPattern(name: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
