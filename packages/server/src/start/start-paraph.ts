import {
  type AdvanceResult,
  admit,
  advance,
  type Call,
  CallLinks,
  type CallRef,
  continueCall,
  type Ports,
  previewOnly,
  type Wake,
} from "@paraph/core";
import { type HandleContext, startChannels, toChannelEndpoint } from "../channels/index.ts";
import { checkStart } from "../config/check-config.ts";
import { createInlineRunner } from "../engine/inline-runner.ts";
import { createPostgresEngine } from "../engine/postgres/index.ts";
import type { ProcessEngine, SegmentServer } from "../engine/segment-server.ts";
import { createSegments } from "../engine/segments.ts";
import { startSweeper } from "../engine/sweeper.ts";
import { createWakeSender } from "../engine/wake-sender.ts";
import { serveHttp, toCloudEvent, toObservationEvent } from "../http/index.ts";
import { createIntentModel } from "../intents/intent-model.ts";
import { createMcpGateway } from "../mcp/index.ts";
import { startPoller, toPollSchedules } from "../observations/index.ts";
import { createAllowedCapabilities } from "../policy/allowed-capabilities.ts";
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
  createPushDeviceStore,
  createReplyStore,
  createSlackStore,
  createUsageHistory,
  createWebhookStore,
  listTenants,
  PostgresStore,
  touchLease,
  watchCalls,
} from "../postgres/index.ts";
import { createProgressReporter } from "../progress/index.ts";
import { watchActiveTenants } from "../services/active-tenants.ts";
import { createAdministration } from "../services/administration.ts";
import { createAuthenticator } from "../services/authentication.ts";
import { createBudgetKeeper } from "../services/budgets.ts";
import { createCatalog, createSettings } from "../services/catalog.ts";
import { createParaphService } from "../services/create-paraph-service.ts";
import { createIntentService } from "../services/intents.ts";
import { openAdapters } from "../services/open-adapters.ts";
import { createSystemCredentials, deploymentTenant } from "../system/credentials.ts";
import { systemRandom } from "../system/system-random.ts";
import { serveMetrics, startTelemetry, toErrorCode } from "../telemetry/index.ts";
import { openVaultSecrets } from "../vault/index.ts";
import { pages } from "../web/pages/index.ts";
import { loadConsole } from "../web/routes/console.ts";
import { createEndpoints, startWebhookDelivery } from "../webhooks/index.ts";
import { createGaugeSource } from "./gauges.ts";
import type { ParaphOptions, ParaphServer } from "./paraph-options.ts";
import { createReadiness } from "./readiness.ts";
import { watchSigner } from "./signer-health.ts";

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
    const runtime = await startTelemetry({
      service: "paraph",
      version: options.version,
      role: roles.length > 1 ? "all" : (roles[0] ?? "all"),
    });
    onStop(() => runtime.stop());
    if (runtime.exporting === "endpoint-invalid") log("warn", "otlp-endpoint-invalid", {});
    let checkHealth: () => Promise<Record<string, boolean>> = async () => ({ server: false });
    const checkProcess = async () => (segments.draining ? { server: false } : checkHealth());
    const metrics =
      options.config.metrics &&
      (await serveMetrics(options.config.metrics, {
        metrics: runtime.metricsText,
        checkHealth: checkProcess,
      }));
    onStop(() => metrics?.stop());
    const database = await connectDatabase(options.databaseUrl);
    onStop(() => database.close());
    runtime.addGauges(createGaugeSource({ database, checkHealth: checkProcess }));
    const lease = await beginProcessLease(options.databaseUrl, { app: database.app });
    onStop(() => lease.end({ acting: !drained }));
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
    let told = () => {};
    const adapters = await openAdapters({
      adapters: options.config.adapters ?? {},
      folder: options.folder,
      credential: (name) => credentials.resolve(deploymentTenant, name),
      contractCache: createAdapterMemory(database.app),
      onChange: async (name) => {
        await begun.promise;
        catalog.replace(name, adapters.listCapabilities().get(name) ?? []);
        await governed.reload();
        told();
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
    let server: SegmentServer | undefined;
    onStop(() => server?.stop());
    onStop(async () => {
      drained = await segments.drain();
    });

    const within = (call: string) => (trace: string | undefined, body: () => Promise<AdvanceResult>) =>
      runtime.runInTrace("paraph.segment", trace, { "paraph.call": call }, body);
    const done = ({ call, wakes, skipped }: AdvanceResult) => {
      if (call) watch.notify(call);
      if (call && skipped) log("warn", skipped, { tenant: call.tenant, call: call.call });
      return wakes;
    };
    // Logs only a warning if a wake does not reach the engine. The transition is already committed, and the sweeper
    // repeats the lost wake.
    const unavailable = ({ tenant, call }: Wake) => log("warn", "engine-unavailable", { tenant, call });
    const send = createWakeSender(engine, unavailable);

    if (roles.includes("worker")) {
      server = await processEngine.serve((ref) =>
        segments.run(ref, async () => done(await advance(ref, ports, within(ref.call)))),
      );
      retiring.push(server.retire);
      onStop(() => server?.leave());
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

    const budgets = createBudgetKeeper(options.config.budgets, clock.now);
    const { model } = options.config.intents ?? {};
    const intents = createIntentService({
      ports,
      listAllowed: createAllowedCapabilities(ports),
      previewCall: (request) => budgets.admit(request.principal, () => previewOnly(request, ports)),
      model: model && createIntentModel(model, (cause) => log("warn", "intent-model-failed", { cause })),
    });
    const announceChange = async (call: Call, wakes: readonly Wake[]) => {
      watch.notify(call);
      await send(wakes);
    };
    const resolveDeploymentSecret = (name: string) => ports.credentials.resolve(deploymentTenant, name);
    const channelContext: Omit<HandleContext, "url"> = {
      ports,
      notices,
      replies,
      messageStore,
      mailRequests,
      intents,
      requestCall: async (request) => {
        const { call, wakes } = await budgets.admit(request.principal, () => admit(request, ports));
        await announceChange(call, wakes);
        return call;
      },
      announceChange,
      credential: resolveDeploymentSecret,
      devices: createPushDeviceStore(database.app),
      slack: createSlackStore(database),
      log: (code, about) => log("warn", code, about ?? {}),
    };
    const runChannels = (publicUrl: () => string) => {
      if (!roles.includes("worker")) return;
      const running = startChannels({ ...channelContext, channels, outbox, notices, url: publicUrl });
      onStop(() => running.stop());
    };

    checkHealth = createReadiness({
      postgres: () => touchLease(database.app, lease),
      signer: checkSigner,
      ...processEngine.checks,
    });
    const howAdaptersAre = (signal: AbortSignal) => adapters.list(signal);
    if (!roles.includes("api")) {
      runChannels(() => options.config.identity?.url ?? "");
      log("info", "started", { version: options.version });
      return {
        url: undefined,
        metricsUrl: metrics?.url,
        createLoginLink: async () => undefined,
        listAdapters: howAdaptersAre,
        stop,
      };
    }
    const here = createInlineRunner({
      runSegment: (call) =>
        segments.run(call, async () => done(await continueCall(call, ports, within(call.call)))),
      isStopping: () => segments.draining,
      send,
      problem: (error, call) => logFailedSegment(call, error),
      ...(options.maxInlineSegments !== undefined && { maxConcurrent: options.maxInlineSegments }),
    });
    let url = "";
    const callers = createAuthenticator({
      identity: options.config.identity ?? {},
      database,
      credentials: ports.credentials,
      now: clock.now,
      url: () => url,
    });
    const { identity } = options.config;
    const reachedAt = () => identity?.url ?? url;
    const service = createParaphService({
      ports,
      budgets,
      database,
      messageStore,
      authenticator: callers,
      send,
      inlineRunner: here,
      watch,
      publicKeys: options.publicKeys,
      url: reachedAt,
      channels: channels.map(({ name, subscriptions }) => ({
        name,
        ...(subscriptions && {
          subscriptions: {
            publicKey: () => subscriptions.publicKey({ credential: resolveDeploymentSecret }),
            allowsEndpoint: subscriptions.allowsEndpoint,
          },
        }),
      })),
      getFacades: adapters.getFacades,
      listAdapters: async (tenant, signal) =>
        (await howAdaptersAre(signal)).filter(({ name }) => tenants.isOpenTo(tenant, name)),
      listPendingDefinitions: async (tenant, adapter) => {
        const isKnown = Object.hasOwn(options.config.adapters ?? {}, adapter);
        if (!isKnown || !tenants.isOpenTo(tenant, adapter)) return undefined;
        const { listPending, isOnlyTenant } = administration.pins;
        return { definitions: await listPending(adapter), approvable: await isOnlyTenant(tenant) };
      },
      checkHealth,
      runInTrace: (name, trace, body) => runtime.runInTrace(name, trace, {}, body),
      currentTraceparent: runtime.currentTraceparent,
      intents,
      onThrottled: ({ principal: { tenant }, capability }) =>
        log("warn", "asks-slowed", { tenant, capability }),
    });
    const mcp = createMcpGateway({
      service,
      url: reachedAt,
      version: options.version,
      ...(options.mcpMaxWaitMs !== undefined && { maxWaitMs: options.mcpMaxWaitMs }),
      onProblem: (error) => log("error", "mcp-fault", { cause: toErrorCode(error) }),
    });
    onStop(() => mcp.close());
    told = mcp.notifyToolsChanged;
    const http = await serveHttp({
      service,
      pages,
      consoleFiles: loadConsole(),
      mcp,
      budgets,
      inbound: channels.flatMap(({ inbound }) =>
        inbound
          ? [
              {
                path: inbound.path,
                handle: (request) => inbound.handle(request, { ...channelContext, url: reachedAt }),
              },
            ]
          : [],
      ),
      ...(identity?.oidc && { tokens: { issuer: identity.oidc.issuer, url: reachedAt } }),
      publicUrl: identity?.url,
      host: options.http?.host ?? "127.0.0.1",
      port: options.http?.port ?? 0,
      tls: options.http?.tls,
      allowsPlainLogin: options.http?.allowsPlainLogin === true,
      log: ({ level, code, ...fields }) => log(level, code, fields),
      countRequest: (status) => runtime.telemetry.measure("paraph.http.requests", 1, { status }),
      toErrorCode,
      runInSpan: runtime.runInTrace,
    });
    onStop(() => http.stop());
    url = http.url;
    runChannels(reachedAt);
    log("info", "started", { version: options.version, port: Number(new URL(url).port) });
    return {
      url,
      metricsUrl: metrics?.url,
      createLoginLink: callers.createLoginLink,
      listAdapters: howAdaptersAre,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
