import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Registers a part that is being started, so that the part is stopped even if another start fails meanwhile. */
export type TrackStart = <T extends { stop(): Promise<unknown> }>(starting: Promise<T>) => Promise<T>;

/**
 * Runs the body with a new folder. Afterwards it stops everything that the body started, in reverse order, and removes
 * the folder. It does so even if the body fails.
 */
export async function withFolder<T>(
  body: (folder: string, starting: TrackStart) => Promise<T>,
  onEnd: () => void,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "paraph-bench-"));
  // A root process starts PostgreSQL as another user, which needs to traverse this folder.
  await chmod(folder, 0o711);
  const all: Promise<{ stop(): Promise<unknown> }>[] = [];
  const starting: TrackStart = (server) => {
    all.push(server);
    return server;
  };
  try {
    return await body(folder, starting);
  } finally {
    onEnd();
    for (let server = all.pop(); server; server = all.pop())
      await server.then((it) => it.stop()).catch(() => {});
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Resolves with the result of the work. Rejects if time runs out or the signal aborts. */
export async function withTimeout<T>(seconds: number, signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`given up after ${Math.round(seconds)} s`)),
    seconds * 1_000,
  );
  signal.addEventListener("abort", () => late.reject(signal.reason), { once: true });
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
