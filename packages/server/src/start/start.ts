import {
  type AdvanceResult,
  advance,
  CallLinks,
  type ConfigSource,
  continueCall,
  type Engine,
  type Ports,
  type PublicKey,
  type Sealer,
  type Signer,
  type Wake,
} from "@paraph/core";
import { checkStart } from "../config/check-config.ts";
import type { Config, WorkerAddress } from "../config/config.ts";
import { performHere } from "../engine/inline-runner.ts";
import {
  type KeptRegistration,
  keepRegistered,
  restateEngine,
  startWorker,
  type Worker,
} from "../engine/restate/index.ts";
import { createSegments } from "../engine/segments.ts";
import { sendSoon } from "../engine/send-soon.ts";
import { startSweeping } from "../engine/sweeper.ts";
import { cloudEvent, observationEvent, serveHttp } from "../http/index.ts";
import { mcpGateway } from "../mcp/index.ts";
import { type Perceptions, startPerceiving, watchedFrom } from "../observations/index.ts";
import { startGovernance } from "../policy/load-policy.ts";
import {
  adaptersIn,
  announceWorker,
  beginLife,
  connect,
  databaseClock,
  everyTenant,
  historyIn,
  PostgresStore,
  perceptionsIn,
  progressIn,
  type Thread,
  threadIn,
  touchLease,
  watchCalls,
  webhooksIn,
} from "../postgres/index.ts";
import { reporterTo } from "../progress/index.ts";
import { tenantsInForce } from "../services/active-tenants.ts";
import { administrationOver } from "../services/administration.ts";
import { callersFrom } from "../services/authentication.ts";
import { createBudgets } from "../services/budgets.ts";
import { catalogFrom, settingsFrom } from "../services/catalog.ts";
import { deskOver } from "../services/mcp-service.ts";
import { openAdapters } from "../services/open-adapters.ts";
import { serviceOver } from "../services/service.ts";
import type { AdapterView } from "../services/types/service-types.ts";
import { deployment, systemCredentials } from "../system/credentials.ts";
import { systemRandom } from "../system/random.ts";
import { codeOf, type Log, serveMetrics, startTelemetry } from "../telemetry/index.ts";
import { pages } from "../web/sections/index.ts";
import { endpointsFrom, type Outbox, startDelivering } from "../webhooks/index.ts";
import { createReadiness } from "./readiness.ts";

export interface ParaphOptions {
  readonly config: Config;
  /** The folder that the configuration's paths are relative to. */
  readonly folder: string;
  /** The file that the configuration came from, for messages about its faults. */
  readonly source?: ConfigSource | undefined;
  readonly databaseUrl: string;
  readonly restate: {
    readonly ingressUrl: string;
    readonly adminUrl: string;
    readonly publicKeys: readonly string[];
  };
  readonly signer: Signer & Sealer;
  readonly publicKeys: readonly PublicKey[];
  /** What this process does: answer callers, perform, or both. */
  readonly roles?: readonly ("api" | "worker")[];
  readonly http?: { readonly host?: string; readonly port?: number };
  /** Where this process serves segments unless the configuration says otherwise. */
  readonly worker?: WorkerAddress;
  readonly log: Log;
  readonly version: string;
  /** Puts an earlier configuration back in force although processes with a newer one run. */
  readonly allowDowngrade?: boolean;
  /** How many first segments an API process runs at once, 64 unless given; 0 leaves all of them to the workers. */
  readonly here?: number;
  /** How long MCP clients are kept waiting for a person before they are told to come back: 45 s unless given. */
  readonly patienceMs?: number;
  /** How long a stopping process waits for its attempts (default: 10 min 30 s, which outlasts every attempt's deadline). */
  readonly maxDrainMs?: number;
  /** How long a process may be without its lease before others declare it dead (default: 5 s). */
  readonly leaseGraceMs?: number;
  /** Puts something around the ports before they are used: how the laboratory makes processes die at a boundary. */
  readonly around?: (parts: Durable) => Durable;
}

/** Everything that writes what must outlive this process. */
interface Durable {
  readonly ports: Ports;
  readonly engine: Engine;
  readonly thread: Thread;
  readonly outbox: Outbox;
  readonly perceptions: Perceptions;
}

export interface Paraph {
  /** Where the API listens; undefined in a process that only performs. */
  readonly url: string | undefined;
  /** Where Prometheus reads measurements, if the configuration says so. */
  readonly metricsUrl: string | undefined;
  /** Where this person can log in once, within ten minutes; undefined: no such person, or nobody can log in here. */
  loginLink(tenant: string, principal: string): Promise<string | undefined>;
  /** How the sources of capabilities are, asked now. */
  adapters(signal: AbortSignal): Promise<readonly AdapterView[]>;
  stop(): Promise<void>;
}

/** Wires the ports and starts what this process is for. What was started is stopped in reverse order. */
export async function startParaph(options: ParaphOptions): Promise<Paraph> {
  const { roles = ["api", "worker"], log } = options;
  checkStart(options.config, {
    folder: options.folder,
    environment: process.env,
    source: options.source,
    needsSecrets: roles.includes("worker"),
  });
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
    const runtime = startTelemetry({
      service: "paraph",
      version: options.version,
      role: roles.length > 1 ? "all" : (roles[0] ?? "all"),
    });
    onStop(() => runtime.stop());
    if (runtime.exporting === "endpoint-invalid") log("warn", "otlp-endpoint-invalid", {});
    const metrics =
      options.config.metrics && (await serveMetrics(options.config.metrics, runtime.metricsText));
    onStop(() => metrics?.stop());
    const database = await connect(options.databaseUrl);
    onStop(() => database.close());
    const life = await beginLife(options.databaseUrl, { app: database.app });
    onStop(() => life.end({ acting: !drained }));
    const clock = await databaseClock(database.app);
    onStop(() => clock.stop());

    const administration = administrationOver({
      database,
      folder: options.folder,
      ports: () => ports,
      send: (wakes) => send(wakes),
      alarm: ({ tenant, call }) => log("warn", "glass-broken", { tenant, call }),
    });
    const tenants = await tenantsInForce(
      options.config.adapters ?? {},
      () => everyTenant(database.sweeper),
      (code, adapter) => log("warn", code, adapter === undefined ? {} : { adapter }),
    );
    onStop(() => tenants.stop());
    const credentials = systemCredentials(
      `${options.folder}/secrets`,
      process.env,
      tenants.sharesDeploymentSecrets,
    );
    const begun = Promise.withResolvers<void>();
    let told = () => {};
    const adapters = await openAdapters({
      adapters: options.config.adapters ?? {},
      folder: options.folder,
      credential: (name) => credentials.resolve(deployment, name),
      memory: adaptersIn(database.app),
      changed: async (name) => {
        await begun.promise;
        catalog.replace(name, adapters.offered().get(name) ?? []);
        await governed.reload();
        told();
      },
      problem: (code, adapter) => log("warn", "adapter-away", { adapter, cause: code }),
    });
    onStop(() => {
      begun.resolve();
      return adapters.close();
    });
    const catalog = catalogFrom(
      options.config,
      adapters.offered(),
      { administration, history: historyIn(database.app) },
      tenants.isOpenTo,
    );
    const governed = await startGovernance({
      config: options.config,
      folder: options.folder,
      catalog,
      database,
      strangers: adapters.strangers,
      life: () => life.number,
      allowDowngrade: options.allowDowngrade === true,
      problem: (code) => log("warn", code, {}),
    });
    onStop(() => governed.stop());
    begun.resolve();
    const reporter = reporterTo(progressIn(database.app));
    onStop(() => reporter.stop());
    const inner: Ports = {
      store: new PostgresStore(database.app, life),
      catalog,
      policy: governed.policy,
      freezes: governed.freezes,
      signer: options.signer,
      sealer: options.signer,
      links: new CallLinks(),
      clock,
      random: systemRandom,
      credentials,
      telemetry: runtime.telemetry,
      settings: settingsFrom(options.config),
      progress: reporter.report,
    };
    const messages = restateEngine(options.restate.ingressUrl, clock.now);
    onStop(() => messages.close());
    const { around = (parts) => parts } = options;
    const webhooks = webhooksIn(database, options.databaseUrl);
    onStop(() => webhooks.close());
    const { ports, engine, thread, outbox, perceptions } = around({
      ports: inner,
      engine: messages,
      thread: threadIn(database.app),
      outbox: webhooks,
      perceptions: perceptionsIn(database),
    });
    const watch = watchCalls(database.sweeper);
    onStop(() => watch.stop());
    let worker: Worker | undefined;
    let registration: KeptRegistration | undefined;
    const workerAddress = { ...options.worker, ...options.config.worker };
    onStop(() => worker?.stop());
    onStop(async () => {
      drained = await segments.drain();
    });

    const within = (call: string) => (trace: string | undefined, body: () => Promise<AdvanceResult>) =>
      runtime.traced("paraph.segment", trace, { "paraph.call": call }, body);
    const done = ({ call, wakes, skipped: left }: AdvanceResult) => {
      if (call) watch.poke(call);
      if (call && left) log("warn", left, { tenant: call.tenant, call: call.call });
      return wakes;
    };
    // What is committed will happen: a message that does not get through is the sweeper's to repeat.
    const unavailable = ({ tenant, call }: Wake) => log("warn", "engine-away", { tenant, call });
    const send = sendSoon(engine, unavailable);

    if (roles.includes("worker")) {
      worker = await startWorker({
        segment: (ref) => segments.run(ref, async () => done(await advance(ref, ports, within(ref.call)))),
        now: clock.now,
        identityKeys: options.restate.publicKeys,
        codeOf,
        ...(workerAddress.host !== undefined && { host: workerAddress.host }),
        ...(workerAddress.port !== undefined && { port: workerAddress.port }),
        log: (level, code) => log(level, code, {}),
      });
      retiring.push(worker.retire);
      registration = await keepRegistered({
        adminUrl: options.restate.adminUrl,
        workerUrl: workerAddress.url ?? worker.url,
        announce: (url) => announceWorker(database.app, life, url),
        onProblem: (code) => {
          log("warn", code, {});
          runtime.telemetry.measure("paraph.engine.registrations", 1, { code });
        },
      });
      onStop(() => registration?.stop());
      const sweeper = startSweeping(
        database.sweeper,
        engine,
        (code) => log("warn", code, {}),
        options.leaseGraceMs === undefined ? {} : { leaseGraceMs: options.leaseGraceMs },
      );
      onStop(() => sweeper.stop());
      const deliverer = await startDelivering({
        endpoints: endpointsFrom(options.config.webhooks),
        outbox,
        credentials: ports.credentials,
        now: clock.now,
        cloudEvent: (ref, item) =>
          item.kind === "observation"
            ? observationEvent(ref.tenant, { seq: item.seq, seenAt: item.at, ...item.data })
            : cloudEvent(ref, item),
        log: (code, about) => log("warn", code, about),
      });
      onStop(() => deliverer.stop());
      const perceiver = startPerceiving({
        watched: watchedFrom(options.config.observe),
        perceptions,
        perceiving: adapters.perceiving,
        tenantsOf: tenants.tenantsOf,
        credential: (tenant, name) => ports.credentials.resolve(tenant, name),
        log: (code, about) => log("warn", code, about),
      });
      onStop(() => perceiver.stop());
    }

    const howAdaptersAre = (signal: AbortSignal) => adapters.list(signal);
    if (!roles.includes("api"))
      return {
        url: undefined,
        metricsUrl: metrics?.url,
        loginLink: async () => undefined,
        adapters: howAdaptersAre,
        stop,
      };
    const here = performHere({
      segment: (call) =>
        segments.run(call, async () => done(await continueCall(call, ports, within(call.call)))),
      stopping: () => segments.draining,
      send,
      problem: (error, { tenant, call }) =>
        log("warn", "segment-failed", { tenant, call, cause: codeOf(error) }),
      ...(options.here !== undefined && { most: options.here }),
    });
    let url = "";
    const callers = callersFrom({
      identity: options.config.identity ?? {},
      database,
      credentials: ports.credentials,
      now: clock.now,
      url: () => url,
    });
    const budgets = createBudgets(options.config.budgets, clock.now);
    const service = serviceOver({
      ports,
      budgets,
      database,
      thread,
      callers,
      send,
      here,
      watch,
      publicKeys: options.publicKeys,
      adapters: async (tenant, signal) =>
        (await howAdaptersAre(signal)).filter(({ name }) => tenants.isOpenTo(tenant, name)),
      health: createReadiness({
        postgres: () => touchLease(database.app, life),
        engine: messages.requireHealthy,
        ...(registration && { workers: registration.requireOurs }),
      }),
      traced: (name, trace, body) => runtime.traced(name, trace, {}, body),
      trace: runtime.currentTraceparent,
      slowed: ({ principal: { tenant }, capability }) => log("warn", "asks-slowed", { tenant, capability }),
    });
    const { identity } = options.config;
    const reachedAt = () => identity?.url ?? url;
    const mcp = mcpGateway({
      desk: deskOver(service, {
        facades: adapters.facades,
        handOver: (tenant, calls) => ports.store.markDelivered(tenant, calls),
      }),
      url: reachedAt,
      version: options.version,
      ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
      problem: (error) => log("error", "mcp-fault", { cause: codeOf(error) }),
    });
    onStop(() => mcp.close());
    told = mcp.changed;
    const http = await serveHttp({
      service,
      pages,
      mcp,
      budgets,
      ...(identity?.oidc && { tokens: { issuer: identity.oidc.issuer, url: reachedAt } }),
      host: options.http?.host ?? "127.0.0.1",
      port: options.http?.port ?? 0,
      log: ({ level, code, ...fields }) => log(level, code, fields),
      codeOf,
      span: runtime.traced,
    });
    onStop(() => http.stop());
    url = http.url;
    return { url, metricsUrl: metrics?.url, loginLink: callers.loginLink, adapters: howAdaptersAre, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
