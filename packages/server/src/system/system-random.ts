import { randomFillSync } from "node:crypto";
import type { Random } from "@paraph/core";

/**
 * A pool of random bytes. The system takes the same time for sixteen bytes as for a few thousand, so Paraph requests
 * many bytes at once.
 */
const randomPool = Buffer.alloc(4_096);
let usedBytes = randomPool.length;

function takeBytes(count: number): Buffer {
  if (usedBytes + count > randomPool.length) {
    randomFillSync(randomPool);
    usedBytes = 0;
  }
  usedBytes += count;
  const taken = Buffer.from(randomPool.subarray(usedBytes - count, usedBytes));
  // Erases the used bytes, so that a later reader of the memory cannot find them.
  randomPool.fill(0, usedBytes - count, usedBytes);
  return taken;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * The random source of the system. Its ids consist of 48 bits of milliseconds and 80 random bits, so lists and indexes
 * of ids sort by time.
 */
export const systemRandom: Random = {
  id: (prefix) =>
    `${prefix}_${encodeBase32(BigInt(Date.now()), 10)}${encodeBase32(BigInt(`0x${takeBytes(10).toString("hex")}`), 16)}`,
  salt: () => takeBytes(16).toString("hex"),
  chance: () => Math.random(),
};

function encodeBase32(value: bigint, length: number): string {
  let text = "";
  for (let rest = value, n = 0; n < length; n++, rest >>= 5n) text = alphabet[Number(rest & 31n)] + text;
  return text;
}
