import { type ErasableCall, type ErasurePlan, eraseCalls, type KeptPlace, planErasure } from "@paraph/server";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { askYesNo } from "../../lib/terminal/ask-yes-no.ts";
import { formatCount } from "../../lib/terminal/format-count.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";
import { explainDatabase } from "../start/owner-database.ts";
import { type OwnerTenantOptions, resolveOwnerTenant } from "./owner-tenant.ts";

export interface EraseOptions extends OwnerTenantOptions {
  readonly reason: string;
  readonly subject?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Erases the payloads of a closed call and its steps, or of all closed calls that contain a text. */
export async function erase(
  context: Context,
  call: string | undefined,
  options: EraseOptions,
): Promise<ExitCode> {
  const of = toTarget(call, options);
  const scope = { ...(await resolveOwnerTenant(context, options)), of };
  const explain = explainDatabase(scope.ownerUrl);
  const plan = await planErasure(scope).catch(explain);
  if ("call" in of) requireErasable(of.call, plan);
  const ready = plan.calls.filter(({ state }) => state === "ready");
  const left = plan.calls.filter(({ state }) => state === "open" || state === "unresolved");
  const isNeeded = ready.length > 0 || plan.observations > 0;
  if (!context.json) printPlan(context, plan);
  if (isNeeded && !options.dryRun) await confirm(context, options, plan);
  const erased =
    !isNeeded || options.dryRun
      ? []
      : await eraseCalls(scope, { calls: ready.map((one) => one.call), reason: options.reason }).catch(
          explain,
        );
  if (context.json) context.output.json({ ...plan, erased, dryRun: options.dryRun === true });
  else printResult(context, erased.length, options);
  return left.length === 0 ? exitCode.ok : exitCode.failed;
}

const minSubjectLength = 3;
const maxReasonLength = 500;

function toTarget(call: string | undefined, { subject, reason }: EraseOptions) {
  if (reason.trim() === "" || reason.length > maxReasonLength)
    throw usageError(`\`--reason\` needs 1 to ${maxReasonLength} characters.`);
  if ((call === undefined) === (subject === undefined))
    throw usageError("Name a call, or pass `--subject TEXT`, but not both.");
  if (call !== undefined) return { call };
  if (subject!.trim().length < minSubjectLength)
    throw usageError(`\`--subject\` needs at least ${minSubjectLength} characters.`);
  if (reason.toLowerCase().includes(subject!.toLowerCase()))
    throw usageError("The reason contains the text to erase, and Paraph keeps the reason. Rephrase it.");
  return { subject: subject! };
}

/** Rejects the erasure of a call that does not exist or is not over yet. */
function requireErasable(call: string, { calls }: ErasurePlan): void {
  if (calls.length === 0) throw new CliError("call-unknown", `There is no call \`${call}\` in this tenant.`);
  const blocked = calls.find(({ state }) => state === "open" || state === "unresolved");
  if (!blocked) return;
  const refuse = (code: string, message: string) =>
    new CliError(code, message, { exitCode: exitCode.refused });
  throw blocked.state === "open"
    ? refuse(
        "call-open",
        `The call \`${blocked.call}\`, or the plan that it belongs to, is still open, and nothing was erased. Withdraw it first with \`paraph withdraw\`, or wait until it ends.`,
      )
    : refuse(
        "call-unresolved",
        `The outcome of \`${blocked.call}\` is unknown, and nothing was erased. Resolve it first with \`paraph resolve\`, because people need its payloads for that.`,
      );
}

async function confirm(
  { question, json }: Context,
  { yes }: EraseOptions,
  { calls, observations }: ErasurePlan,
): Promise<void> {
  if (yes) return;
  const refused = (message: string) => new CliError("not-confirmed", message, { exitCode: exitCode.pending });
  if (!question || json)
    throw refused("Nothing was erased. Review the list with `--dry-run`, then pass `--yes`.");
  const count = calls.filter(({ state }) => state === "ready").length;
  const also = observations === 0 ? "" : ` and ${formatCount(observations, "observation")}`;
  const isConfirmed = await askYesNo(
    question,
    `Erase the payloads of ${formatCount(count, "call")}${also}? This cannot be undone.`,
  );
  if (!isConfirmed) throw refused("Nothing was erased.");
}

function printPlan({ output }: Context, { calls, observations, related, kept }: ErasurePlan): void {
  if (calls.length > 0) output.data(formatTable(columns, calls, output.paint));
  if (observations > 0) output.info(`${formatCount(observations, "observation")} with this text.`);
  if (related.length > 0)
    output.info(
      `These related calls keep their payloads: ${related.join(", ")}. Erase each of them by its id.`,
    );
  for (const [place, rows] of Object.entries(kept) as [KeptPlace, number][])
    output.info(`Not erased: ${formatCount(rows, keptPlaces[place])}.`);
}

/** The rows that stay, as a noun for a count. */
const keptPlaces: Readonly<Record<KeptPlace, string>> = {
  call: "call with this text in its idempotency key, session, thread or step name",
  event: "event with this text, for example as the id of a person",
  grant: "grant with this text in its bounds",
  principal: "principal with this text in its id",
};

function printResult({ output }: Context, erased: number, { dryRun }: EraseOptions): void {
  output.info(
    dryRun
      ? "Nothing was changed."
      : erased === 0
        ? "Nothing was left to erase."
        : `${output.paintInfo("green", "✔")} Erased the payloads of ${formatCount(erased, "call")}. Backups and archives still contain them.`,
  );
}

const columns: readonly TableColumn<ErasableCall>[] = [
  { title: "CALL", text: ({ call }) => call },
  { title: "CAPABILITY", text: ({ capability }) => capability },
  {
    title: "STATUS",
    text: ({ state }) => statusTexts[state],
    style: ({ state }) => (state === "ready" ? undefined : "yellow"),
  },
  { title: "PAYLOADS", text: ({ payloads }) => payloads.join(", "), flexible: true },
  { title: "COMMENTS", text: ({ messages }) => String(messages), right: true },
];

const statusTexts: Readonly<Record<ErasableCall["state"], string>> = {
  ready: "closed",
  open: "open: withdraw it first",
  unresolved: "unknown: resolve it first",
  erased: "already erased",
};
