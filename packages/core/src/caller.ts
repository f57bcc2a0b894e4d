import type { Principal } from "./principal.ts";

/** Who asks, how they proved it, and how far the proof reaches. */
export interface Caller {
  readonly principal: Principal;
  readonly how: "key" | "token" | "session";
  /** Undefined: as far as the principal itself may go. */
  readonly scopes?: readonly string[];
  /** When the proof ends by itself. */
  readonly expiresAt?: number;
}

export type Scope = "calls" | "read" | "decide" | "admin";

/** `calls` is any capability, `calls:files.*` those whose names fit. */
const scopePattern = /^(?:calls(?::[a-z0-9_.*]{1,128})?|read|decide|admin)$/;

export function isScope(text: string): boolean {
  return scopePattern.test(text);
}

/** Whether the proof reaches so far; what the principal itself may is another question. */
export function hasScope({ scopes }: Caller, scope: Scope): boolean {
  if (scopes === undefined || scopes.includes(scope)) return true;
  return scope === "calls" && scopes.some((given) => given.startsWith(capabilityScopePrefix));
}

/** Administration is never among the calls that a scope means without naming it. */
export function hasCapabilityScope({ scopes }: Caller, capability: string): boolean {
  if (scopes === undefined) return true;
  if (capability.startsWith("admin.")) return scopes.includes("admin");
  return scopes.some(
    (given) =>
      given === "calls" ||
      (given.startsWith(capabilityScopePrefix) &&
        matchesPattern(given.slice(capabilityScopePrefix.length), capability)),
  );
}

const capabilityScopePrefix = "calls:";

/** `*` stands for any characters, none included. */
function matchesPattern(pattern: string, name: string): boolean {
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
