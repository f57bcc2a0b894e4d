import { escapeInvisible } from "@paraph/core/escape-invisible";
import { previewFileEdit } from "../../../lib/file-edits/index.ts";
import { formatChanges } from "../../../lib/render/changes.ts";
import { formatFields } from "../../../lib/render/fields.ts";
import type { Paint } from "../../../lib/terminal/output.ts";
import { toAdapterName } from "./gateway-document.ts";
import type { GatewayServer } from "./gateway-server.ts";
import type { ImportPlan, PlannedServer, SkippedServer } from "./import-plan.ts";

/** [P10] Formats all effects of an import for people. Secrets appear by name, never by value. */
export function formatImportPlan({ servers, left, edits }: ImportPlan, paint: Paint): string {
  return [
    ...servers.map((server) => formatServer(server, paint)),
    ...(left.length > 0 ? [`${paint("bold", "Not imported")}\n${formatSkipped(left, paint)}`] : []),
    ...(edits.length > 0
      ? [`${paint("bold", "Files")}\n${formatChanges(edits.map(previewFileEdit), paint)}`]
      : []),
  ].join("\n\n");
}

function formatServer(
  { client, file, name, place, adapter, server, replacement }: PlannedServer,
  paint: Paint,
) {
  const head = `${paint("bold", escapeInvisible(name))}  ${paint("dim", `${client}, ${escapeInvisible(place)}`)}`;
  const rows = formatFields(
    [
      ["file", escapeInvisible(file)],
      ["server", escapeInvisible(describeServer(server))],
      [
        "profile",
        server.profile ?? "none matches, so Paraph treats every tool as a high-risk write without a preview",
      ],
      ["runs", escapeInvisible(describeSandbox(server))],
      ["endpoint", `/mcp/${adapter}`],
      ["capabilities", describeCapabilities(adapter, toAdapterName(name))],
      ["entry", escapeInvisible(JSON.stringify(replacement))],
    ],
    paint,
  );
  return `${head}\n${rows}`;
}

function describeCapabilities(adapter: string, wanted: string): string {
  return adapter === wanted ? `${adapter}.*` : `${adapter}.*, because the name ${wanted} is taken`;
}

export function describeServer(server: GatewayServer): string {
  return server.kind === "http" ? server.url : [server.command, ...(server.args ?? [])].join(" ");
}

/** Describes where the server runs, and which access its sandbox allows. */
export function describeSandbox(server: GatewayServer): string {
  if (server.kind === "http")
    return server.oauth
      ? "remotely; a person must log in once"
      : "remotely, with the credential from its entry";
  const { sandbox } = server;
  if (sandbox === false || sandbox === undefined)
    return "locally without a sandbox, so it can read everything that you can";
  const { read = [], write = [], network, home } = sandbox;
  return [
    `locally in a sandbox: reads ${joinPaths(read)}; writes ${joinPaths(write)}`,
    network ? "has network access" : "has no network access",
    ...(home === undefined ? [] : [`keeps its packages in ${home}`]),
  ].join("; ");
}

function formatSkipped(left: readonly SkippedServer[], paint: Paint): string {
  return formatFields(
    left.map(
      ({ client, file, place, why }) => [client, escapeInvisible(`${place} in ${file}: ${why}`)] as const,
    ),
    paint,
  );
}

function joinPaths(paths: readonly string[]): string {
  return paths.length === 0 ? "none of your files" : paths.join(", ");
}
