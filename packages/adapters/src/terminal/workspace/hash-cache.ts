import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

interface CachedHash {
  readonly stamp: string;
  readonly sha256: string;
}

/**
 * A cache of file hashes. A hash is valid while the file's metadata is unchanged. The metadata includes the change
 * time, which only the kernel sets. The cache skips a file that changed just now, because a second change could leave
 * the change time the same.
 */
export class HashCache {
  readonly #max: number;
  readonly #known = new Map<string, CachedHash>();

  constructor(max: number) {
    this.#max = max;
  }

  find(stat: BigIntStats): string | undefined {
    const known = this.#known.get(toIdentity(stat));
    return known?.stamp === toStamp(stat) ? known.sha256 : undefined;
  }

  store(stat: BigIntStats, sha256: string): void {
    if (Date.now() - Number(stat.ctimeMs) < minAgeMs) return;
    if (this.#known.size >= this.#max) this.#known.clear();
    this.#known.set(toIdentity(stat), { stamp: toStamp(stat), sha256 });
  }
}

export async function hashFile(handle: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(chunk.subarray(0, bytesRead));
    position += bytesRead;
  }
}

const chunkBytes = 64 * 1024;
const minAgeMs = 2_000;

function toIdentity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function toStamp({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${size}:${mtimeNs}:${ctimeNs}`;
}
