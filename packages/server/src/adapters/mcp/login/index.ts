import { type Adapter, type AdapterContext, CapabilityError } from "@paraph/core";
import type { z } from "zod";
import type { Ways } from "../../../outbound/connect.ts";
import { addressOf } from "../address.ts";
import { type HttpConfig, httpConfig } from "../config.ts";
import { fetchThrough, waysTo } from "../http-transport.ts";
import { KnownSecrets } from "../known-secrets.ts";
import { type LoginDoor, logIn } from "./log-in.ts";
import { type LoggedOut, logOut } from "./log-out.ts";
import type { LoggedInOptions, LoginTerms } from "./logged-in.ts";
import { LoginStore } from "./login-store.ts";

export type { LoginDoor } from "./log-in.ts";
export type { LoggedOut } from "./log-out.ts";

type LoginSetting = Pick<AdapterContext, "name" | "folder" | "credential">;

/** What a login needs of an adapter, whether somebody logs in or the adapter uses it. */
export function loginParts(
  config: HttpConfig,
  { name, folder }: LoginSetting,
  known: KnownSecrets,
  ways: Ways,
): Omit<LoggedInOptions, "keep"> {
  const { clientSecret, ...said } = config.oauth ?? {};
  const server = addressOf(config, { name });
  return {
    store: new LoginStore({ folder, adapter: name }),
    send: fetchThrough(ways),
    terms: async () => {
      const filled = clientSecret === undefined ? {} : await known.filled({ clientSecret });
      return withoutNothing({ ...said, ...filled, server, adapter: name });
    },
  };
}

/** Begins a login for an adapter of the configuration. `issuer`: the one that is taken, where none is configured. */
export async function openLogin(
  adapter: Adapter | undefined,
  setting: LoginSetting & { readonly issuer?: string },
): Promise<LoginDoor & AsyncDisposable> {
  const { terms, close, ...parts } = partsOf(adapter, setting);
  const { issuer = setting.issuer, ...said } = await terms();
  const door = await logIn({ ...parts, terms: { ...said, ...(issuer !== undefined && { issuer }) } });
  return { ...door, [Symbol.asyncDispose]: close };
}

export async function openLogout(adapter: Adapter | undefined, setting: LoginSetting): Promise<LoggedOut> {
  const { terms, store, send, close } = partsOf(adapter, setting);
  try {
    return await logOut(await terms(), store, send);
  } finally {
    await close();
  }
}

/** An adapter says nothing of how it is configured: the command line, which has it in hand, asks here. */
const configured = new WeakMap<Adapter, z.input<typeof httpConfig>>();

export function configuredAs(adapter: Adapter, config: z.input<typeof httpConfig>): Adapter {
  configured.set(adapter, config);
  return adapter;
}

function partsOf(adapter: Adapter | undefined, setting: LoginSetting) {
  const read = httpConfig.safeParse(adapter && configured.get(adapter));
  const oauth = read.data?.oauth;
  if (!read.success || !oauth || !("login" in oauth))
    throw new CapabilityError(
      "permanent",
      "mcp-login-not-configured",
      `\`${setting.name}\` is no MCP server that people log in at: configure it with \`mcp.http(url, { oauth: { login: true } })\`.`,
    );
  const named = [read.data.url, ...(oauth.issuer === undefined ? [] : [oauth.issuer])];
  const ways = waysTo(...named.map((each) => new URL(each)));
  return { ...loginParts(read.data, setting, new KnownSecrets(setting), ways), close: () => ways.close() };
}

function withoutNothing(terms: { [Name in keyof LoginTerms]: LoginTerms[Name] | undefined }): LoginTerms {
  const said = Object.entries(terms).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as unknown as LoginTerms;
}
