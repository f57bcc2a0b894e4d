import { resolve } from "node:path";
import {
  type Adapter,
  type AdapterContext,
  type AdapterOptions,
  type AdapterScope,
  defineAdapter,
} from "@paraph/core";
import type { z } from "zod";
import type { Ways } from "../../outbound/connect.ts";
import { addressOf } from "./address.ts";
import { type HttpConfig, httpConfig, type StdioConfig, stdioConfig } from "./config.ts";
import { type Host, httpTransport, waysTo } from "./http-transport.ts";
import { KnownSecrets } from "./known-secrets.ts";
import { loadProfile } from "./load-profile.ts";
import { configuredAs, loginParts } from "./login/index.ts";
import { LoggedIn } from "./login/logged-in.ts";
import type { Terms } from "./offer.ts";
import { openServer } from "./open-server.ts";
import { ProcessTransport } from "./process-transport.ts";
import { OwnTokens } from "./token.ts";

export type { LoggedOut, LoginDoor } from "./login/index.ts";
export { openLogin, openLogout } from "./login/index.ts";
export { approvePins, type PinsPlace, type WaitingPin, waitingPins } from "./pins.ts";

const stdio = defineAdapter({
  kind: "mcp",
  config: stdioConfig,
  open: async (config, setting) => {
    const known = new KnownSecrets(setting);
    const { timeout } = config;
    return openServer(
      {
        timeout,
        terms: await termsOf(config, setting),
        secrets: () => known.secrets,
        transport: async () => new ProcessTransport(await commandOf(config, setting, known)),
      },
      setting,
    );
  },
});

const http = defineAdapter({
  kind: "mcp",
  config: httpConfig,
  open: async (config, setting) => {
    const { timeout, credential, headers, oauth } = config;
    const url = addressOf(config, setting);
    const known = new KnownSecrets(setting);
    const written = { ...headers, ...(credential !== undefined && { authorization: credential }) };
    const terms = await termsOf(config, setting);
    const ways = waysTo(url, ...(oauth?.issuer === undefined ? [] : [new URL(oauth.issuer)]));
    const tokens = await tokensOf(config, setting, known, ways);
    return openServer(
      {
        timeout,
        terms,
        secrets: () => known.secrets,
        close: () => ways.close(),
        transport: async () =>
          httpTransport({ url, headers: () => known.filled(written), ...(tokens && { tokens }) }, ways),
      },
      setting,
    );
  },
});

/** Any MCP server: one that is started here, or one that is reached over streamable HTTP. */
export const mcp = {
  stdio: (configured: AdapterOptions<z.input<typeof stdioConfig>>): Adapter => stdio(configured),
  http: (
    url: string,
    { tenants, ...options }: Omit<z.input<typeof httpConfig>, "url"> & AdapterScope = {},
  ): Adapter =>
    configuredAs(http({ ...options, url, ...(tenants !== undefined && { tenants }) }), { ...options, url }),
};

async function tokensOf(
  config: HttpConfig,
  setting: AdapterContext,
  known: KnownSecrets,
  ways: Ways,
): Promise<Host["tokens"]> {
  const { oauth } = config;
  if (!oauth) return undefined;
  const keep = (secret: string) => known.keep(secret);
  if ("login" in oauth) return new LoggedIn({ ...loginParts(config, setting, known, ways), keep });
  const { issuer, clientId, scope } = oauth;
  const { clientSecret = "" } = await known.filled({ clientSecret: oauth.clientSecret });
  return new OwnTokens({ issuer, clientId, clientSecret, ...(scope !== undefined && { scope }) }, keep);
}

async function termsOf(
  { profile, tools }: StdioConfig | HttpConfig,
  { folder }: AdapterContext,
): Promise<Terms> {
  const loaded = profile === undefined ? undefined : await loadProfile(profile, folder);
  return { tools: { ...loaded?.tools, ...tools }, faults: loaded?.faults ?? [] };
}

async function commandOf(
  { command, args, env, cwd, sandbox, limits }: StdioConfig,
  { folder }: AdapterContext,
  known: KnownSecrets,
) {
  const here = (path: string) => resolve(folder, path);
  return {
    // What is an argument can be read by everybody on this machine: some servers take their secrets in no other way.
    binary: command,
    args: Object.values(await known.filled(Object.fromEntries(args.entries()))),
    env: await known.filled(env),
    cwd: cwd !== undefined ? here(cwd) : sandbox ? "/tmp" : folder,
    ...(limits && { limits: limits as Record<string, number> }),
    ...(sandbox && {
      sandbox: {
        read: sandbox.read.map(here),
        write: sandbox.write.map(here),
        network: sandbox.network,
        // A server that is shown a project must not see Paraph's keys, which lie in it.
        hidden: [here(".paraph"), here("secrets")],
        ...(sandbox.home !== undefined && { home: here(sandbox.home) }),
      },
    }),
  };
}
