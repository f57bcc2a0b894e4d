import { createHash } from "node:crypto";
import { z } from "zod";

/** An endpoint that receives events of calls, as Standard Webhooks. */
export interface WebhookConfig {
  readonly url: string;
  /** The name of the secret that signs the messages. */
  readonly secret: string;
  /** The events to send. */
  readonly events?: readonly string[];
  /** Only calls of these principals. */
  readonly principals?: readonly string[];
  /** Only calls of these tenants. */
  readonly tenants?: readonly string[];
  /** Whether the endpoint notifies people, as a chat or a pager does. */
  readonly people?: boolean;
  /** Whether addresses of this machine are allowed, for development. */
  readonly allowLoopback?: boolean;
}

/** A configured endpoint and its id. */
export interface Endpoint extends WebhookConfig {
  /** The id, which derives from the address. An endpoint at a new address is a new endpoint. */
  readonly id: string;
}

const text = z.string().min(1);

/** The schema of an endpoint. It reports a fault at the start of the process, not at the first event. */
export const webhookSchema = z.strictObject({
  url: z
    .string()
    .refine(isEndpointUrl, "expected an http(s) address without a user or password in it")
    .describe("The address that receives the events, without a user or password in it."),
  secret: text.describe(
    "The name of the secret that holds each tenant's signing secret (`whsec_…`). During a rotation it holds two, separated by a space.",
  ),
  events: z
    .array(text)
    .optional()
    .describe(
      "The events to send: `succeeded`, `asked`, `observation`, `*` (all), or full names such as `dev.paraph.call.*.v1` (default: all events of calls).",
    ),
  principals: z.array(text).optional().describe("Only calls of these principals (default: all)."),
  tenants: z.array(text).optional().describe("Only calls of these tenants (default: all)."),
  people: z
    .boolean()
    .optional()
    .describe(
      "Whether the endpoint notifies people, as a chat or a pager does (default: false). Such an endpoint receives only the first five approvals of a flood. The inbox bundles the rest.",
    ),
  allowLoopback: z
    .boolean()
    .optional()
    .describe("Whether addresses of this machine are allowed, for development (default: false)."),
} satisfies Record<keyof WebhookConfig, z.ZodType>);

function isEndpointUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return ["https:", "http:"].includes(protocol) && username === "" && password === "";
}

/** Returns the endpoints with their ids. */
export function createEndpoints(configs: readonly WebhookConfig[] = []): readonly Endpoint[] {
  return configs.map((config) => ({
    ...config,
    id: createHash("sha256").update(config.url).digest("hex").slice(0, 16),
  }));
}

/** Returns whether the endpoint's configuration selects this event. */
export function isSubscribed(
  { events = ["dev.paraph.call.*"], principals, tenants }: Endpoint,
  { tenant, principal, type }: { tenant: string; principal: string | null; type: string },
): boolean {
  if (principals && (principal === null || !principals.includes(principal))) return false;
  if (tenants && !tenants.includes(tenant)) return false;
  const name = type.split(".").at(-2) ?? type;
  return events.some((pattern) => matchesPattern(type, pattern) || matchesPattern(name, pattern));
}

/**
 * Returns whether the endpoint's configuration selects observations, without regard to its `tenants`. For other
 * endpoints, Paraph writes no rows about observations.
 */
export function wantsObservations({ tenants: _, ...endpoint }: Endpoint): boolean {
  return isSubscribed(endpoint, { tenant: "", principal: null, type: "dev.paraph.observation.v1" });
}

function matchesPattern(name: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
