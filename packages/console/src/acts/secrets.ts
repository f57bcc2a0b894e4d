// Generates secrets as the command line does. Only their hashes leave this browser.

/** A login link, and the hash with which a person is invited. */
interface LoginLink {
  readonly link: string;
  readonly linkHash: string;
}

/** An API key, with the id and the hash with which it is created. */
interface NewKey {
  readonly key: string;
  readonly keyId: string;
  readonly hash: string;
}

export async function createLoginLink(tenant: string): Promise<LoginLink> {
  const secret = createSecret();
  const token = `${tenant}.${secret}`;
  return { link: `${location.origin}/login/local?token=${token}`, linkHash: await hash(secret) };
}

export async function createKey(tenant: string): Promise<NewKey> {
  const keyId = toHex(crypto.getRandomValues(new Uint8Array(4)));
  // The parts of a key are separated by `_`.
  const secret = createSecret().replaceAll("_", "-");
  return { key: `paraph_${tenant}_${keyId}_${secret}`, keyId, hash: await hash(secret) };
}

/** Returns 240 random bits as base64url. */
function createSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(30));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

async function hash(secret: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret))));
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
