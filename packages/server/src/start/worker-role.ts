import { toChannelEndpoint } from "../channels/index.ts";
import type { SegmentServer } from "../engine/segment-server.ts";
import { startSweeper } from "../engine/sweeper.ts";
import { toCloudEvent, toObservationEvent } from "../http/index.ts";
import { startPoller, toPollSchedules } from "../observations/index.ts";
import { createEndpoints, startWebhookDelivery } from "../webhooks/index.ts";
import type { ProcessParts } from "./open-parts.ts";
import type { ParaphOptions } from "./paraph-options.ts";

/** Starts what a worker does beside the segments: it finds due calls, delivers webhooks and polls for observations. */
export async function startWorkerRole(
  options: ParaphOptions,
  parts: ProcessParts,
  { server, onStop }: { readonly server: SegmentServer; readonly onStop: (stop: () => unknown) => void },
): Promise<void> {
  const {
    log,
    config: { channels = [] },
  } = options;
  const { clock, database, engine, outbox, ports, pollStore, adapters, tenants } = parts;
  onStop(() => server.leave());
  const sweeper = startSweeper(database.sweeper, engine, (code) => log("warn", code, {}), {
    room: server.room,
    ...(options.leaseGraceMs !== undefined && { leaseGraceMs: options.leaseGraceMs }),
  });
  onStop(() => sweeper.stop());
  const deliverer = await startWebhookDelivery({
    endpoints: createEndpoints(options.config.webhooks),
    otherEndpoints: channels.map(({ name }) => toChannelEndpoint(name)),
    outbox,
    credentials: ports.credentials,
    now: clock.now,
    toCloudEvent: (ref, item) =>
      item.kind === "observation"
        ? toObservationEvent(ref.tenant, { seq: item.seq, observedAt: item.at, ...item.data })
        : toCloudEvent(ref, item),
    log: (code, about) => log("warn", code, about),
  });
  onStop(() => deliverer.stop());
  const poller = startPoller({
    watched: toPollSchedules(options.config.poll),
    pollStore,
    listObservable: adapters.listObservable,
    tenantsOf: tenants.listTenants,
    credential: (tenant, name) => ports.credentials.resolve(tenant, name),
    log: (code, about) => log("warn", code, about),
  });
  onStop(() => poller.stop());
}
