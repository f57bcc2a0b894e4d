import type { Caller, Principal } from "@paraph/core";

/** A caller as the SQL functions return it, with null for missing values. */
export interface CallerRow {
  readonly principal: PrincipalRow;
  readonly scopes?: readonly string[] | null;
  readonly expiresAt?: number | null;
}

export type PrincipalRow = Omit<Principal, "owner" | "barred"> & {
  readonly owner: string | null;
  readonly barred: NonNullable<Principal["barred"]> | null;
};

export function toCaller(row: CallerRow | null | undefined, how: Caller["how"]): Caller | undefined {
  if (!row) return undefined;
  const { scopes, expiresAt } = row;
  return {
    how,
    principal: toPrincipal(row.principal),
    ...(scopes && { scopes }),
    ...(expiresAt && { expiresAt }),
  };
}

export function toPrincipal({ owner, barred, ...principal }: PrincipalRow): Principal {
  return { ...principal, ...(owner !== null && { owner }), ...(barred !== null && { barred }) };
}
