import type { Principal } from "./principal.ts";

/**
 * An authenticated requester: the principal, the kind of credential that it used, and the scopes of that credential.
 */
export interface Caller {
  readonly principal: Principal;
  readonly how: "key" | "token" | "session";
  /** The scopes of the credential. Undefined means that the credential allows everything that the principal may do. */
  readonly scopes?: readonly string[];
  /** The time at which the credential expires. */
  readonly expiresAt?: number;
}

/** An area that an API key can be restricted to. */
export type Scope = "calls" | "read" | "decide" | "admin";

/**
 * `calls` allows calls of any capability. `calls:files.*` allows only calls of capabilities whose names match
 * `files.*`.
 */
const scopePattern = /^(?:calls(?::[a-z0-9_.*]{1,128})?|read|decide|admin)$/;

/** Returns whether a text is a valid scope. */
export function isScope(text: string): boolean {
  return scopePattern.test(text);
}

/** Returns whether the credential has the scope. It does not check the rights of the principal. */
export function hasScope({ scopes }: Caller, scope: Scope): boolean {
  if (scopes === undefined || scopes.includes(scope)) return true;
  return scope === "calls" && scopes.some((given) => given.startsWith(capabilityScopePrefix));
}

/**
 * Returns whether the credential may call the capability. Only the scope `admin` includes capabilities of
 * administration.
 */
export function hasCapabilityScope(
  { scopes }: Pick<Caller, "principal" | "scopes">,
  capability: string,
): boolean {
  if (scopes === undefined) return true;
  if (capability.startsWith("admin.")) return scopes.includes("admin");
  return scopes.some(
    (given) =>
      given === "calls" ||
      (given.startsWith(capabilityScopePrefix) &&
        matchesNamePattern(given.slice(capabilityScopePrefix.length), capability)),
  );
}

const capabilityScopePrefix = "calls:";

/** Returns whether the name of a capability matches a pattern. `*` matches any number of characters, including none. */
export function matchesNamePattern(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!name.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return name === first;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
