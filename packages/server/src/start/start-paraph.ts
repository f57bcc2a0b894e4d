import { advance } from "@paraph/core";
import { startChannels } from "../channels/index.ts";
import { checkStart } from "../config/check-config.ts";
import type { SegmentServer } from "../engine/segment-server.ts";
import { createSegments } from "../engine/segments.ts";
import { touchLease } from "../postgres/index.ts";
import { startApiRole } from "./api-role.ts";
import { openParts } from "./open-parts.ts";
import type { ParaphOptions, ParaphServer } from "./paraph-options.ts";
import { createReadiness } from "./readiness.ts";
import { createRequestParts } from "./request-parts.ts";
import { startWorkerRole } from "./worker-role.ts";

/** Wires the ports and starts the roles of this process. `stop` stops everything in reverse order. */
export async function startParaph(options: ParaphOptions): Promise<ParaphServer> {
  const { roles = ["api", "worker"], log } = options;
  checkStart(options.config, {
    folder: options.folder,
    environment: process.env,
    source: options.source,
    needsSecrets: roles.includes("worker"),
    servesPages: roles.includes("api"),
  });
  const { channels = [] } = options.config;
  const isWorker = roles.includes("worker");
  const started: (() => unknown)[] = [];
  const onStop = (stop: () => unknown) => started.push(stop);
  const segments = createSegments(log, options.maxDrainMs);
  const retiring: (() => void)[] = [() => segments.close()];
  let drained = true;
  const stop = async () => {
    for (const retire of retiring) retire();
    for (const each of started.splice(0).reverse()) await each();
  };
  try {
    let checkHealth: () => Promise<Record<string, boolean>> = async () => ({ server: false });
    const parts = await openParts(options, {
      onStop,
      segments,
      hasDrained: () => drained,
      checkHealth: async () => (segments.draining ? { server: false } : checkHealth()),
    });
    const { metrics, database, lease, adapters, ports, outbox, processEngine } = parts;
    let server: SegmentServer | undefined;
    onStop(() => server?.stop());
    onStop(async () => {
      drained = await segments.drain();
    });
    if (isWorker) {
      server = await processEngine.serve((ref) =>
        parts.runSegment(ref, (runInTrace) => advance(ref, ports, runInTrace)),
      );
      retiring.push(server.retire);
      await startWorkerRole(options, parts, { server, onStop });
    }
    checkHealth = createReadiness({
      postgres: () => touchLease(database.app, lease),
      signer: parts.checkSigner,
      ...processEngine.checks,
    });
    const requestParts = createRequestParts(options, parts);
    const api = roles.includes("api")
      ? await startApiRole(options, parts, requestParts, {
          onStop,
          isStopping: () => segments.draining,
          checkHealth: () => checkHealth(),
        })
      : undefined;
    if (isWorker) {
      const url = api?.reachedAt ?? (() => options.config.identity?.url ?? "");
      const running = startChannels({
        ...requestParts.channelContext,
        channels,
        outbox,
        notices: parts.notices,
        url,
      });
      onStop(() => running.stop());
    }
    log("info", "started", {
      version: options.version,
      ...(api && { port: Number(new URL(api.url).port) }),
    });
    return {
      url: api?.url,
      metricsUrl: metrics?.url,
      createLoginLink: api?.createLoginLink ?? (async () => undefined),
      listAdapters: adapters.list,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
