/** Who asks: an agent, a service or a person, inside a tenant. */
export interface Principal {
  readonly tenant: string;
  readonly id: string;
  readonly kind: "agent" | "person" | "service";
  /** The person answerable for an agent or a service. */
  readonly owner?: string;
}
