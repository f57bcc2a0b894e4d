import { randomFillSync } from "node:crypto";
import type { Random } from "@paraph/core";

/** Asking the system costs the same for sixteen bytes as for a few thousand. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

function bytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  const taken = Buffer.from(pool.subarray(used - count, used));
  // What was given out is not kept where a later reader of memory could find it.
  pool.fill(0, used - count, used);
  return taken;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Ids are ordered by time (48 bits of milliseconds, then 80 random bits), so that lists and indexes are too. */
export const systemRandom: Random = {
  id: (prefix) =>
    `${prefix}_${base32(BigInt(Date.now()), 10)}${base32(BigInt(`0x${bytes(10).toString("hex")}`), 16)}`,
  salt: () => bytes(16).toString("hex"),
  chance: () => Math.random(),
};

function base32(value: bigint, length: number): string {
  let text = "";
  for (let rest = value, n = 0; n < length; n++, rest >>= 5n) text = alphabet[Number(rest & 31n)] + text;
  return text;
}
