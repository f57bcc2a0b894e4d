// Views of administration in the HTTP API, limited to the fields that the command line reads.

export interface MeView {
  readonly tenant: string;
  readonly id: string;
}

export interface FreezeView {
  readonly freeze: string;
  readonly kind: string;
  readonly subject: string;
  readonly by: string;
  readonly at: string;
}

export type BoundView = Readonly<Record<string, unknown>>;

export interface GrantView {
  readonly grant: string;
  readonly capability: string;
  readonly principal?: string;
  readonly bounds: Readonly<Record<string, BoundView>>;
  readonly people: readonly { readonly by: string }[];
  readonly countLeft: number;
  readonly expiresAt: string;
  readonly breakGlass: boolean;
}

export interface PasskeyView {
  readonly credential: string;
  readonly person: string;
  readonly label: string;
  readonly fingerprint: string;
  readonly createdAt: string;
  readonly usedAt?: string;
}

export interface KeyView {
  readonly key: string;
  readonly principal: string;
  readonly scopes?: readonly string[];
  readonly label?: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsed?: string;
}

export interface PrincipalView {
  readonly id: string;
  readonly kind: string;
  readonly owner?: string;
  readonly state: string;
  readonly groups: readonly string[];
  readonly disabledAt?: string;
  readonly lastUsed?: string;
  /** The configured channels that reach the person. Missing if no channel is configured. */
  readonly channels?: readonly string[];
}

export interface GroupView {
  readonly group: string;
  readonly members: readonly string[];
}

export interface InFlightView {
  readonly call: string;
  readonly capability: string;
  readonly attempt: number;
  readonly at: string;
}
