import type { Limit, Ports, Principal } from "@paraph/core";
import { type Database, findPrincipalDetails, listPrincipals, readLimitUsage } from "../postgres/index.ts";
import type { NotificationChannel } from "./notifications.ts";
import type { KnownCapability, PageFilter } from "./paraph-service.ts";

/** Reads the people, agents and services of a tenant, for administrators and auditors. */
export interface PrincipalService {
  list(reader: Principal, filter: PageFilter & PrincipalFilter): Promise<readonly PrincipalSummary[]>;
  find(reader: Principal, id: string): Promise<PrincipalDetails | undefined>;
}

/** Selects principals of a list. */
interface PrincipalFilter {
  /** A part of the id. Letter case does not matter. */
  readonly q?: string;
  readonly kind?: Principal["kind"];
  readonly owner?: string;
  readonly state?: PrincipalSummary["state"];
}

/** A principal in a list for administrators. */
export interface PrincipalSummary extends Pick<Principal, "id" | "kind" | "owner"> {
  /** `invited` is a person who has never logged in. */
  readonly state: "active" | "invited" | "frozen" | "disabled";
  readonly groups: readonly string[];
  readonly createdAt: number;
  /** Present only if the principal is disabled. */
  readonly disabledAt?: number;
  /** The last use of an API key or a session in force, accurate to the minute. */
  readonly lastUsed?: number;
  /** The configured channels that reach the person. Missing if no channel is configured. */
  readonly channels?: readonly string[];
}

/** A principal with its sessions in force and the limits that count its calls. */
interface PrincipalDetails extends PrincipalSummary {
  readonly sessions: readonly { readonly seenAt: number; readonly endsAt: number }[];
  readonly limits: readonly LimitUsage[];
}

/** A configured limit, and how much of it is used now. */
interface LimitUsage extends Pick<Limit, "kind" | "max"> {
  readonly limit: string;
  /** The capability that is counted, if the limit counts each capability separately. */
  readonly capability?: string;
  /** Whether the calls of other principals count too. */
  readonly shared: boolean;
  /** The amount used in the current window, or the number of calls that act now. */
  readonly used: number;
  /** Missing for concurrency, which has no window. */
  readonly windowMs?: number;
  /** The end of the current window. Missing if nothing is used. */
  readonly resetsAt?: number;
}

const maxLimits = 100;

/** Creates the service on PostgreSQL. */
export function createPrincipalService(
  { settings }: Pick<Ports, "settings">,
  database: Database,
  channels: readonly NotificationChannel[],
  listAllowed: (principal: Principal) => readonly KnownCapability[],
): PrincipalService {
  const toSummary = ({
    channels: known,
    ...principal
  }: Awaited<ReturnType<typeof listPrincipals>>[number]): PrincipalSummary => ({
    ...principal,
    ...(channels.length > 0 &&
      principal.kind === "person" && {
        channels: channels.map(({ name }) => name).filter((name) => known.includes(name)),
      }),
  });

  /** Returns the limits of a principal, the most used first. Limits per capability are listed once they are used. */
  const listLimits = async (principal: Principal): Promise<readonly LimitUsage[]> => {
    const found = new Map<string, Limit & { readonly capability: string }>();
    for (const { contract } of listAllowed(principal))
      for (const limit of settings.limits(principal, contract, 1))
        found.set(limit.key, { ...limit, capability: contract.name });
    const limits = [...found.values()];
    if (limits.length === 0) return [];
    const usage = await readLimitUsage(database.app, principal.tenant, limits);
    const byRule = Map.groupBy(limits, ({ kind, id }) => `${kind}:${id}:`);
    return limits
      .flatMap(({ id, kind, key, max, windowMs, capability }): LimitUsage[] => {
        const rule = `${kind}:${id}:`;
        const current = usage.get(key);
        const isPerCapability = byRule.get(rule)!.length > 1;
        if (isPerCapability && !current) return [];
        const counted = key.slice(rule.length);
        return [
          {
            limit: id,
            kind,
            ...(isPerCapability && { capability }),
            shared: counted !== principal.id && !counted.endsWith(`/${principal.id}`),
            max,
            used: current?.used ?? 0,
            ...(windowMs > 0 && { windowMs, ...(current && { resetsAt: current.endsAt }) }),
          },
        ];
      })
      .sort((a, b) => b.used / b.max - a.used / a.max)
      .slice(0, maxLimits);
  };

  return {
    list: async ({ tenant }, filter) => (await listPrincipals(database.app, tenant, filter)).map(toSummary),
    async find({ tenant }, id) {
      const found = await findPrincipalDetails(database.app, tenant, id);
      if (!found) return undefined;
      const { sessions, ...principal } = found;
      const { kind, owner, groups } = principal;
      const limits = await listLimits({ tenant, id, kind, groups, ...(owner !== undefined && { owner }) });
      return { ...toSummary(principal), sessions, limits };
    },
  };
}
