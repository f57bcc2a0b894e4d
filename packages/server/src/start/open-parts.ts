import { type AdvanceResult, CallLinks, type CallRef, type Ports, type Wake } from "@paraph/core";
import { createPostgresEngine } from "../engine/postgres/index.ts";
import type { ProcessEngine } from "../engine/segment-server.ts";
import type { Segments } from "../engine/segments.ts";
import { createWakeSender } from "../engine/wake-sender.ts";
import { startPolicyRuntime } from "../policy/policy-runtime.ts";
import {
  announceWorker,
  beginProcessLease,
  connectDatabase,
  createAdapterMemory,
  createDatabaseClock,
  createMailRequestStore,
  createMessageStore,
  createNoticeStore,
  createPollStore,
  createProgressStore,
  createReplyStore,
  createUsageHistory,
  createWebhookStore,
  listTenants,
  PostgresStore,
  watchCalls,
} from "../postgres/index.ts";
import { createProgressReporter } from "../progress/index.ts";
import { watchActiveTenants } from "../services/active-tenants.ts";
import { createAdministration } from "../services/administration.ts";
import { createCatalog, createSettings } from "../services/catalog.ts";
import { openAdapters } from "../services/open-adapters.ts";
import { createSystemCredentials, deploymentTenant } from "../system/credentials.ts";
import { systemRandom } from "../system/system-random.ts";
import { serveMetrics, startTelemetry, toErrorCode } from "../telemetry/index.ts";
import { openVaultSecrets } from "../vault/index.ts";
import { createGaugeSource } from "./gauges.ts";
import type { ParaphOptions } from "./paraph-options.ts";
import { watchSigner } from "./signer-health.ts";

/** Binds the parts of a process to its life: what opens with it, and what stops with it. */
interface ProcessLife {
  /** Registers what must stop with the process. The last one stops first. */
  readonly onStop: (stop: () => unknown) => void;
  /** Whether all running segments have ended. Until then, other processes must assume that this one acts. */
  readonly hasDrained: () => boolean;
  readonly segments: Segments;
  readonly checkHealth: () => Promise<Record<string, boolean>>;
}

/** Runs a body in the trace that a call carries. */
type RunInTrace = (trace: string | undefined, body: () => Promise<AdvanceResult>) => Promise<AdvanceResult>;

/** The parts that every process of Paraph has, whatever its roles. */
export type ProcessParts = Awaited<ReturnType<typeof openParts>>;

/** Opens the database, the adapters, the policy and the engine, and wires them into ports. */
export async function openParts(
  options: ParaphOptions,
  { onStop, hasDrained, segments, checkHealth }: ProcessLife,
) {
  const { roles = ["api", "worker"], log } = options;
  const runtime = await startTelemetry({
    service: "paraph",
    version: options.version,
    role: roles.length > 1 ? "all" : (roles[0] ?? "all"),
    servesMetrics: options.config.metrics !== undefined,
  });
  onStop(() => runtime.stop());
  if (runtime.exporting === "endpoint-invalid") log("warn", "otlp-endpoint-invalid", {});
  const metrics =
    options.config.metrics &&
    (await serveMetrics(options.config.metrics, {
      metrics: runtime.metricsText,
      checkHealth,
    }));
  onStop(() => metrics?.stop());
  const database = await connectDatabase(options.databaseUrl);
  onStop(() => database.close());
  runtime.addGauges(createGaugeSource({ database, checkHealth }));
  const lease = await beginProcessLease(options.databaseUrl, { app: database.app });
  onStop(() => lease.end({ acting: !hasDrained() }));
  const clock = await createDatabaseClock(database.app);
  onStop(() => clock.stop());

  const administration = createAdministration({
    database,
    folder: options.folder,
    ports: () => ports,
    send: (wakes) => send(wakes),
    alarm: ({ tenant, call }) => log("warn", "glass-broken", { tenant, call }),
  });
  const tenants = await watchActiveTenants(
    options.config.adapters ?? {},
    () => listTenants(database.sweeper),
    (code, adapter) => log("warn", code, adapter === undefined ? {} : { adapter }),
  );
  onStop(() => tenants.stop());
  const { vault } = options.config;
  const vaultSecrets =
    vault?.secrets &&
    (await openVaultSecrets(
      { ...vault, secrets: vault.secrets },
      {
        folder: options.folder,
        environment: process.env,
        onProblem: (cause) => log("warn", "vault-renewal-failed", { cause }),
      },
    ));
  onStop(() => vaultSecrets?.close());
  const credentials = createSystemCredentials(`${options.folder}/secrets`, {
    sharesDeployment: tenants.sharesDeploymentSecrets,
    ...(vaultSecrets && { findRemote: vaultSecrets.find }),
  });
  const begun = Promise.withResolvers<void>();
  let onToolsChanged = () => {};
  const adapters = await openAdapters({
    adapters: options.config.adapters ?? {},
    folder: options.folder,
    credential: (name) => credentials.resolve(deploymentTenant, name),
    contractCache: createAdapterMemory(database.app),
    onChange: async (name) => {
      await begun.promise;
      catalog.replace(name, adapters.listCapabilities().get(name) ?? []);
      await governed.reload();
      onToolsChanged();
    },
    onProblem: (code, adapter) => log("warn", "adapter-unavailable", { adapter, cause: code }),
    startTimeoutMs: options.adapterStartTimeoutMs,
  });
  onStop(() => {
    begun.resolve();
    return adapters.close();
  });
  const catalog = createCatalog(
    options.config,
    adapters.listCapabilities(),
    { administration, history: createUsageHistory(database.app) },
    tenants.isOpenTo,
  );
  const governed = await startPolicyRuntime({
    config: options.config,
    folder: options.folder,
    catalog,
    database,
    strangers: adapters.listUnknownAdapters,
    life: () => lease.number,
    allowDowngrade: options.allowDowngrade === true,
    problem: (code) => log("warn", code, {}),
    alarm: (code) => log("error", code, {}),
    telemetry: runtime.telemetry,
  });
  onStop(() => governed.stop());
  begun.resolve();
  const reporter = createProgressReporter(createProgressStore(database.app));
  onStop(() => reporter.stop());
  const { signer, check: checkSigner } = watchSigner(options.signer, runtime.telemetry);
  const inner: Ports = {
    store: new PostgresStore(database.app, lease),
    catalog,
    policy: governed.policy,
    freezes: governed.freezes,
    signer,
    sealer: options.signer,
    links: new CallLinks(),
    clock,
    random: systemRandom,
    credentials,
    telemetry: runtime.telemetry,
    settings: createSettings(options.config),
    progress: reporter.report,
  };
  const logFailedSegment = ({ tenant, call }: CallRef, error: unknown) =>
    log("warn", "segment-failed", { tenant, call, cause: toErrorCode(error) });
  const announce = (address: string | undefined) => announceWorker(database.app, lease, address);
  const onEngineProblem = (code: string) => {
    log("warn", code, {});
    runtime.telemetry.measure("paraph.engine.registrations", 1, { code });
  };
  const processEngine: ProcessEngine = options.restate
    ? (await import("../engine/restate/index.ts")).createRestateProcessEngine({
        restate: options.restate,
        worker: { ...options.worker, ...options.config.worker },
        now: clock.now,
        codeOf: toErrorCode,
        announce,
        onProblem: onEngineProblem,
        log: (level, code) => log(level, code, {}),
      })
    : createPostgresEngine({
        database,
        databaseUrl: options.databaseUrl,
        now: clock.now,
        announce,
        onProblem: (code) => log("warn", code, {}),
        onSegmentFailure: logFailedSegment,
      });
  onStop(() => processEngine.close());
  const { wrapPorts = (parts) => parts } = options;
  const webhooks = createWebhookStore(database, options.databaseUrl);
  onStop(() => webhooks.close());
  const { ports, engine, messageStore, outbox, notices, replies, mailRequests, pollStore } = wrapPorts({
    ports: inner,
    engine: processEngine,
    messageStore: createMessageStore(database.app),
    outbox: webhooks,
    notices: createNoticeStore(database),
    replies: createReplyStore(database),
    mailRequests: createMailRequestStore(database),
    pollStore: createPollStore(database),
  });
  const watch = watchCalls(database.sweeper);
  onStop(() => watch.stop());
  // Logs only a warning if a wake does not reach the engine. The transition is already committed, and the sweeper
  // repeats the lost wake.
  const unavailable = ({ tenant, call }: Wake) => log("warn", "engine-unavailable", { tenant, call });
  const send = createWakeSender(engine, unavailable);

  /** Runs one segment of a call, unless this process is stopping. Returns whom the segment wakes. */
  const runSegment = (ref: CallRef, step: (runInTrace: RunInTrace) => Promise<AdvanceResult>) =>
    segments.run(ref, async () => {
      const { call, wakes, skipped } = await step((trace, body) =>
        runtime.runInTrace("paraph.segment", trace, { "paraph.call": ref.call }, body),
      );
      if (call) watch.notify(call);
      if (call && skipped) log("warn", skipped, { tenant: call.tenant, call: call.call });
      return wakes;
    });
  return {
    ...{ runtime, metrics, database, lease, tenants, administration, adapters, checkSigner, processEngine },
    ...{ clock, ports, engine, messageStore, outbox, notices, replies, mailRequests, pollStore, watch, send },
    ...{ runSegment, logFailedSegment },
    /** Sets what learns that the capabilities changed. */
    notifyOfTools(listener: () => void) {
      onToolsChanged = listener;
    },
  };
}
