import type { GrantView } from "../../lib/api/administration-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { type AdminResult, formatGrants } from "../../lib/render/administration.ts";
import { formatTimeUntil } from "../../lib/terminal/format-time.ts";
import { type AdminCallOptions, runAdminCall } from "./admin-call.ts";
import { parseBounds } from "./parse-bounds.ts";

export interface GrantOptions extends AdminCallOptions {
  readonly for?: string;
  readonly bound?: readonly string[];
  readonly count: number;
  readonly amount?: number;
  readonly expires: string;
  readonly destroy?: boolean;
}

export async function showGrants(context: Context): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const found = await client.request<{ grants: GrantView[] }>("/v1/grants");
  if (context.json) output.json(found);
  else if (found.grants.length === 0) output.info("There are no grants.");
  else output.data(formatGrants(found.grants, output.paint, Date.now()));
  return exitCode.ok;
}

/** Requests a grant, which another person must approve. */
export function requestGrant(context: Context, capability: string, options: GrantOptions): Promise<ExitCode> {
  const { count, amount, expires, destroy } = options;
  const input = {
    capability,
    count,
    expires,
    bounds: parseBounds(options.bound ?? []),
    ...(options.for !== undefined && { principal: options.for }),
    ...(amount !== undefined && { amount }),
    ...(destroy && { destroy }),
  };
  return runAdminCall(context, "grant", input, options, toGrantResult);
}

export interface GrantOutput {
  readonly grant: string;
  readonly expires: string;
}

export function toGrantResult({ grant, expires }: GrantOutput): AdminResult {
  return {
    sentence: `Granted. The grant expires ${formatTimeUntil(Date.parse(expires), Date.now())}.`,
    undoCommand: [`paraph grant revoke ${grant}`, "revoke it earlier"],
  };
}

export function revokeGrant(
  context: Context,
  grant: string,
  { reason, ...options }: AdminCallOptions & { readonly reason?: string },
): Promise<ExitCode> {
  const input = { grant, ...(reason !== undefined && { reason }) };
  return runAdminCall(context, "grant_revoke", input, options, () => ({ sentence: `${grant} is revoked.` }));
}
