/** A kill switch for a subject. Paraph neither accepts nor performs calls of the subject until a person thaws it. */
export interface Freeze {
  readonly id: string;
  readonly kind: FreezeKind;
  /** The id of the principal, the name of the capability or of the adapter, or the id of the tenant. */
  readonly subject: string;
  readonly by: string;
  readonly at: number;
}

/** The kinds of subjects that can be frozen. */
export const freezeKinds = ["principal", "capability", "adapter", "tenant"] as const;
/** The kind of a frozen subject. */
export type FreezeKind = (typeof freezeKinds)[number];

/**
 * The adapter of administration. Only a freeze of a principal stops calls of this adapter, so that a person who froze a
 * tenant can still thaw it.
 */
export const adminAdapter = "admin";
