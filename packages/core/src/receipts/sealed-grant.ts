import type { Grant } from "../grant.ts";
import type { Json } from "../json.ts";
import { sameJson } from "./digest.ts";
import { type Sealer, sealableText } from "./seal.ts";

/** [TRUST 32] The grant as it was given, with a seal over all of it. What is left of it changes, and is not sealed. */
export function sealGrant(tenant: string, grant: Grant, sealer: Sealer): Grant {
  const { people, countLeft: count, amountLeft: amount } = grant;
  const given = { people, count, ...(amount !== undefined && { amount }) };
  return { ...grant, given: { ...given, seal: sealer.seal(toText(tenant, grant, given)) } };
}

/** A grant counts only as it was given: by no other people, for no more calls, for no more money. */
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
