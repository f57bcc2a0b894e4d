import { resolve } from "node:path";
import { type Adapter, type AdapterSetting, defineAdapter, ParaphError } from "@paraph/core";
import type { z } from "zod";
import { filledIn } from "../../outbound/secret.ts";
import { type HttpConfig, httpConfig, type StdioConfig, stdioConfig } from "./config.ts";
import { httpTransport, waysTo } from "./http-transport.ts";
import { loadProfile } from "./load-profile.ts";
import type { Terms } from "./offer.ts";
import { openServer } from "./open-server.ts";
import { ProcessTransport } from "./process-transport.ts";
import { OwnTokens } from "./token.ts";

export { approvePins, type PinsPlace, type WaitingPin, waitingPins } from "./pins.ts";

const stdio = defineAdapter({
  kind: "mcp",
  config: stdioConfig,
  open: async (config, setting) => {
    const known = new Known(setting);
    const { timeout } = config;
    return openServer(
      {
        ...{ timeout, terms: await termsOf(config, setting), secrets: () => known.secrets },
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
    const known = new Known(setting);
    const written = { ...headers, ...(credential !== undefined && { authorization: credential }) };
    const terms = await termsOf(config, setting);
    const tokens = await tokensOf(oauth, known);
    const ways = waysTo(url, ...(oauth ? [new URL(oauth.issuer)] : []));
    return openServer(
      {
        ...{ timeout, terms, secrets: () => known.secrets, close: () => ways.close() },
        transport: async () =>
          httpTransport({ url, headers: () => known.filled(written), ...(tokens && { tokens }) }, ways),
      },
      setting,
    );
  },
});

/** Any MCP server: one that is started here, or one that is reached over streamable HTTP. */
export const mcp = {
  stdio: (configured: z.input<typeof stdioConfig>): Adapter => stdio(configured),
  http: (url: string, options: Omit<z.input<typeof httpConfig>, "url"> = {}): Adapter =>
    http({ ...options, url }),
};

/** [TRUST 8] The deployment's own secrets, as they are asked for; whoever calls has none that would reach a server. */
class Known {
  readonly #setting: AdapterSetting;
  readonly #secrets = new Set<string>();

  constructor(setting: AdapterSetting) {
    this.#setting = setting;
  }

  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  keep(secret: string): void {
    this.#secrets.add(secret);
  }

  async filled(texts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const entries = Object.entries(texts).map(async ([name, written]) => {
      const { text, secrets } = await filledIn(written, (secret) => this.#setting.credential(secret));
      for (const secret of secrets) this.#secrets.add(secret);
      return [name, text] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }
}

async function tokensOf(oauth: HttpConfig["oauth"], known: Known): Promise<OwnTokens | undefined> {
  if (!oauth) return undefined;
  const { issuer, clientId, scope } = oauth;
  const { clientSecret = "" } = await known.filled({ clientSecret: oauth.clientSecret });
  return new OwnTokens({ issuer, clientId, clientSecret, ...(scope !== undefined && { scope }) }, (token) =>
    known.keep(token),
  );
}

async function termsOf(
  { profile, tools }: StdioConfig | HttpConfig,
  { folder }: AdapterSetting,
): Promise<Terms> {
  const loaded = profile === undefined ? undefined : await loadProfile(profile, folder);
  return { tools: { ...loaded?.tools, ...tools }, faults: loaded?.faults ?? [] };
}

async function commandOf(
  { command, args, env, cwd, sandbox, limits }: StdioConfig,
  { folder }: AdapterSetting,
  known: Known,
) {
  const here = (path: string) => resolve(folder, path);
  return {
    ...{ binary: command, args, env: await known.filled(env) },
    cwd: cwd !== undefined ? here(cwd) : sandbox ? "/tmp" : folder,
    ...(limits && { limits: limits as Record<string, number> }),
    ...(sandbox && {
      sandbox: {
        ...{ read: sandbox.read.map(here), write: sandbox.write.map(here), network: sandbox.network },
        ...(sandbox.home !== undefined && { home: here(sandbox.home) }),
      },
    }),
  };
}

function addressOf({ url, credential, oauth, headers }: HttpConfig, { name }: AdapterSetting): URL {
  const address = new URL(url);
  if (address.username || address.password)
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: a URL is no place for a password: use \`credential\`.`,
    );
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(address.hostname);
  if (credential !== undefined && oauth)
    throw new ParaphError("adapter-invalid", `\`${name}\`: name either \`credential\` or \`oauth\`.`);
  const hasSecret =
    oauth !== undefined ||
    credential !== undefined ||
    Object.values(headers).some((each) => each.includes("${"));
  if (address.protocol === "http:" && !isHere && hasSecret)
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: a credential is sent over https only, or to this machine.`,
    );
  return address;
}
