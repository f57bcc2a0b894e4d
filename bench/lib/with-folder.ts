import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Told of everything that is being started, so that it is stopped even if something else fails meanwhile. */
export type TrackStart = <T extends { stop(): Promise<unknown> }>(starting: Promise<T>) => Promise<T>;

/** A folder and everything that was started in it, gone when the body is done, however it ends. Last started, first stopped. */
export async function withFolder<T>(
  body: (folder: string, starting: TrackStart) => Promise<T>,
  onEnd: () => void,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "paraph-bench-"));
  // PostgreSQL runs as a user of its own where we are root, and has to get to its own folder in here.
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

/** The work, unless time runs out or somebody stops it. */
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
