import { setTimeout as pause } from "node:timers/promises";
import type { Json, Probe } from "@paraph/core";
import type { Bench } from "../bench.ts";
import { difference } from "../difference.ts";
import type { Answer, Attempt } from "../performer/order.ts";
import type { Performer } from "../performer.ts";
import { told } from "../told.ts";
import { fail, notAsked, pass, type Verdict } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/**
 * A process is killed in the middle of apply, at moments swept over a whole one, and what the pipeline then does is
 * done: natural and keyed contracts run again, probe contracts are asked first.
 */
export const crash: Verification<Bench> = {
  name: "crash",
  rule: "P7",
  claim: "after a crash at any moment, one effect",
  after: ["reset", "apply", "preview", "idempotency"],
  concerns: ({ contract }) => contract.effect !== "read" && contract.idempotency !== "none",
  async verify(bench) {
    const { crashes } = bench;
    if (crashes === 0) return notAsked("Give the case `crashes`: how often it is killed.");
    const found = { absent: 0, present: 0, unsure: 0, again: 0, halfway: 0 };
    let whole: Whole | undefined;
    for (let index = 0; index < crashes; index++) {
      // The first is let finish: it says how long a whole one takes, and dies before anybody could note the outcome.
      const afterMs = whole && (whole.ms * (index - 0.5)) / (crashes - 1);
      const end = await crashed(bench, whole, afterMs, index < crashes - 1);
      const when = afterMs === undefined ? "once it was done" : `after ${afterMs.toFixed(1)} ms`;
      if (end.kind === "wrong") return fail(`Killed ${when}: ${end.message}`);
      found[end.kind]++;
      if (end.halfway) found.halfway++;
      whole = end.whole;
    }
    return verdictOf(bench, found, Math.floor(crashes * (bench.case.unsure ?? 0)));
  },
};

function verdictOf({ contract }: Bench, found: Record<Found | "halfway", number>, allowed: number): Verdict {
  const { absent, present, unsure, again: repeated, halfway } = found;
  const crashes = absent + present + unsure + repeated;
  const killed = `killed ${crashes === 1 ? "once" : `${crashes} times`}, ${halfway} before it was done`;
  if (contract.idempotency !== "probe") return pass(`${killed}, and run again`);
  const said = `${killed}: ${absent} absent, ${present} present, ${unsure} unsure`;
  if (unsure > allowed) return fail(`${said}, of which ${allowed} may be.`);
  return pass(allowed > 0 ? `${said} (up to ${allowed} may be)` : said);
}

/** What the outside was and is, and how long it took. */
interface Whole {
  readonly before: string;
  readonly after: string;
  readonly ms: number;
}

/** A call whose process is dead. */
interface Scene {
  readonly bench: Bench;
  readonly lead: Performer;
  readonly victim: Performer;
  readonly call: Attempt;
  readonly whole: Whole;
}

type Found = Probe["kind"] | "again";
type Wrong = { readonly kind: "wrong"; readonly message: string };
type End = { readonly kind: Found } | Wrong;

async function crashed(
  bench: Bench,
  known: Whole | undefined,
  afterMs: number | undefined,
  another: boolean,
): Promise<{ readonly kind: Found; readonly halfway: boolean; readonly whole: Whole } | Wrong> {
  const before = await bench.begin();
  const lead = await bench.troupe.lead();
  const call = await bench.based(lead, bench.attempt());
  const victim = await bench.troupe.fresh(another);
  using _ = victim.family.watch();
  const answer = await victim.ask({ kind: "die", ...call, ...(afterMs !== undefined && { afterMs }) });
  await victim.gone;
  const whole = known ? noLonger(known, answer) : await wholeOf(bench, victim, before, answer);
  if ("kind" in whole) return whole;
  const scene = { bench, lead, victim, call, whole };
  const end = bench.contract.idempotency === "probe" ? await asked(scene) : await again(scene, "again");
  await silence(victim);
  return end.kind === "wrong" ? end : { ...end, halfway: answer.kind === "died", whole };
}

/** One that was done before it was to die took less than the first: the sweep is over what it took. */
function noLonger(known: Whole, answer: Answer<Json>): Whole {
  return answer.kind === "done" ? { ...known, ms: Math.min(known.ms, answer.ms) } : known;
}

async function wholeOf(
  bench: Bench,
  victim: Performer,
  before: string,
  answer: Answer<Json>,
): Promise<Whole | Wrong> {
  if (answer.kind !== "done") return wrong(`it had failed: ${told(answer)}`);
  await silence(victim);
  return { before, after: await bench.picture(), ms: answer.ms };
}

/** Asked at once, while children of the dead process may still be at it: what it says must hold once they are done. */
async function asked(scene: Scene): Promise<End> {
  const { bench, lead, victim, call, whole } = scene;
  const answer = await lead.ask({ kind: "probe", ...call });
  if (answer.kind !== "done") return wrong(`the probe failed: ${told(answer)}`);
  const { kind } = answer.value;
  if (kind === "unsure") return { kind };
  await silence(victim);
  const now = await bench.picture();
  const should = kind === "absent" ? whole.before : whole.after;
  if (now !== should) return wrong(`the probe says ${kind}, and ${difference(should, now)}.`);
  if (kind === "absent") return again(scene, kind);
  return answer.unfit ? wrong(`what the probe found does not fit: ${answer.unfit.join("; ")}.`) : { kind };
}

async function again({ bench, lead, victim, call, whole }: Scene, kind: "absent" | "again"): Promise<End> {
  const answer = await retried(lead, { ...call, attempt: 2 });
  await silence(victim);
  if (answer.kind !== "done") return wrong(`run again, it failed: ${told(answer)}`);
  const now = await bench.picture();
  return now === whole.after
    ? { kind }
    : wrong(`run again, it is not as after one: ${difference(whole.after, now)}.`);
}

/** [P8] Not performed is tried again, as the pipeline does. */
async function retried(lead: Performer, call: Attempt): Promise<Answer<Json>> {
  for (let retries = 0; ; retries++) {
    const answer = await lead.ask({ kind: "apply", ...call, attempt: call.attempt + retries });
    if (answer.kind !== "fault" || answer.fault.kind !== "not-performed" || retries === 3) return answer;
    await pause(100 * 2 ** retries);
  }
}

/** Nothing of the dead process is at work any more; what will not end is ended. */
async function silence({ family }: Performer): Promise<void> {
  const patience = performance.now() + 5_000;
  while (family.living().length > 0 && performance.now() < patience) await pause(10);
  family.end();
}

function wrong(message: string): Wrong {
  return { kind: "wrong", message };
}
