import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/**
 * Loads the key with which Restate signs its requests to workers. If `file` does not exist, creates it with a new key.
 * Returns the public key in the form of the SDK's `identityKeys`.
 */
export async function loadIdentityKey(file: string): Promise<string> {
  const pem = await readFile(file, "utf8").catch(() => createKeyFile(file));
  const { x } = createPublicKey(createPrivateKey(pem)).export({ format: "jwk" });
  return `publickeyv1_${encodeBase58(Buffer.from(x!, "base64url"))}`;
}

async function createKeyFile(file: string): Promise<string> {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
  const draft = `${file}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, pem, { mode: 0o600 });
  // Unlike a rename, a link never replaces a key that another process created first.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft);
  return readFile(file, "utf8");
}

export function encodeBase58(bytes: Uint8Array): string {
  let rest = BigInt(`0x0${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  while (rest > 0n) {
    text = base58Alphabet[Number(rest % 58n)] + text;
    rest /= 58n;
  }
  const leadingZeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(leadingZeros === -1 ? bytes.length : leadingZeros) + text;
}
