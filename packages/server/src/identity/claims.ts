import { isScope, principalIdPatterns } from "@paraph/core";
import type { OidcConfig } from "./config.ts";

type Claims = Readonly<Record<string, unknown>>;

/** Returns the subject from the configured claim. */
export function readSubject(claims: Claims, { subject = "sub" }: OidcConfig): string | undefined {
  // An unverified email address proves nothing, because people can enter any address.
  if (subject === "email" && claims.email_verified !== true) return undefined;
  return parseName(claims[subject]);
}

/** Returns a person's groups, or undefined if no groups claim is configured or the issuer does not send it. */
export function readGroups(claims: Claims, { groups }: OidcConfig): readonly string[] | undefined {
  const claimed = groups === undefined ? undefined : claims[groups];
  if (!Array.isArray(claimed)) return undefined;
  return claimed.map(parseName).filter((group) => group !== undefined);
}

/** Returns the person's mail address, if the issuer verified it. */
export function readMailAddress({ email, email_verified }: Claims): string | undefined {
  return email_verified === true && typeof email === "string" ? email : undefined;
}

/** Returns the token's Paraph scopes. A token without any of them has the full rights of its principal. */
export function readScopes({ scope, scp }: Claims): readonly string[] | undefined {
  const words = [scope, scp].flatMap((claim) => (typeof claim === "string" ? claim.split(" ") : claim));
  const ours = words.filter((word) => typeof word === "string" && isScope(word)) as string[];
  return ours.length > 0 ? ours : undefined;
}

/** Returns the value if it is valid as a principal's id or a group's name. */
export function parseName(value: unknown): string | undefined {
  return typeof value === "string" && principalIdPatterns.existing.test(value) ? value : undefined;
}
