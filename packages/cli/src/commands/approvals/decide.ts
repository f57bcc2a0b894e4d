import type { Json } from "@paraph/core";
import { explainVoidRound } from "@paraph/core/outcome-codes";
import type { CallView, CloudEventView, PlanView, RoundView } from "../../lib/api/api-views.ts";
import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { resolveConnection, resolveServerUrl } from "../../lib/api/connection.ts";
import { listPeople } from "../../lib/api/list-people.ts";
import { explainEndOfWait, followCall } from "../../lib/calls/follow-call.ts";
import { filterClosedSteps, followPlan } from "../../lib/calls/follow-plan.ts";
import { resolveApprovalId } from "../../lib/calls/resolve-id.ts";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode, toExitCode } from "../../lib/exit-code.ts";
import { formatApproval } from "../../lib/render/approval.ts";
import { printOpenCall, printOutcome } from "../../lib/render/call.ts";
import { toCallEvents } from "../../lib/render/cloud-events.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { printPlan } from "../../lib/render/plan-status.ts";
import { formatRemainingApprovals } from "../../lib/render/remaining-approvals.ts";
import { formatRequiredPeople } from "../../lib/render/required-people.ts";
import { askYesNo } from "../../lib/terminal/ask-yes-no.ts";
import { parseWait } from "../../lib/terminal/format-time.ts";
import { findRound } from "./find-round.ts";

type Decision = "approve" | "deny" | "return";

export interface DecideOptions {
  /** The answer to the approval's question, as JSON or as plain text. */
  readonly answer?: string;
  readonly reason?: string;
  /** The steps to leave out of a plan, separated by commas. */
  readonly without?: string;
  readonly yes?: boolean;
  /**
   * The fingerprint that the person saw. It is either the first 16 hexadecimal digits of the digest or the whole
   * digest.
   */
  readonly fingerprint?: string;
  /** The time to wait for the outcome (default: 10 s, or 60 s for a plan). */
  readonly wait?: string;
}

/** Sends a person's decision, together with the digest of exactly the content that the person saw. */
export async function decideApproval(
  context: Context,
  decision: Decision,
  id: string,
  options: DecideOptions,
): Promise<ExitCode> {
  const given = options.wait === undefined ? undefined : parseWait(options.wait);
  if (!options.yes && !context.question) throw await noTerminalError(context, decision, id);
  if (decision === "approve" && options.yes && (id === "last" || options.fingerprint === undefined)) {
    throw usageError(
      "`--yes` approves without showing the approval. Pass the id and the `--fingerprint` of the approval that you reviewed. `paraph approvals` shows both.",
    );
  }
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const round = await findRound(client, id);
  requireOpen(round);
  requireVoter(round, decision);
  if (decision === "approve" && round.needsPasskey) throw await passkeyError(context, round);
  if (options.fingerprint !== undefined) requireFingerprint(round, options.fingerprint);
  const declined = options.without?.split(",").map((step) => step.trim());
  if (!options.yes) await confirmDecision(context, decision, round, declined);
  return sendDecision(context, client, { decision, round, declined, ...options }, given);
}

/** Sends a decision about the round that the person saw, and prints what follows from it. */
export async function sendDecision(
  context: Context,
  client: ApiClient,
  {
    decision,
    round,
    declined,
    ...options
  }: {
    readonly decision: Decision;
    readonly round: RoundView;
    readonly declined?: readonly string[] | undefined;
  } & Pick<DecideOptions, "reason" | "answer">,
  wait?: number,
): Promise<ExitCode> {
  const before = round.parent ? await fetchClosedSteps(client, round.parent.call) : [];
  const decided = await client.request<CallView>(
    `/v1/approvals/${encodeURIComponent(round.approval)}/decision`,
    {
      method: "POST",
      body: {
        decision,
        digest: round.digest,
        ...(options.reason !== undefined && { reason: options.reason }),
        ...(declined && { declined }),
        ...(options.answer !== undefined && { answer: parseAnswer(options.answer) }),
      },
    },
  );
  if (decision !== "approve") return printDecision(context, decided, exitCode.ok);
  const patience = wait ?? (decided.links?.plan || decided.parent ? 60_000 : 10_000);
  const ended = await explainEndOfWait("Your approval is recorded.", decided.call, () =>
    followDecision(context, client, { round, decided }, patience),
  );
  if (!context.json && ended.outcome && decided.parent)
    await printPlanProgress(context, client, decided.parent.call, { ms: patience, told: before });
  // If the agent performs the call itself, the approval has done all that it can do.
  if (ended.waiting?.for === "agent") return exitCode.ok;
  return ended.outcome ? toExitCode(ended.outcome.kind) : exitCode.pending;
}

/**
 * Returns the error of a decision without a terminal and without `--yes`. Resolves `last` first, because there may be
 * nothing to decide.
 */
async function noTerminalError(context: Context, decision: Decision, id: string): Promise<CliError> {
  const approval =
    id === "last"
      ? await resolveApprovalId(
          createApiClient(await resolveConnection(context, "person"), context.signal),
          id,
        )
      : id;
  const needed = decision === "approve" ? "`--fingerprint` and `--yes`" : "`--yes`";
  return usageError(
    `This is not an interactive terminal, so Paraph cannot ask you. Review the approval with \`paraph approval ${approval}\`, then pass ${needed}.`,
  );
}

/** Returns the error that names the page, because a terminal cannot use a passkey. */
async function passkeyError(context: Context, { approval }: RoundView): Promise<CliError> {
  const page = new URL(`/approvals/${approval}`, await resolveServerUrl(context)).href;
  return new CliError(
    "passkey-required",
    `Your approval needs a passkey, which only a browser can use. Open ${page} and approve there. You can deny it here with \`paraph deny ${approval}\`.`,
    { exitCode: exitCode.refused },
  );
}

/** Prints that the vote is recorded, who can give the approvals that are still needed, and where they can do so. */
async function printRecordedVote(context: Context, client: ApiClient, approval: string): Promise<void> {
  const { output } = context;
  const [round, people, url] = await Promise.all([
    findRound(client, approval),
    listPeople(context),
    resolveServerUrl(context),
  ]);
  output.info(`Your approval is recorded. ${formatRemainingApprovals(round, people)}`);
  output.info(`  ${output.paintInfo("cyan", new URL(`/approvals/${approval}`, url).href)}`);
  const next = [[`paraph show ${round.call}`, "show its status"]] as const;
  output.info(`\n${formatCommands(next, output.paintInfo)}`);
}

/** Explains why a new round was opened, if there is one. */
async function explainNewRound(
  { output }: Context,
  client: ApiClient,
  { round }: RoundView,
  { call, waiting }: CallView,
): Promise<void> {
  if (waiting?.approval === undefined) return;
  const { events } = await client.request<{ events: CloudEventView[] }>(
    `/v1/calls/${encodeURIComponent(call)}/events`,
  );
  const closed = toCallEvents(events).findLast(
    ({ kind, data }) => kind === "round-closed" && data.round === round,
  );
  const why = explainVoidRound(closed && String(closed.data.code));
  output.info(`${why} Nothing was done, and a new approval is needed.`);
}

/** Waits for the outcome, and returns earlier if the call needs a further approval. */
async function followDecision(
  context: Context,
  client: ApiClient,
  { round, decided }: { readonly round: RoundView; readonly decided: CallView },
  ms: number,
): Promise<CallView> {
  const how = { ms, throughApproval: false };
  const plan = decided.links?.plan ? await followPlan(context, client, decided.call, how) : undefined;
  const ended = plan ?? (await followCall(context, client, decided, how));
  if (context.json) context.output.json(ended);
  else if (ended.waiting?.approval?.id === round.approval)
    await printRecordedVote(context, client, round.approval);
  else {
    await explainNewRound(context, client, round, ended);
    if (plan) printPlan(context, plan);
    else printDecision(context, ended, exitCode.ok);
  }
  return ended;
}

async function fetchClosedSteps(client: ApiClient, plan: string): Promise<readonly string[]> {
  const steps = filterClosedSteps(await client.request<PlanView>(`/v1/plans/${encodeURIComponent(plan)}`));
  return steps.map(({ step }) => step);
}

/** Follows the rest of a plan after the awaited step has closed. */
async function printPlanProgress(
  context: Context,
  client: ApiClient,
  plan: string,
  how: { readonly ms: number; readonly told: readonly string[] },
): Promise<void> {
  context.output.info("");
  printPlan(context, await followPlan(context, client, plan, { ...how, throughApproval: false }));
}

/** Parses a text such as `true`, `3` or `"x"` as JSON. Returns a text that is not valid JSON unchanged. */
function parseAnswer(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/**
 * Requires that the digest starts with the fingerprint. 16 of the 64 digits are enough, because the digest includes the
 * call's id and a random number that the server chose. An agent therefore cannot search for a second call with the same
 * fingerprint. Shorter prefixes are rejected.
 */
function requireFingerprint({ approval, digest }: RoundView, fingerprint: string): void {
  const digits = fingerprint.replaceAll(/\s/g, "").toLowerCase();
  if (!/^([0-9a-f]{16}|[0-9a-f]{64})$/.test(digits))
    throw usageError(
      `\`${fingerprint}\` is not a fingerprint. Copy the 16 hexadecimal digits that \`paraph approvals\` shows.`,
    );
  if (digest.startsWith(digits)) return;
  throw new CliError(
    "approval-changed",
    `The approval does not have the fingerprint \`${fingerprint}\`, so nothing was decided. Review it with \`paraph approval ${approval}\`.`,
    { exitCode: exitCode.refused },
  );
}

/** Stops a decision that could not count before the person reads the whole approval. The server checks it again. */
function requireVoter({ voter, call, guards }: RoundView, decision: Decision): void {
  if (voter === undefined || voter === "approver" || voter === "confirmation") return;
  // Every person other than the requester can still deny a call.
  if (voter !== "own-call" && decision !== "approve") return;
  const reasons = {
    "own-call": `You can't decide on your own request or your agent's. Another person has to decide. To stop it, run \`paraph withdraw ${call}\`.`,
    "own-edit": "You edited this request, so another person has to approve it.",
    "not-in-group": `You can't approve this request. It needs ${formatRequiredPeople(guards)}.`,
    reassigned: "You reassigned this approval, so the new approver decides.",
    represented: "Your delegate approved it on your behalf, so another person has to approve it.",
  };
  throw new CliError("approver-not-allowed", reasons[voter], { exitCode: exitCode.refused });
}

export function requireOpen(round: RoundView): void {
  if (round.status === "open") return;
  const why =
    round.status === "void" ? "This approval is void" : `This approval is already closed (${round.status})`;
  throw new CliError("approval-closed", `${why}. Run \`paraph show ${round.call}\` to see the call.`, {
    exitCode: exitCode.refused,
  });
}

async function confirmDecision(
  { output, question }: Context,
  decision: Decision,
  round: RoundView,
  declined: readonly string[] = [],
): Promise<void> {
  output.info(`${formatApproval(round, output.paintInfo, { now: Date.now(), whole: false, declined })}\n`);
  const words = {
    approve: output.paintInfo("green", "Approve?"),
    deny: output.paintInfo("red", "Deny?"),
    return: output.paintInfo("yellow", "Return it?"),
  };
  const word = words[decision];
  const undecided = (code: ExitCode) =>
    new CliError("not-decided", "Nothing was decided. The approval is still open.", { exitCode: code });
  const isConfirmed = await askYesNo(question!, word).catch((error: unknown) => {
    throw error instanceof CliError ? undecided(error.exitCode) : error;
  });
  if (!isConfirmed) throw undecided(exitCode.pending);
}

function printDecision({ output, json }: Context, call: CallView, code: ExitCode): ExitCode {
  if (json) output.json(call);
  else if (call.outcome) printOutcome(call, output);
  else printOpenCall(call, output, Date.now());
  if (!json && call.outcome) {
    output.info(
      `\n${formatCommands([[`paraph receipt ${call.call} -o receipt.json`, "download the signed receipt"]], output.paintInfo)}`,
    );
  }
  return code;
}
