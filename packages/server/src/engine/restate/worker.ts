import { createServer, type Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import type { CallRef, Wake } from "@paraph/core";
import * as restate from "@restatedev/restate-sdk";
import { createCallObject } from "./call-object.ts";

/** A running worker, which serves segments to the engine. */
export interface Worker {
  readonly url: string;
  /** Stops accepting new segments, so that the engine uses other workers. Running segments continue. */
  retire(): void;
  stop(): Promise<void>;
}

/** Options of `startWorker`. */
export interface WorkerOptions {
  readonly runSegment: (ref: CallRef) => Promise<readonly Wake[]>;
  readonly now: () => number;
  /** The public keys of the engines whose requests the worker accepts. */
  readonly identityKeys: readonly string[];
  readonly host?: string;
  /**
   * The port to listen on. Several workers on one machine may share it. The kernel distributes connections among the
   * live workers.
   */
  readonly port?: number;
  /** Returns the code of an error. The engine may record only this code. */
  readonly codeOf: (error: unknown) => string;
  readonly log: (level: "warn" | "error", code: string) => void;
}

/** Serves segments to the engine (default: on the loopback address). */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  // [TRUST 26] Without a key, the SDK accepts requests from any client.
  if (!options.identityKeys.some((key) => key !== ""))
    throw new Error(
      "The worker has no public key of the engine, so it cannot verify that requests come from the engine. Add the engine's public key to `restate.publicKeys`.",
    );
  const { host = "127.0.0.1" } = options;
  const handler = restate.createEndpointHandler({
    services: [createCallObject(options.runSegment, options.now, options.codeOf)],
    identityKeys: [...options.identityKeys],
    // The SDK's log lines may quote payloads, so only their level is kept.
    logger: (meta) => {
      if (meta.level === "warn" || meta.level === "error") options.log(meta.level, "engine-sdk");
    },
  });
  const sessions = new Set<Http2Session>();
  const server = createServer(handler);
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port: options.port ?? 0, reusePort: options.port !== undefined }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const closed = Promise.withResolvers<void>();
  let retired = false;
  const retire = () => {
    if (retired) return;
    retired = true;
    server.close(() => closed.resolve());
    for (const session of sessions) session.close();
  };
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    retire,
    async stop() {
      retire();
      setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, 1_000).unref();
      await closed.promise;
    },
  };
}
