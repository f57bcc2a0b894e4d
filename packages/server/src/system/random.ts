import { randomBytes } from "node:crypto";
import type { Random } from "@paraph/core";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Ids are ordered by time (48 bits of milliseconds, then 80 random bits), so that lists and indexes are too. */
export const systemRandom: Random = {
  id: (prefix) =>
    `${prefix}_${base32(BigInt(Date.now()), 10)}${base32(BigInt(`0x${randomBytes(10).toString("hex")}`), 16)}`,
  salt: () => randomBytes(16).toString("hex"),
  chance: () => Math.random(),
};

function base32(value: bigint, length: number): string {
  let text = "";
  for (let rest = value, n = 0; n < length; n++, rest >>= 5n) text = alphabet[Number(rest & 31n)] + text;
  return text;
}
