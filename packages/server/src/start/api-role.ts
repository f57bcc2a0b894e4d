import { continueCall } from "@paraph/core";
import { createInlineRunner } from "../engine/inline-runner.ts";
import { serveHttp } from "../http/index.ts";
import { createMcpGateway } from "../mcp/index.ts";
import { createAuthenticator } from "../services/authentication.ts";
import { createParaphService } from "../services/create-paraph-service.ts";
import { toErrorCode } from "../telemetry/index.ts";
import { pages } from "../web/pages/index.ts";
import { loadConsole } from "../web/routes/console.ts";
import type { ProcessParts } from "./open-parts.ts";
import type { ParaphOptions } from "./paraph-options.ts";
import type { RequestParts } from "./request-parts.ts";

/** Starts to answer callers: the API, the MCP gateway, the pages and the console. */
export async function startApiRole(
  options: ParaphOptions,
  parts: ProcessParts,
  { budgets, intents, channelContext }: RequestParts,
  life: {
    readonly onStop: (stop: () => unknown) => void;
    readonly isStopping: () => boolean;
    readonly checkHealth: () => Promise<Record<string, boolean>>;
  },
) {
  const {
    log,
    config: { channels = [] },
  } = options;
  const { onStop, isStopping, checkHealth } = life;
  const { runtime, clock, database, ports, messageStore, watch, send, adapters, tenants, administration } =
    parts;
  const { runSegment, logFailedSegment } = parts;
  const here = createInlineRunner({
    runSegment: (call) => runSegment(call, (runInTrace) => continueCall(call, ports, runInTrace)),
    isStopping,
    send,
    problem: (error, call) => logFailedSegment(call, error),
    ...(options.maxInlineSegments !== undefined && { maxConcurrent: options.maxInlineSegments }),
  });
  let url = "";
  const callers = await createAuthenticator({
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
          publicKey: () => subscriptions.publicKey(channelContext),
          allowsEndpoint: subscriptions.allowsEndpoint,
        },
      }),
    })),
    getFacades: adapters.getFacades,
    listAdapters: async (tenant, signal) =>
      (await adapters.list(signal)).filter(({ name }) => tenants.isOpenTo(tenant, name)),
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
  parts.notifyOfTools(mcp.notifyToolsChanged);
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
  return { url, reachedAt, createLoginLink: callers.createLoginLink };
}
