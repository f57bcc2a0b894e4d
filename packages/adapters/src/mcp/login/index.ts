import { type Adapter, type AdapterContext, CapabilityError } from "@paraph/core";
import type { z } from "zod";
import type { HttpAgents } from "../../egress/http-agents.ts";
import { type McpHttpConfig, mcpHttpConfig } from "../config.ts";
import { createAgentsFor, createFetch } from "../connection/http-transport.ts";
import { KnownSecrets } from "../connection/known-secrets.ts";
import { parseServerUrl } from "../connection/server-url.ts";
import { type LoginFlow, startLogin } from "./log-in.ts";
import { type LogoutResult, logOut } from "./log-out.ts";
import { LoginStore } from "./login-store.ts";
import type { LoginTerms, LoginTokensOptions } from "./login-tokens.ts";

export type { LoginFlow } from "./log-in.ts";
export type { LogoutResult } from "./log-out.ts";

type LoginContext = Pick<AdapterContext, "name" | "folder" | "credential">;

/**
 * Creates the login store, the fetch function and the login terms. Both a login and an adapter with a login need them.
 */
export function createLoginParts(
  config: McpHttpConfig,
  { name, folder }: LoginContext,
  secrets: KnownSecrets,
  agents: HttpAgents,
): Omit<LoginTokensOptions, "keep"> {
  const { clientSecret, ...said } = config.oauth ?? {};
  const server = parseServerUrl(config, { name });
  return {
    store: new LoginStore({ folder, adapter: name }),
    send: createFetch(agents),
    terms: async () => {
      const filled = clientSecret === undefined ? {} : await secrets.fill({ clientSecret });
      return toLoginTerms({ ...said, ...filled, server, adapter: name });
    },
  };
}

/**
 * Starts a login for a configured adapter. `issuer` is the issuer that a person confirmed in advance. It applies only
 * if the configuration names no issuer.
 */
export async function openLogin(
  adapter: Adapter | undefined,
  setting: LoginContext & { readonly issuer?: string },
): Promise<LoginFlow & AsyncDisposable> {
  const { terms, close, ...parts } = requireLoginParts(adapter, setting);
  const { issuer = setting.issuer, ...said } = await terms();
  const flow = await startLogin({ ...parts, terms: { ...said, ...(issuer !== undefined && { issuer }) } });
  return { ...flow, [Symbol.asyncDispose]: close };
}

/** Ends the login of a configured adapter. */
export async function runLogout(adapter: Adapter | undefined, setting: LoginContext): Promise<LogoutResult> {
  const { terms, store, send, close } = requireLoginParts(adapter, setting);
  try {
    return await logOut(await terms(), store, send);
  } finally {
    await close();
  }
}

/** The options of each adapter. The command line needs them for logins, and the adapter itself does not expose them. */
const configByAdapter = new WeakMap<Adapter, z.input<typeof mcpHttpConfig>>();

/** Remembers the options of an adapter for later logins, and returns the adapter. */
export function registerConfig(adapter: Adapter, config: z.input<typeof mcpHttpConfig>): Adapter {
  configByAdapter.set(adapter, config);
  return adapter;
}

function requireLoginParts(adapter: Adapter | undefined, setting: LoginContext) {
  const read = mcpHttpConfig.safeParse(adapter && configByAdapter.get(adapter));
  const oauth = read.data?.oauth;
  if (!read.success || !oauth || !("login" in oauth))
    throw new CapabilityError(
      "permanent",
      "mcp-login-not-configured",
      `\`${setting.name}\` is not an MCP server with a login. Configure it with \`mcp.http(url, { oauth: { login: true } })\`.`,
    );
  const named = [read.data.url, ...(oauth.issuer === undefined ? [] : [oauth.issuer])];
  const agents = createAgentsFor(...named.map((each) => new URL(each)));
  return {
    ...createLoginParts(read.data, setting, new KnownSecrets(setting), agents),
    close: () => agents.close(),
  };
}

function toLoginTerms(terms: { [Name in keyof LoginTerms]: LoginTerms[Name] | undefined }): LoginTerms {
  const said = Object.entries(terms).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as unknown as LoginTerms;
}
