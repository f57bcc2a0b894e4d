import type { Grant } from "../grant.ts";
import type { Json } from "../json.ts";
import { sameJson } from "./digest.ts";
import { type Sealer, sealableText } from "./seal.ts";

/**
 * [TRUST 32] Returns the grant with a seal over its original terms. The remaining count and amount change, so the seal
 * does not cover them.
 */
export function sealGrant(tenant: string, grant: Grant, sealer: Sealer): Grant {
  const { people, countLeft, amountLeft } = grant;
  const given = { people, count: countLeft, ...(amountLeft !== undefined && { amount: amountLeft }) };
  return { ...grant, given: { ...given, seal: sealer.seal(toText(tenant, grant, given)) } };
}

/**
 * Returns whether a grant still has its original terms. Every person that the grant names must be in the original
 * grant. The remaining calls and money must not exceed the original count and amount.
 */
export function isGrantProven(tenant: string, grant: Grant, sealer: Sealer): boolean {
  if (!grant.given) return false;
  const { seal, ...given } = grant.given;
  return (
    sealer.isSealed(toText(tenant, grant, given), seal) &&
    grant.countLeft <= given.count &&
    (grant.amountLeft ?? Number.POSITIVE_INFINITY) <= (given.amount ?? Number.POSITIVE_INFINITY) &&
    grant.people.every((person) => given.people.some((one) => sameJson(asJson(one), asJson(person))))
  );
}

type Given = Omit<NonNullable<Grant["given"]>, "seal">;

function toText(tenant: string, grant: Grant, { people, count, amount }: Given): string {
  const { id, capability, principal = null, bounds, expiresAt, destroy = false, breakGlass = false } = grant;
  return sealableText("grant", {
    tenant,
    id,
    capability,
    principal,
    bounds: asJson(bounds),
    expiresAt,
    destroy,
    breakGlass,
    people: asJson(people),
    count,
    amount: amount ?? null,
  });
}

function asJson(value: unknown): Json {
  return value as Json;
}
