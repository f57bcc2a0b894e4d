import { resolve } from "node:path";
import {
  type Adapter,
  type AdapterContext,
  type AdapterOptions,
  type AdapterScope,
  defineAdapter,
} from "@paraph/core";
import type { z } from "zod";
import type { HttpAgents } from "../egress/http-agents.ts";
import { type McpHttpConfig, type McpStdioConfig, mcpHttpConfig, mcpStdioConfig } from "./config.ts";
import { ClientTokens } from "./connection/client-tokens.ts";
import { createAgentsFor, createHttpTransport, type HttpServerTarget } from "./connection/http-transport.ts";
import { KnownSecrets } from "./connection/known-secrets.ts";
import { ProcessTransport } from "./connection/process-transport.ts";
import { parseServerUrl } from "./connection/server-url.ts";
import { explainFailedStart } from "./failed-start.ts";
import { loadProfile } from "./load-profile.ts";
import { createLoginParts, registerConfig } from "./login/index.ts";
import { LoginTokens } from "./login/login-tokens.ts";
import { openServer } from "./open-server.ts";
import type { ServerTerms } from "./server-offer.ts";

export { approvePins, listWaitingPins, type McpWaitingPin, type PinsLocation } from "./definitions/pins.ts";
export type { LoginFlow, LogoutResult } from "./login/index.ts";
export { openLogin, runLogout } from "./login/index.ts";

const stdioAdapter = defineAdapter({
  kind: "mcp",
  config: mcpStdioConfig,
  open: async (config, adapterContext) => {
    const secrets = new KnownSecrets(adapterContext);
    const { timeout } = config;
    let transport: ProcessTransport | undefined;
    return openServer(
      {
        timeout,
        terms: await loadTerms(config, adapterContext),
        secrets: () => secrets.secrets,
        transport: async () => {
          transport = new ProcessTransport(await createServerCommand(config, adapterContext, secrets));
          return transport;
        },
        explainFailedStart: () =>
          explainFailedStart(config, adapterContext, transport?.readErrorOutput() ?? "", secrets.secrets),
      },
      adapterContext,
    );
  },
});

const httpAdapter = defineAdapter({
  kind: "mcp",
  config: mcpHttpConfig,
  open: async (config, adapterContext) => {
    const { timeout, credential, headers, oauth } = config;
    const url = parseServerUrl(config, adapterContext);
    const secrets = new KnownSecrets(adapterContext);
    const written = { ...headers, ...(credential !== undefined && { authorization: credential }) };
    const terms = await loadTerms(config, adapterContext);
    const agents = createAgentsFor(url, ...(oauth?.issuer === undefined ? [] : [new URL(oauth.issuer)]));
    const tokens = await createTokenProvider(config, adapterContext, secrets, agents);
    return openServer(
      {
        timeout,
        terms,
        secrets: () => secrets.secrets,
        close: () => agents.close(),
        transport: async () =>
          createHttpTransport(
            { url, headers: () => secrets.fill(written), ...(tokens && { tokens }) },
            agents,
          ),
      },
      adapterContext,
    );
  },
});

/**
 * The adapters for MCP servers. Paraph starts a `stdio` server as a process and reaches an `http` server over
 * streamable HTTP.
 */
export const mcp = {
  stdio: (configured: AdapterOptions<z.input<typeof mcpStdioConfig>>): Adapter => stdioAdapter(configured),
  http: (
    url: string,
    { tenants, ...options }: Omit<z.input<typeof mcpHttpConfig>, "url"> & AdapterScope = {},
  ): Adapter =>
    registerConfig(httpAdapter({ ...options, url, ...(tenants !== undefined && { tenants }) }), {
      ...options,
      url,
    }),
};

async function createTokenProvider(
  config: McpHttpConfig,
  adapterContext: AdapterContext,
  secrets: KnownSecrets,
  agents: HttpAgents,
): Promise<HttpServerTarget["tokens"]> {
  const { oauth } = config;
  if (!oauth) return undefined;
  const keep = (secret: string) => secrets.add(secret);
  if ("login" in oauth)
    return new LoginTokens({ ...createLoginParts(config, adapterContext, secrets, agents), keep });
  const { issuer, clientId, scope } = oauth;
  const { clientSecret = "" } = await secrets.fill({ clientSecret: oauth.clientSecret });
  return new ClientTokens({ issuer, clientId, clientSecret, ...(scope !== undefined && { scope }) }, keep);
}

async function loadTerms(
  { profile, tools }: McpStdioConfig | McpHttpConfig,
  { folder }: AdapterContext,
): Promise<ServerTerms> {
  const loaded = profile === undefined ? undefined : await loadProfile(profile, folder);
  return { tools: { ...loaded?.tools, ...tools }, faults: loaded?.faults ?? [] };
}

async function createServerCommand(
  { command, args, env, cwd, sandbox, limits }: McpStdioConfig,
  { folder }: AdapterContext,
  secrets: KnownSecrets,
) {
  const here = (path: string) => resolve(folder, path);
  return {
    // Allows secrets in the arguments, because some servers accept secrets only there. The risk is that every user of
    // this machine can read the arguments.
    binary: command,
    args: Object.values(await secrets.fill(Object.fromEntries(args.entries()))),
    env: await secrets.fill(env),
    cwd: cwd !== undefined ? here(cwd) : sandbox ? "/tmp" : folder,
    ...(limits && { limits: limits as Record<string, number> }),
    ...(sandbox && {
      sandbox: {
        read: sandbox.read.map(here),
        write: sandbox.write.map(here),
        network: sandbox.network,
        // Hides the keys that Paraph keeps in the project folder, because the server may be allowed to read that
        // folder.
        hidden: [here(".paraph"), here("secrets")],
        ...(sandbox.home !== undefined && { home: here(sandbox.home) }),
      },
    }),
  };
}
