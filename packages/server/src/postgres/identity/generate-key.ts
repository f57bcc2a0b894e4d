import { randomBytes } from "node:crypto";
import { hashSecret } from "./secret.ts";

/**
 * A new API key of the form `paraph_<tenant>_<id>_<secret>`. The key names its tenant, so that Paraph finds the key's
 * row without a search across tenants.
 */
export interface GeneratedKey {
  readonly id: string;
  /** The hash of the secret. The request to create the key contains this hash and never the secret. */
  readonly hash: string;
  /** The key itself. It is shown only once, on the machine that generated it. */
  readonly key: string;
}

/** Generates a key on the machine that uses it. The request to create the key sends its id and hash, never the key. */
export function generateApiKey(tenant: string): GeneratedKey {
  const id = randomBytes(4).toString("hex");
  const secret = randomBytes(30).toString("base64url").replaceAll("_", "-");
  return { id, hash: hashSecret(secret), key: `paraph_${tenant}_${id}_${secret}` };
}
