import { randomUUID } from "node:crypto";
import type { CallRef, Wake } from "@paraph/core";
import {
  type Database,
  listenForWakes,
  listHeldAddresses,
  notifyWorker,
  postponeDueCalls,
} from "../../postgres/index.ts";
import type { ProcessEngine } from "../segment-server.ts";
import { createSegmentQueue, type SegmentQueue } from "./segment-queue.ts";

/** Options of `createPostgresEngine`. */
export interface PostgresEngineOptions {
  readonly database: Pick<Database, "app" | "sweeper">;
  readonly databaseUrl: string;
  readonly now: () => number;
  /** Records the address at which this process runs segments. Undefined means that it runs none. */
  readonly announce: (address: string | undefined) => Promise<unknown>;
  readonly onProblem: (code: string) => void;
  readonly onSegmentFailure: (ref: CallRef, error: unknown) => void;
}

const everyMs = 1_000;
/** The running time after which other workers must know that a segment still runs. Most segments take less. */
const longSegmentMs = 1_000;

/**
 * Creates the engine that needs only PostgreSQL. A worker runs the segments of its own messages. Other processes notify
 * a random live worker. The due times are in the rows, so the sweeper delivers again what is lost.
 */
export function createPostgresEngine(options: PostgresEngineOptions): ProcessEngine {
  const { database, announce, onProblem } = options;
  const channel = `paraph_worker_${randomUUID().slice(0, 8)}`;
  const outgoing = createOutgoing(database.app, async () =>
    (await listHeldAddresses(database.app)).flatMap(parseAddress).filter((each) => each !== channel),
  );
  let queue: SegmentQueue | undefined;
  const send = async (wake: Wake) => {
    if (queue) queue.push(wake);
    else await outgoing.send(wake);
  };

  return {
    send,
    async serve(runSegment) {
      const segments = createSegmentQueue({
        runSegment,
        send: (wake) => void send(wake).catch(() => onProblem("engine-unavailable")),
        now: options.now,
        onFailure: options.onSegmentFailure,
      });
      const listening = await listenForWakes(options.databaseUrl, channel, segments.push);
      queue = segments;
      const announceSelf = () => announce(queue && toAddress(channel));
      // When `serve` resolves, other processes already find this worker. The heartbeat repeats a failed announcement.
      await announceSelf().catch(() => onProblem("engine-heartbeat-failed"));
      const stopTicks = startTicks(async () => {
        await announceSelf();
        await postponeDueCalls(database.sweeper, segments.listRunning(longSegmentMs));
        await listening.check(database.app);
      }, onProblem);
      const retire = () => {
        if (!queue) return;
        queue = undefined;
        // Other workers run what still waits here. Without any, the next start finds the calls in the rows.
        for (const wake of segments.close()) void outgoing.send(wake).catch(() => {});
      };
      return {
        retire,
        room: segments.room,
        async leave() {
          retire();
          await announceSelf().catch(() => {});
        },
        async stop() {
          await stopTicks();
          // An announcement of the last heartbeat may have arrived after the withdrawal.
          await announceSelf().catch(() => {});
          await listening.stop();
        },
      };
    },
    checks: {},
    close: async () => {},
  };
}

const addressPrefix = "postgres:";
const toAddress = (channel: string): string => `${addressPrefix}${channel}`;
const parseAddress = (address: string): string[] =>
  address.startsWith(addressPrefix) ? [address.slice(addressPrefix.length)] : [];

/** Runs the body every second until the returned function is called, which waits for the last run. */
function startTicks(body: () => Promise<void>, onProblem: (code: string) => void): () => Promise<void> {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let ticking = Promise.resolve();
  const tick = () => {
    ticking = body()
      .catch(() => onProblem("engine-heartbeat-failed"))
      .then(() => {
        if (!isStopped) timer = setTimeout(tick, everyMs).unref();
      });
  };
  tick();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await ticking;
  };
}

/** Sends messages to other processes. Messages of the same moment go out together. */
function createOutgoing(app: Database["app"], listWorkers: () => Promise<readonly string[]>) {
  let batch: { readonly wakes: Wake[]; readonly sent: Promise<void> } | undefined;
  let workers: { readonly channels: Promise<readonly string[]>; readonly at: number } | undefined;
  const getWorkers = () => {
    if (!workers || performance.now() - workers.at > everyMs) {
      const channels = listWorkers();
      workers = { channels, at: performance.now() };
      channels.catch(() => {
        workers = undefined;
      });
    }
    return workers.channels;
  };
  const sendBatch = async (wakes: readonly Wake[]) => {
    const channels = await getWorkers();
    // Without a live worker, the calls wait in the rows for the next one.
    if (channels.length === 0) return;
    await notifyWorker(app, channels[Math.floor(Math.random() * channels.length)]!, wakes);
  };
  return {
    send(wake: Wake): Promise<void> {
      if (!batch) {
        const wakes: Wake[] = [];
        const sent = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
          batch = undefined;
          return sendBatch(wakes);
        });
        batch = { wakes, sent };
      }
      batch.wakes.push(wake);
      return batch.sent;
    },
  };
}
