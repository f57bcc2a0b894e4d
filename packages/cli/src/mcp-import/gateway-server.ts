import { join } from "node:path";
import type { McpDocument } from "@paraph/server";
import type { Where } from "./clients.ts";
import type { Definition } from "./definition.ts";
import { profileOf } from "./profile-of.ts";
import { programOf } from "./program-of.ts";
import { sightOf } from "./sandbox-of.ts";
import { guardedArgument, guardedHeader, guardedValue, isTellingAddress, type Secrets } from "./secrets.ts";
import { Unfit, writtenFor } from "./written-text.ts";

export type GatewayServer = McpDocument["servers"][string];

export interface Making {
  /** The adapter's name. */
  readonly name: string;
  readonly secrets: Secrets;
  readonly where: Where;
  /** False to start servers as their clients did, where they see everything. */
  readonly isSandboxed: boolean;
}

/** Where servers that fetch packages keep them, below the folder of the configuration. */
export const homeOf = (name: string): string => join(".paraph", "mcp-homes", name);

/** The gateway's own configuration of a server. Secrets are in it by name only. */
export async function gatewayServer(definition: Definition, making: Making): Promise<GatewayServer> {
  const profile = profileOf(definition);
  const about = { ...(profile !== undefined && { profile }) };
  if (definition.kind === "http") return { ...httpServer(definition, making), ...about };
  return { ...(await stdioServer(definition, making, profile)), ...about };
}

async function stdioServer(
  { command, args, env, cwd: started }: Extract<Definition, { kind: "stdio" }>,
  { name, secrets, where, isSandboxed }: Making,
  profile: string | undefined,
): Promise<GatewayServer> {
  // A whole home is not shown to a server because its client happened to be started there.
  const cwd =
    started === undefined || `${where.home}/`.startsWith(`${started.replace(/\/$/, "")}/`)
      ? undefined
      : started;
  const program = await programOf(command, cwd, where);
  const plain = args.map(writtenFor);
  if (cwd === undefined && plain.some((arg) => /^\.{1,2}(?:\/|$)/.test(arg)))
    throw new Unfit("its arguments are paths from wherever its client was started");
  const sight = isSandboxed ? await sightOf(program, plain, { cwd, profile, where }) : undefined;
  const environment = Object.entries(env).map(([variable, value]) => [
    variable,
    guardedValue(variable, value, name, secrets),
  ]);
  // Without one of its own, what it keeps would be lost at each start.
  const home = sight?.hasHome ? homeOf(name) : undefined;
  return {
    kind: "stdio",
    command: program.command,
    args: args.map((arg, index) => guardedArgument(arg, plain[index - 1], name, secrets)),
    env: {
      ...(program.path !== undefined && { PATH: program.path }),
      ...(!sight && { HOME: where.home }),
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

function httpServer(
  { url, headers }: Extract<Definition, { kind: "http" }>,
  { name, secrets }: Making,
): GatewayServer {
  if (isTellingAddress(url))
    throw new Unfit("its address has a secret in it, and addresses lie in a file that is committed");
  const written = Object.entries(headers)
    .filter(([, value]) => value.length > 0)
    .map(([header, value]) => [header, guardedHeader(header, value, name, secrets)] as const);
  const isCredential = (header: string) => header.toLowerCase() === "authorization";
  const credential = written.find(([header]) => isCredential(header))?.[1];
  const others = written.filter(([header]) => !isCredential(header));
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
  return {
    kind: "http",
    url,
    ...(credential !== undefined && { credential }),
    ...(others.length > 0 && { headers: Object.fromEntries(others) }),
    // A client would have somebody log in: so does Paraph, once, with `paraph mcp login`.
    ...(written.length === 0 && !isHere && { oauth: { login: true } }),
  };
}
