import { randomBytes } from "node:crypto";
import { hashSecret } from "./secret.ts";

/** `paraph_<tenant>_<id>_<secret>`: it names its tenant, so that its row is found without looking across tenants. */
export interface GeneratedKey {
  readonly id: string;
  /** All that a server is ever told of the secret. */
  readonly hash: string;
  /** Shown once, where it was made. */
  readonly key: string;
}

/** Made where it will be used: whoever asks for a key to be created sends its id and hash, never the key. */
export function generateApiKey(tenant: string): GeneratedKey {
  const id = randomBytes(4).toString("hex");
  const secret = randomBytes(30).toString("base64url").replaceAll("_", "-");
  return { id, hash: hashSecret(secret), key: `paraph_${tenant}_${id}_${secret}` };
}
