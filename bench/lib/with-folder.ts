import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Registers something that is being started, so that it is stopped even if something else fails meanwhile. */
export type TrackStart = <T extends { stop(): Promise<unknown> }>(starting: Promise<T>) => Promise<T>;

/**
 * Runs the body with a folder. Afterwards, whether or not the body failed, stops everything that it started, in reverse
 * order, and removes the folder.
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

/** Resolves with the work, or rejects if time runs out or the signal aborts. */
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
