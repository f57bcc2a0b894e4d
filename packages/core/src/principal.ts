/** An identity that Paraph authenticates: an agent, a service or a person of one tenant. */
export interface Principal {
  readonly tenant: string;
  readonly id: string;
  readonly kind: "agent" | "person" | "service";
  /** The person who is responsible for an agent or a service. */
  readonly owner?: string;
  /** The person for whom an agent acts in this call, if its token names one. */
  readonly onBehalfOf?: string;
  /**
   * The names of the principal's groups, including roles such as `paraph:admins`. Undefined means that it has no
   * groups.
   */
  readonly groups?: readonly string[];
  /**
   * [TRUST 33] Set if the principal may do nothing, because it is disabled, is a frozen person, or acts for a frozen
   * person.
   */
  readonly barred?: "frozen" | "disabled";
}

/** The texts that can be the id of a principal. */
export const principalIdPatterns = {
  /**
   * The id of an existing principal, or the name of a group. An identity provider chooses it, so spaces and letters of
   * every script are allowed. Control characters are not, as in the database.
   */
  existing: /^[^\p{Cc}\p{Cs}]{1,255}$/u,
  /**
   * The id that a person chooses for a new principal. Only visible ASCII is allowed, so that the new id cannot look like
   * the id of another principal.
   */
  new: /^[\x21-\x7e]{1,255}$/,
} as const;

/**
 * The groups to which Paraph gives a meaning: administrators, auditors, and people who may create break-glass grants.
 */
export const roles = {
  admins: "paraph:admins",
  auditors: "paraph:auditors",
  breakGlass: "paraph:break-glass",
} as const;

/**
 * Returns whether the principal sees every call of its tenant. People and auditors do, and other principals see only
 * their own calls.
 */
export function seesEverything({ kind, groups }: Principal): boolean {
  return kind === "person" || (groups?.includes(roles.auditors) ?? false);
}
