import { type ExecutionContext, isJsonObject, type JsonObject } from "@paraph/core";
import { fillSecrets } from "../egress/secrets.ts";
import type { OpenapiConfig } from "./config.ts";
import { resolveReference, toList, toObject } from "./document-node.ts";

/** The place and the format of an operation's credential. */
export interface CredentialPlacement {
  readonly in: "header" | "query";
  readonly name: string;
  readonly as: "plain" | "bearer" | "basic" | "cookie";
  readonly secret: string;
}

/**
 * Returns the placements for the first security requirement whose secrets are all configured. If there is no such
 * requirement, returns an empty list.
 */
export function listPlacements(
  root: JsonObject,
  operation: JsonObject,
  credential: OpenapiConfig["credential"],
): readonly CredentialPlacement[] {
  if (credential === undefined) return [];
  const schemes = toObject(toObject(root.components).securitySchemes);
  if (Object.keys(schemes).length === 0 && typeof credential === "string")
    return [{ in: "header", name: "authorization", as: "bearer", secret: credential }];
  const ways = toList(operation.security ?? root.security).filter(isJsonObject);
  for (const way of ways) {
    const placements = Object.keys(way).map((name) => {
      const secret = typeof credential === "string" ? credential : credential[name];
      return secret === undefined
        ? undefined
        : toPlacement(toObject(resolveReference(root, schemes[name])), secret);
    });
    if (placements.length > 0 && placements.every((each) => each !== undefined)) return placements;
  }
  return [];
}

function toPlacement(scheme: JsonObject, secret: string): CredentialPlacement | undefined {
  const authorization = { in: "header", name: "authorization", secret } as const;
  switch (scheme.type) {
    case "apiKey":
      if (scheme.in === "cookie")
        return { in: "header", name: "cookie", as: "cookie", secret: `${scheme.name}=${secret}` };
      if (scheme.in !== "header" && scheme.in !== "query") return undefined;
      return { in: scheme.in, name: String(scheme.name), as: "plain", secret };
    case "http":
      if (/^basic$/i.test(String(scheme.scheme))) return { ...authorization, as: "basic" };
      return /^bearer$/i.test(String(scheme.scheme)) ? { ...authorization, as: "bearer" } : undefined;
    case "oauth2":
    case "openIdConnect":
      return { ...authorization, as: "bearer" };
    default:
      return undefined;
  }
}

export interface RequestCredentials {
  readonly headers: Record<string, string>;
  readonly query: readonly (readonly [string, string])[];
  /** The secrets that must not appear in the host's responses. */
  readonly secrets: readonly string[];
}

export async function readCredentials(
  placements: readonly CredentialPlacement[],
  credential: ExecutionContext["credential"],
): Promise<RequestCredentials> {
  const headers: Record<string, string> = {};
  const query: [string, string][] = [];
  const secrets: string[] = [];
  for (const placed of placements) {
    const { text, secrets: used } = await fillSecrets(placed.secret, credential);
    const basic = Buffer.from(text).toString("base64");
    secrets.push(...used, ...(placed.as === "basic" ? [basic] : []));
    if (placed.in === "query") query.push([placed.name, text]);
    else
      headers[placed.name.toLowerCase()] = {
        plain: text,
        cookie: text,
        bearer: `Bearer ${text}`,
        basic: `Basic ${basic}`,
      }[placed.as];
  }
  return { headers, query, secrets };
}
