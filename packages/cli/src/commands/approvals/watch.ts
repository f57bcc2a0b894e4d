import { setTimeout as sleep } from "node:timers/promises";
import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import type { ApprovalSummaryView, BundleView } from "../../lib/api/api-views.ts";
import { type ApiClient, createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { CliError, interruptedError, isTemporaryError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { exitCode } from "../../lib/exit-code.ts";
import { launchProgram } from "../../lib/launch-program.ts";
import { formatApproval } from "../../lib/render/approval.ts";
import { findNotifyCommand } from "../../lib/terminal/desktop-notification.ts";
import { formatTimeUntil } from "../../lib/terminal/format-time.ts";
import { canApprove } from "./approvals.ts";
import { sendDecision } from "./decide.ts";
import { findRound } from "./find-round.ts";

export interface WatchOptions {
  /** Whether to show desktop notifications. */
  readonly notify: boolean;
}

const pollMs = 2_000;

/**
 * Shows the requests that the person can decide, as they arrive, until the person interrupts the command. In a terminal
 * it asks for a decision about each. Otherwise it prints one line for each.
 */
export async function watchApprovals(context: Context, { notify }: WatchOptions): Promise<never> {
  const { output, json, question } = context;
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const isAsking = question !== undefined && !json;
  output.info("Watching for requests that you can decide. Press Ctrl-C to stop.");
  for await (const request of followRequests(context, client, notify)) {
    if (json) output.data(escapeInvisibleJson(request));
    else if (isFlood(request) || !isAsking) output.data(formatRequest(request));
    else await decideRequest(context, client, request);
  }
  throw interruptedError();
}

type WatchedRequest = ApprovalSummaryView | BundleView;

function isFlood(request: WatchedRequest): request is BundleView {
  return "items" in request;
}

/**
 * Returns the requests that wait now, the oldest first, and each new one. It keeps polling while the person reads one,
 * so that the desktop notification of the next one is not late.
 */
function followRequests(
  context: Context,
  client: ApiClient,
  notify: boolean,
): ReadableStream<WatchedRequest> {
  const { signal, output } = context;
  let seen = new Set<string>();
  const readNew = async (isFirst: boolean) => {
    try {
      const found = await listRequests(client);
      const fresh = found.filter((request) => !seen.has(identify(request)));
      seen = new Set(found.map(identify));
      return fresh;
    } catch (error) {
      if (isFirst || !isTemporaryError(error)) throw error;
      output.status(error.message);
      return [];
    }
  };
  const poll = async (controller: ReadableStreamDefaultController<WatchedRequest>) => {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      for (const request of await readNew(isFirst)) {
        controller.enqueue(request);
        if (notify && !isFirst) await notifyDesktop(context, request);
      }
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
    controller.close();
  };
  return new ReadableStream({
    start(controller) {
      poll(controller).catch((error: unknown) =>
        controller.error(signal.aborted ? interruptedError() : error),
      );
    },
  });
}

/** Returns the open requests that the person can decide, the oldest first. */
async function listRequests(client: ApiClient): Promise<readonly WatchedRequest[]> {
  const { approvals, bundles = [] } = await client.request<{
    approvals: ApprovalSummaryView[];
    bundles?: BundleView[];
  }>("/v1/approvals?status=open&limit=100");
  return [...bundles, ...approvals.filter(canApprove).toReversed()];
}

function identify(request: WatchedRequest): string {
  return isFlood(request) ? `${request.principal} ${request.capability}` : request.approval;
}

async function notifyDesktop({ environment }: Context, request: WatchedRequest): Promise<void> {
  const text = isFlood(request)
    ? `${request.principal} has ${request.count} open requests for ${request.capability}`
    : `${request.headline} (${request.principal})`;
  const command = findNotifyCommand(process.platform, environment, { title: "Approval needed", text });
  if (command) await launchProgram(command);
}

function formatRequest(request: WatchedRequest): string {
  if (isFlood(request)) {
    const { principal, capability, count } = request;
    return `${escapeInvisible(principal)} has ${count} open requests for ${escapeInvisible(capability)}. Decide all of them on the page: paraph open`;
  }
  const { approval, headline, principal, expiresAt } = request;
  const until = formatTimeUntil(Date.parse(expiresAt), Date.now());
  return `${approval}  ${escapeInvisible(headline)}  ${escapeInvisible(principal)}  expires ${until}`;
}

/** Shows a request and asks for a decision. A request that ended meanwhile is left out. */
async function decideRequest(
  context: Context,
  client: ApiClient,
  { approval }: ApprovalSummaryView,
): Promise<void> {
  const { output } = context;
  try {
    const round = await findRound(client, approval);
    if (round.status !== "open") return;
    output.info(`\n${formatApproval(round, output.paintInfo, { now: Date.now(), whole: false })}\n`);
    const decision = await askDecision(context);
    if (decision === "skip") output.info(`Skipped. To decide later: paraph approve ${approval}`);
    else await sendDecision(context, client, { round, ...decision });
  } catch (error) {
    // The request ended or changed while the person read it. The next one is not affected.
    if (!(error instanceof CliError) || error.exitCode === exitCode.interrupted) throw error;
    output.info(output.paintInfo("red", error.message));
  }
}

async function askDecision({
  question,
  output: { paintInfo },
}: Context): Promise<"skip" | { readonly decision: "approve" | "deny"; readonly reason?: string }> {
  const text = `${paintInfo("green", "a")} approve, ${paintInfo("red", "d")} deny, Enter to skip: `;
  const answer = (await question!(text)).trim().toLowerCase();
  if (["a", "approve"].includes(answer)) return { decision: "approve" };
  if (!["d", "deny"].includes(answer)) return "skip";
  const reason = (await question!("Reason (optional): ")).trim();
  return { decision: "deny", ...(reason !== "" && { reason }) };
}
