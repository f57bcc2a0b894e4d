import { approvePins, listWaitingPins, type McpWaitingPin, type PinsLocation } from "@paraph/adapters/mcp";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { findLocalServer } from "../../lib/api/connection.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatChanges } from "../../lib/render/changes.ts";
import { type AdminCallOptions, runAdminCall } from "../administration/admin-call.ts";

interface PinsOptions extends AdminCallOptions {
  readonly approve?: readonly string[];
  /** Whether to approve only in the file, even if Paraph is running. */
  readonly inFile?: boolean;
}

/** Shows the definitions of an MCP server that wait for approval. With `--approve`, approves them. */
export async function reviewMcpPins(
  context: Context,
  adapter: string,
  { approve, inFile = false, ...options }: PinsOptions,
): Promise<ExitCode> {
  if (!/^[a-z][a-z0-9_]*$/.test(adapter))
    throw usageError(
      "The adapter's name is not valid. Use lower-case letters, digits and _, and begin with a letter.",
    );
  const { output, folder } = context;
  const place = { folder, adapter };
  const waiting = await listWaitingPins(place);
  if (approve) {
    const chosen = approve.map((beginning) => findPin(beginning, waiting));
    return inFile || !(await hasServer(context))
      ? approveInFile(context, place, chosen)
      : approveThroughServer(context, adapter, chosen, options);
  }
  if (context.json) output.json({ waiting });
  else if (waiting.length === 0) output.info("No definition waits for approval.");
  else for (const pin of waiting) output.data(formatPin(pin, context));
  return waiting.length === 0 ? exitCode.ok : exitCode.pending;
}

/**
 * Approves through a running Paraph, as a call of `admin.*`. Policy may require a second person, and the receipt names
 * the approvers.
 */
function approveThroughServer(
  context: Context,
  adapter: string,
  chosen: readonly McpWaitingPin[],
  options: AdminCallOptions,
): Promise<ExitCode> {
  const input = { adapter, digests: chosen.map(({ digest }) => digest) };
  return runAdminCall<{ approved: string[] }>(context, "mcp_approve", input, options, ({ approved }) => ({
    sentence: `Approved: ${approved.join(", ")}. Commit the folder \`mcp-pins\`, so that the next deployment includes the approval.`,
  }));
}

/** Approves the definitions only in the file. The file is committed and reviewed like the configuration. */
async function approveInFile(
  { output, json }: Context,
  location: PinsLocation,
  chosen: readonly McpWaitingPin[],
): Promise<ExitCode> {
  const approved = await approvePins(location, chosen);
  if (json) output.json({ approved });
  else
    output.info(
      `Approved: ${escapeInvisible(approved.join(", "))}. Only the file in \`mcp-pins\` changed. It applies to every tenant that uses this MCP server. Commit it, then deploy.`,
    );
  return exitCode.ok;
}

async function hasServer({ url, environment, folder }: Context): Promise<boolean> {
  return (
    (url ?? environment.PARAPH_URL) !== undefined ||
    (await findLocalServer(folder, environment)) !== undefined
  );
}

/**
 * Finds a pin by the beginning of its digest. If the server has changed a definition since the review, the changed
 * definition has another digest. The person therefore approves exactly the reviewed definition.
 */
function findPin(beginning: string, waiting: readonly McpWaitingPin[]): McpWaitingPin {
  const found = waiting.filter(({ digest }) => digest.startsWith(beginning));
  if (/^[0-9a-f]{8,}$/.test(beginning) && found.length === 1) return found[0]!;
  throw usageError(
    `\`${escapeInvisible(beginning)}\` does not identify exactly one waiting definition. Pass at least 8 characters of a digest that \`paraph mcp pins\` shows.`,
  );
}

function formatPin({ id, digest, kind, suspicions, diff }: McpWaitingPin, { output }: Context): string {
  const flags = suspicions.map((each) =>
    output.paint("red", each === "instructions" ? "reads like instructions" : "hides characters"),
  );
  const head = [escapeInvisible(id), kind, ...flags, output.paint("dim", digest.slice(0, 16))].join("  ");
  return `${head}\n${formatChanges([{ kind: kind === "new" ? "create" : "update", target: id, diff }], output.paint)}\n`;
}
