import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

interface Known {
  readonly stamp: string;
  readonly sha256: string;
}

/**
 * What files hold, remembered for as long as they look the same. A file's change time is the kernel's and cannot be
 * set; one that changed just now may change again without its time doing so, and is not remembered.
 */
export class Hashes {
  readonly #most: number;
  readonly #known = new Map<string, Known>();

  constructor(most: number) {
    this.#most = most;
  }

  recall(stat: BigIntStats): string | undefined {
    const known = this.#known.get(identity(stat));
    return known?.stamp === stampOf(stat) ? known.sha256 : undefined;
  }

  remember(stat: BigIntStats, sha256: string): void {
    if (Date.now() - Number(stat.ctimeMs) < settledMs) return;
    if (this.#known.size >= this.#most) this.#known.clear();
    this.#known.set(identity(stat), { stamp: stampOf(stat), sha256 });
  }
}

export async function sha256Of(handle: FileHandle): Promise<string> {
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
const settledMs = 2_000;

function identity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function stampOf({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${size}:${mtimeNs}:${ctimeNs}`;
}
