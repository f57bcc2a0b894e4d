import { findNearest } from "@paraph/core";
import { escapeInvisible, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { AdapterView } from "../api/api-views.ts";
import { createApiClient, unknownCapabilityAdvice } from "../api/client.ts";
import { type CallerRole, resolveConnection } from "../api/connection.ts";
import { fetchAllPages } from "../api/fetch-all-pages.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { describeAdapterState } from "../render/adapter-state.ts";

/**
 * Adds to `capability-unknown` whether the adapter is unavailable, or the name that the user probably meant. Any other
 * error is returned unchanged. The function asks with the key of the failed request, so that it names only capabilities
 * that the caller may see.
 */
export async function explainUnknownCapability(
  error: unknown,
  name: string,
  context: Context,
  role: CallerRole,
): Promise<unknown> {
  if (!(error instanceof CliError) || error.code !== "capability-unknown") return error;
  const { code, exitCode, cause } = error;
  const message = (await explainAdapter(name, context, role)) ?? (await suggestName(name, context, role));
  return new CliError(code, message, { exitCode, cause });
}

/** Says that the adapter which a name or a pattern begins with is unavailable or starting, if it is. */
export async function explainAdapter(
  name: string,
  context: Context,
  role: CallerRole,
): Promise<string | undefined> {
  const client = createApiClient(await resolveConnection(context, role), context.signal);
  const { adapters } = await client
    .request<{ adapters: AdapterView[] }>("/v1/adapters")
    .catch(() => ({ adapters: [] }));
  const adapter = adapters.find((each) => name.startsWith(`${each.name}.`));
  const state = adapter && describeAdapterState(adapter);
  if (state !== "unavailable" && state !== "starting") return undefined;
  const [shown, reason] = [escapeInvisible(name), escapeInvisibleLines(adapter!.message ?? "").join("\n")];
  const what = name.includes("*")
    ? `No capability matches \`${shown}\` yet`
    : `\`${shown}\` cannot be called`;
  return `${what}, because the adapter \`${escapeInvisible(adapter!.name)}\` is ${state}. ${reason}`.trimEnd();
}

async function suggestName(name: string, context: Context, role: CallerRole): Promise<string> {
  const { capabilities } = await fetchAllPages<"capabilities", { name: string }>(
    context,
    "/v1/capabilities",
    "capabilities",
    resolveConnection(context, role),
  ).catch(() => ({ capabilities: [] }));
  const meant = findNearest(
    name,
    capabilities.map((each) => each.name),
  );
  const suggestion = meant === undefined ? "" : ` Did you mean \`${escapeInvisible(meant)}\`?`;
  return `No capability is called \`${escapeInvisible(name)}\`.${suggestion} ${unknownCapabilityAdvice}`;
}
