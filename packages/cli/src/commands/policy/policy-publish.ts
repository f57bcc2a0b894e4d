import { fingerprint } from "@paraph/core";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import type { ExitCode } from "../../lib/exit-code.ts";
import { type AdminCallOptions, runAdminCall } from "../administration/admin-call.ts";
import { loadPolicyCandidate } from "./policy-candidate.ts";

export interface PublishOptions extends AdminCallOptions {
  readonly replace?: boolean;
  readonly backTo?: string;
}

/** Requests the publication of a policy set. The approvers see the backtest of the set. */
export async function publishPolicy(
  context: Context,
  files: readonly string[],
  { replace, backTo, ...options }: PublishOptions,
): Promise<ExitCode> {
  if (backTo !== undefined && (files.length > 0 || replace))
    throw usageError(
      "`--back-to` publishes an earlier policy set unchanged. Leave out files and `--replace`.",
    );
  const input =
    backTo === undefined
      ? await loadPolicyCandidate(context.folder, files, replace === true)
      : { version: backTo };
  return runAdminCall<{ version: string; previous: string }>(
    context,
    "policy_publish",
    JSON.parse(JSON.stringify(input)),
    options,
    ({ version, previous }) => ({
      sentence: `Policy set in force: ${fingerprint(version)}.`,
      undoCommand: [`paraph policy publish --back-to ${previous}`, "restore the previous policy set"],
    }),
  );
}
