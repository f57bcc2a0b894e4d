/** The kill switch: nothing of its subject is accepted, and nothing of it acts, until it is thawed. */
export interface Freeze {
  readonly id: string;
  readonly kind: FreezeKind;
  /** The principal's id, the capability's name or the adapter's; the tenant's own for a tenant. */
  readonly subject: string;
  readonly by: string;
  readonly at: number;
}

export const freezeKinds = ["principal", "capability", "adapter", "tenant"] as const;
export type FreezeKind = (typeof freezeKinds)[number];

/**
 * The adapter of administration. Only the freeze of a principal holds its calls: whoever froze a tenant must be able to thaw it.
 */
export const adminAdapter = "admin";
