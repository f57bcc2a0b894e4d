import { escapeInvisible } from "@paraph/core/escape-invisible";
import { previewOf } from "../file-edits/index.ts";
import type { Paint } from "../output.ts";
import { changesText } from "../render/changes.ts";
import { fields } from "../render/fields.ts";
import type { GatewayServer } from "./gateway-server.ts";
import type { ImportPlan, LeftServer, PlannedServer } from "./plan.ts";

/** [P10] The whole of what an import would do, for people: secrets by name, never by value. */
export function planText({ servers, left, edits }: ImportPlan, paint: Paint): string {
  return [
    ...servers.map((server) => serverText(server, paint)),
    ...(left.length > 0 ? [`${paint("bold", "Left as they are")}\n${leftText(left, paint)}`] : []),
    ...(edits.length > 0 ? [`${paint("bold", "Files")}\n${changesText(edits.map(previewOf), paint)}`] : []),
  ].join("\n\n");
}

function serverText(
  { client, file, name, place, adapter, server, replacement }: PlannedServer,
  paint: Paint,
) {
  const head = `${paint("bold", escapeInvisible(name))}  ${paint("dim", `${client}, ${escapeInvisible(place)}`)}`;
  const rows = fields(
    [
      ["file", escapeInvisible(file)],
      ["is", escapeInvisible(whatIs(server))],
      ["profile", server.profile ?? "none fits: every tool is a write of high risk, without preview"],
      ["runs", escapeInvisible(whereRuns(server))],
      ["becomes", `/mcp/${adapter}`],
      ["entry", escapeInvisible(JSON.stringify(replacement))],
    ],
    paint,
  );
  return `${head}\n${rows}`;
}

export function whatIs(server: GatewayServer): string {
  return server.kind === "http" ? server.url : [server.command, ...(server.args ?? [])].join(" ");
}

/** What its sandbox sees, in a sentence. */
export function whereRuns(server: GatewayServer): string {
  if (server.kind === "http")
    return server.oauth
      ? "elsewhere; somebody has to log in once"
      : "elsewhere, with the credential of its entry";
  const { sandbox } = server;
  if (sandbox === false || sandbox === undefined)
    return "here, without a sandbox: it sees everything you see";
  const { read = [], write = [], network, home } = sandbox;
  return [
    `here, in a sandbox: reads ${list(read)}; writes ${list(write)}`,
    network ? "reaches the network" : "no network",
    ...(home === undefined ? [] : [`keeps its packages in ${home}`]),
  ].join("; ");
}

function leftText(left: readonly LeftServer[], paint: Paint): string {
  return fields(
    left.map(
      ({ client, file, place, why }) => [client, escapeInvisible(`${place} in ${file}: ${why}`)] as const,
    ),
    paint,
  );
}

function list(paths: readonly string[]): string {
  return paths.length === 0 ? "nothing of yours" : paths.join(", ");
}
