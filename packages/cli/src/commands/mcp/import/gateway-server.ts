import { basename, join } from "node:path";
import type { McpDocument } from "@paraph/adapters/mcp/document";
import type { ClientLocation } from "../../../lib/mcp-clients/mcp-clients.ts";
import { formatConfigText, UnsupportedServerError } from "./config-text.ts";
import { findProfile } from "./find-profile.ts";
import { containsHome } from "./home-folder.ts";
import { inferSandboxAccess } from "./infer-sandbox.ts";
import { findNpmRegistry } from "./npm-registry.ts";
import { resolveProgram } from "./resolve-program.ts";
import {
  hasSecretInUrl,
  replaceSecretArgument,
  replaceSecretHeader,
  replaceSecretValue,
  type SecretStore,
} from "./secret-store.ts";
import type { ServerDefinition } from "./server-definition.ts";

export type GatewayServer = McpDocument["servers"][string];

export interface GatewayServerOptions {
  /** The name of the adapter. */
  readonly name: string;
  readonly secrets: SecretStore;
  readonly where: ClientLocation;
  /**
   * Whether servers run in a sandbox. Without a sandbox, a server can access the whole machine, as it could when the
   * client started it.
   */
  readonly isSandboxed: boolean;
}

/** Returns the folder where a server keeps the packages that it fetches, relative to the configuration. */
export const toHomePath = (name: string): string => join(".paraph", "mcp-homes", name);

/** Builds the gateway's configuration of a server. It contains secrets only by name. */
export async function toGatewayServer(
  definition: ServerDefinition,
  making: GatewayServerOptions,
): Promise<GatewayServer> {
  const profile = findProfile(definition);
  const about = { ...(profile !== undefined && { profile }) };
  if (definition.kind === "http") return { ...toHttpServer(definition, making), ...about };
  return { ...(await toStdioServer(definition, making, profile)), ...about };
}

async function toStdioServer(
  { command, args, env, cwd: started }: Extract<ServerDefinition, { kind: "stdio" }>,
  { name, secrets, where, isSandboxed }: GatewayServerOptions,
  profile: string | undefined,
): Promise<GatewayServer> {
  // If the client's start folder is the home folder or contains it, Paraph does not use the start folder. The server
  // would otherwise see the whole home folder.
  const cwd = started === undefined || (await containsHome(started, where)) ? undefined : started;
  const program = await resolveProgram(command, cwd, where);
  const plain = args.map(formatConfigText);
  if (cwd === undefined && plain.some((arg) => /^\.{1,2}(?:\/|$)/.test(arg)))
    throw new UnsupportedServerError(
      "its arguments contain paths relative to the folder in which its client starts; use absolute paths",
    );
  const sight = isSandboxed ? await inferSandboxAccess(program, plain, { cwd, profile, where }) : undefined;
  const environment = Object.entries(env).map(([variable, value]) => [
    variable,
    replaceSecretValue(variable, value, name, secrets),
  ]);
  // A server that downloads packages gets its own home folder. Without one, the server would lose its packages at each
  // start.
  const home = sight?.hasHome ? toHomePath(name) : undefined;
  const registry =
    home !== undefined && basename(program.command) === "npx" ? await findNpmRegistry(where) : undefined;
  return {
    kind: "stdio",
    command: program.command,
    args: args.map((arg, index) => replaceSecretArgument(arg, plain[index - 1], name, secrets)),
    env: {
      ...(program.path !== undefined && { PATH: program.path }),
      ...(!sight && { HOME: where.home }),
      ...(registry !== undefined && { NPM_CONFIG_REGISTRY: registry }),
      ...Object.fromEntries(environment),
    },
    ...(cwd !== undefined && { cwd }),
    sandbox: sight
      ? {
          read: [...sight.read],
          write: [...sight.write],
          network: sight.network,
          ...(home !== undefined && { home }),
        }
      : false,
  };
}

function toHttpServer(
  { url, headers }: Extract<ServerDefinition, { kind: "http" }>,
  { name, secrets }: GatewayServerOptions,
): GatewayServer {
  if (hasSecretInUrl(url))
    throw new UnsupportedServerError(
      "its address contains a secret, and Paraph stores addresses in a file that is committed; move the secret to a header",
    );
  const written = Object.entries(headers)
    .filter(([, value]) => value.length > 0)
    .map(([header, value]) => [header, replaceSecretHeader(header, value, name, secrets)] as const);
  const isCredential = (header: string) => header.toLowerCase() === "authorization";
  const credential = written.find(([header]) => isCredential(header))?.[1];
  const others = written.filter(([header]) => !isCredential(header));
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
  return {
    kind: "http",
    url,
    ...(credential !== undefined && { credential }),
    ...(others.length > 0 && { headers: Object.fromEntries(others) }),
    // Adds a login for a remote server without headers. Without Paraph, the client would ask a person to log in. With
    // Paraph, a person logs in once, with `paraph mcp login`.
    ...(written.length === 0 && !isHere && { oauth: { login: true } }),
  };
}
