// What the HTTP API answers about those who administer and what they did, as far as the command line reads it.

export interface Me {
  readonly tenant: string;
  readonly id: string;
}

export interface Freeze {
  readonly freeze: string;
  readonly kind: string;
  readonly subject: string;
  readonly by: string;
  readonly at: string;
}

export type Bound = Readonly<Record<string, unknown>>;

export interface Grant {
  readonly grant: string;
  readonly capability: string;
  readonly principal?: string;
  readonly bounds: Readonly<Record<string, Bound>>;
  readonly people: readonly { readonly by: string }[];
  readonly countLeft: number;
  readonly expiresAt: string;
  readonly breakGlass: boolean;
}

export interface Key {
  readonly key: string;
  readonly principal: string;
  readonly scopes?: readonly string[];
  readonly label?: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsed?: string;
}

export interface Principal {
  readonly id: string;
  readonly kind: string;
  readonly owner?: string;
  readonly groups: readonly string[];
  readonly disabledAt?: string;
}

export interface Group {
  readonly group: string;
  readonly members: readonly string[];
}

export interface InFlight {
  readonly call: string;
  readonly capability: string;
  readonly attempt: number;
  readonly at: string;
}
