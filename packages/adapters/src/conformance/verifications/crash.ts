import { setTimeout as pause } from "node:timers/promises";
import type { Json, Probe } from "@paraph/core";
import type { AdapterProcess } from "../adapter-process.ts";
import type { CaseContext } from "../case-context.ts";
import { describeAnswer } from "../describe-answer.ts";
import { describeDifference } from "../describe-difference.ts";
import type { CaseAttempt, ProcessAnswer } from "../process/commands.ts";
import { fail, pass, skip, type Verdict } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/**
 * Kills a process during `apply`, at times that are spread over a complete run. Then recovers as the pipeline does. For
 * natural and keyed contracts, the pipeline repeats the call. For probe contracts, the pipeline probes first.
 */
export const crashVerification: Verification<CaseContext> = {
  name: "crash",
  rule: "P7",
  claim: "a crash at any time leads to one effect",
  after: ["reset", "apply", "preview", "idempotency"],
  appliesTo: ({ contract }) => contract.effect !== "read" && contract.idempotency !== "none",
  async verify(context) {
    const { crashes } = context;
    if (crashes === 0) return skip("Set `crashes` in the case to the number of times to kill the process.");
    const found = { absent: 0, present: 0, unsure: 0, again: 0, halfway: 0 };
    let whole: CompleteRun | undefined;
    for (let index = 0; index < crashes; index++) {
      // In the first iteration `afterMs` is unset, so that `apply` completes and its duration can be measured. The
      // adapter process then dies before it can record the outcome.
      const afterMs = whole && (whole.ms * (index - 0.5)) / (crashes - 1);
      const end = await crashOnce(context, whole, afterMs, index < crashes - 1);
      const when = afterMs === undefined ? "after it was done" : `after ${afterMs.toFixed(1)} ms`;
      if (end.kind === "wrong") return fail(`Killed ${when}: ${end.message}`);
      found[end.kind]++;
      if (end.halfway) found.halfway++;
      whole = end.whole;
    }
    return toVerdict(context, found, Math.floor(crashes * (context.case.maxUnsureShare ?? 0)));
  },
};

function toVerdict(
  { contract }: CaseContext,
  found: Record<RecoveryKind | "halfway", number>,
  allowed: number,
): Verdict {
  const { absent, present, unsure, again, halfway } = found;
  const crashes = absent + present + unsure + again;
  const killed = `killed ${crashes === 1 ? "once" : `${crashes} times`}, ${halfway} before it was done`;
  if (contract.idempotency !== "probe") return pass(`${killed}, and run again`);
  const said = `${killed}: ${absent} absent, ${present} present, ${unsure} unsure`;
  if (unsure > allowed) return fail(`${said}. At most ${allowed} may be unsure.`);
  return pass(allowed > 0 ? `${said} (up to ${allowed} may be unsure)` : said);
}

/** The snapshots before and after a complete run, and the duration of that run. */
interface CompleteRun {
  readonly before: string;
  readonly after: string;
  readonly ms: number;
}

/** A call whose process has died. */
interface CrashedCall {
  readonly bench: CaseContext;
  readonly lead: AdapterProcess;
  readonly victim: AdapterProcess;
  readonly call: CaseAttempt;
  readonly whole: CompleteRun;
}

type RecoveryKind = Probe["kind"] | "again";
type WrongRecovery = { readonly kind: "wrong"; readonly message: string };
type RecoveryResult = { readonly kind: RecoveryKind } | WrongRecovery;

async function crashOnce(
  context: CaseContext,
  known: CompleteRun | undefined,
  afterMs: number | undefined,
  another: boolean,
): Promise<
  { readonly kind: RecoveryKind; readonly halfway: boolean; readonly whole: CompleteRun } | WrongRecovery
> {
  const before = await context.resetCase();
  const lead = await context.pool.main();
  const call = await context.withBasis(lead, context.createAttempt());
  const victim = await context.pool.startFresh(another);
  using _ = victim.processTree.watch();
  const answer = await victim.send({ kind: "die", ...call, ...(afterMs !== undefined && { afterMs }) });
  await victim.exited;
  const whole = known ? shortenRun(known, answer) : await recordCompleteRun(context, victim, before, answer);
  if ("kind" in whole) return whole;
  const scene = { bench: context, lead, victim, call, whole };
  const end =
    context.contract.idempotency === "probe" ? await probeAndVerify(scene) : await runAgain(scene, "again");
  await waitForChildren(victim);
  return end.kind === "wrong" ? end : { ...end, halfway: answer.kind === "died", whole };
}

/** Shortens the known duration if `apply` completed before the kill, so that later kills fall within a run. */
function shortenRun(known: CompleteRun, answer: ProcessAnswer<Json>): CompleteRun {
  return answer.kind === "done" ? { ...known, ms: Math.min(known.ms, answer.ms) } : known;
}

async function recordCompleteRun(
  context: CaseContext,
  victim: AdapterProcess,
  before: string,
  answer: ProcessAnswer<Json>,
): Promise<CompleteRun | WrongRecovery> {
  if (answer.kind !== "done") return wrongRecovery(`the call failed: ${describeAnswer(answer)}`);
  await waitForChildren(victim);
  return { before, after: await context.takeSnapshot(), ms: answer.ms };
}

/**
 * Probes immediately, while children of the dead process may still run. `present` must be true then. After `absent`,
 * the external system may still complete a request that it had accepted before the crash. That completes the effect,
 * and running the call again must not add a second one.
 */
async function probeAndVerify(scene: CrashedCall): Promise<RecoveryResult> {
  const { bench, lead, victim, call, whole } = scene;
  const answer = await lead.send({ kind: "probe", ...call });
  if (answer.kind !== "done") return wrongRecovery(`the probe failed: ${describeAnswer(answer)}`);
  const { kind } = answer.value;
  if (kind === "unsure") return { kind };
  await waitForChildren(victim);
  const now = await bench.takeSnapshot();
  const should = kind === "absent" ? whole.before : whole.after;
  const isLate = kind === "absent" && now === whole.after;
  if (now !== should && !isLate)
    return wrongRecovery(`the probe answered ${kind}, but ${describeDifference(should, now)}.`);
  if (kind === "absent") return runAgain(scene, kind);
  return answer.unfit
    ? wrongRecovery(`the probe's output does not match its schema: ${answer.unfit.join("; ")}.`)
    : { kind };
}

async function runAgain(
  { bench, lead, victim, call, whole }: CrashedCall,
  kind: "absent" | "again",
): Promise<RecoveryResult> {
  const answer = await applyWithRetries(lead, { ...call, attempt: 2 });
  await waitForChildren(victim);
  if (answer.kind !== "done") return wrongRecovery(`the second run failed: ${describeAnswer(answer)}`);
  const now = await bench.takeSnapshot();
  return now === whole.after
    ? { kind }
    : wrongRecovery(
        `after the second run, the state differs from the state after a single run: ${describeDifference(whole.after, now)}.`,
      );
}

/** [P8] Applies the call, and retries after a `not-performed` fault as the pipeline does. */
async function applyWithRetries(lead: AdapterProcess, call: CaseAttempt): Promise<ProcessAnswer<Json>> {
  for (let retries = 0; ; retries++) {
    const answer = await lead.send({ kind: "apply", ...call, attempt: call.attempt + retries });
    if (answer.kind !== "fault" || answer.fault.kind !== "not-performed" || retries === 3) return answer;
    await pause(100 * 2 ** retries);
  }
}

/** Waits up to 20 seconds for the descendants of the dead process to end, and then kills those that remain. */
async function waitForChildren({ processTree }: AdapterProcess): Promise<void> {
  const patience = performance.now() + 20_000;
  while (processTree.listLiving().length > 0 && performance.now() < patience) await pause(10);
  processTree.killAll();
}

function wrongRecovery(message: string): WrongRecovery {
  return { kind: "wrong", message };
}
