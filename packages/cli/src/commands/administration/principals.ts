import type { PrincipalView } from "../../lib/api/administration-views.ts";
import { fetchAllPages } from "../../lib/api/fetch-all-pages.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatPrincipals } from "../../lib/render/administration.ts";
import { type AdminCallOptions, runAdminCall } from "./admin-call.ts";

export async function showPrincipals(context: Context): Promise<ExitCode> {
  const { output } = context;
  const found = await fetchAllPages<"principals", PrincipalView>(context, "/v1/principals", "principals");
  if (context.json) output.json(found);
  else output.data(formatPrincipals(found.principals, output.paint, Date.now()));
  return exitCode.ok;
}

export function addPrincipal(
  context: Context,
  kind: string,
  id: string,
  { owner, ...options }: AdminCallOptions & { readonly owner?: string },
): Promise<ExitCode> {
  const input = { id, kind, ...(owner !== undefined && { owner }) };
  return runAdminCall(context, "principal_add", input, options, () => ({
    sentence: `The ${kind} ${id} is added.`,
  }));
}

interface ReasonOption {
  readonly reason?: string;
}

export function setPrincipalEnabled(
  context: Context,
  verb: "disable" | "enable",
  principal: string,
  { reason, ...options }: AdminCallOptions & ReasonOption,
): Promise<ExitCode> {
  const input = { principal, ...(reason !== undefined && { reason }) };
  return runAdminCall<{ frozenBy?: readonly string[] }>(
    context,
    `principal_${verb}`,
    input,
    options,
    ({ frozenBy = [] }) => ({
      sentence: [
        `${principal} is ${verb}d.`,
        ...frozenBy.map((freeze) => `It is still frozen. Run \`paraph thaw ${freeze}\`.`),
      ].join(" "),
    }),
  );
}

export function endSessions(
  context: Context,
  principal: string,
  { reason, ...options }: AdminCallOptions & ReasonOption,
): Promise<ExitCode> {
  const input = { principal, ...(reason !== undefined && { reason }) };
  return runAdminCall(context, "sessions_end", input, options, () => ({
    sentence: `The sessions of ${principal} are ended.`,
  }));
}

export function changeContact(
  context: Context,
  principal: string,
  { mail, remove, ...options }: AdminCallOptions & { readonly mail?: string; readonly remove?: boolean },
): Promise<ExitCode> {
  if ((mail === undefined) !== (remove === true))
    throw usageError("Pass either `--mail <address>` or `--remove`.");
  const input = { principal, ...(mail !== undefined && { mail }) };
  return runAdminCall(context, "contact_change", input, options, () => ({
    sentence:
      mail === undefined
        ? `${principal} has no mail address any more.`
        : `The mail address of ${principal} is ${mail}.`,
  }));
}
