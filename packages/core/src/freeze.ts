/** A kill switch for a subject. Paraph neither accepts nor performs calls of the subject until a person thaws it. */
export interface Freeze {
  readonly id: string;
  readonly kind: FreezeKind;
  /** The id of a principal or tenant, or the name of a capability or adapter. */
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
