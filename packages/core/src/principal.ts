/** Who asks: an agent, a service or a person, inside a tenant. */
export interface Principal {
  readonly tenant: string;
  readonly id: string;
  readonly kind: "agent" | "person" | "service";
  /** The person answerable for an agent or a service. */
  readonly owner?: string;
  /** The person an agent acts for in this call, where its token says so. */
  readonly onBehalfOf?: string;
  /** Names of the groups it is in, roles among them (`paraph:admins`). None given: none. */
  readonly groups?: readonly string[];
  /** [TRUST 33] It is disabled, or it or the person it acts for is a frozen person: it may do nothing. */
  readonly barred?: "frozen" | "disabled";
}

/** Groups that Paraph itself gives a meaning: who may administer, who may read everything, who may break the glass. */
export const roles = {
  admins: "paraph:admins",
  auditors: "paraph:auditors",
  breakGlass: "paraph:break-glass",
} as const;

/** People see every call of their tenant, and so do auditors; anyone else sees their own. */
export function seesEverything({ kind, groups }: Principal): boolean {
  return kind === "person" || (groups?.includes(roles.auditors) ?? false);
}
