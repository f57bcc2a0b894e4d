import { isScope } from "@paraph/core";
import type { OidcConfig } from "./config.ts";

type Claims = Readonly<Record<string, unknown>>;

/** Who the claims are about, by the claim that the configuration says. */
export function readSubject(claims: Claims, { subject = "sub" }: OidcConfig): string | undefined {
  // Anybody can write any address into a profile.
  if (subject === "email" && claims.email_verified !== true) return undefined;
  return parseName(claims[subject]);
}

/** A person's groups; undefined where the issuer is not asked for them or says nothing. */
export function readGroups(claims: Claims, { groups }: OidcConfig): readonly string[] | undefined {
  const claimed = groups === undefined ? undefined : claims[groups];
  if (!Array.isArray(claimed)) return undefined;
  return claimed.map(parseName).filter((group) => group !== undefined);
}

/** A token's own scopes narrow it; one that names none of ours is as wide as its principal. */
export function readScopes({ scope, scp }: Claims): readonly string[] | undefined {
  const words = [scope, scp].flatMap((claim) => (typeof claim === "string" ? claim.split(" ") : claim));
  const ours = words.filter((word) => typeof word === "string" && isScope(word)) as string[];
  return ours.length > 0 ? ours : undefined;
}

/** As ids of principals and names of groups may be written. */
export function parseName(value: unknown): string | undefined {
  return typeof value === "string" && /^[^\p{Cc}]{1,255}$/u.test(value) && value.isWellFormed()
    ? value
    : undefined;
}
