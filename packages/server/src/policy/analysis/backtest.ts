import { setImmediate as nextTurn } from "node:timers/promises";
import type { PolicySet, Ruling } from "@paraph/core";
import type { CallHistory, PastCall } from "./past-call.ts";
import {
  type BacktestContext,
  type BacktestVerdict,
  rulePastCall,
  type UnjudgedReason,
} from "./rule-past-call.ts";
import { hasSameMembers } from "./same-members.ts";

type RulingKind = Ruling["kind"];

export interface RunBacktestOptions<Document> extends Omit<BacktestContext, "set"> {
  /** Throws where the document is not a set of policies. */
  readonly load: (document: Document) => PolicySet;
  readonly history: CallHistory;
  /** Milliseconds since 1970: calls from the one and before the other. */
  readonly since: number;
  readonly until: number;
  /** How many of the calls that would have gone another way are listed. */
  readonly most: number;
  readonly signal?: AbortSignal;
}

export interface BacktestProgress {
  readonly kind: "progress";
  readonly done: number;
  readonly total: number;
}

export interface RulingDifference {
  readonly call: string;
  readonly capability: string;
  readonly was: RulingKind;
  readonly wouldBe: RulingKind;
  /** Those that would determine it. */
  readonly policies: readonly string[];
}

export interface BacktestResult {
  readonly kind: "result";
  /** Of the candidate. */
  readonly version: string;
  readonly since: number;
  readonly until: number;
  readonly calls: number;
  readonly judged: number;
  /** How many would have gone another way. */
  readonly changed: number;
  /** How many of the judged were never previewed, though their capability can: the candidate's first answer only. */
  readonly unpreviewed: number;
  /** Every pair that occurred. `otherPolicies`: how many of them by other policies than then. */
  readonly moves: readonly {
    readonly was: RulingKind;
    readonly wouldBe: RulingKind;
    readonly calls: number;
    readonly otherPolicies: number;
  }[];
  /** Which policies would have made the difference, most calls first. */
  readonly byPolicy: readonly {
    readonly policy: string;
    readonly wouldBe: RulingKind;
    readonly calls: number;
  }[];
  readonly unjudged: Readonly<Partial<Record<UnjudgedReason, number>>>;
  /** The newest of the calls that would have gone another way. */
  readonly differences: readonly RulingDifference[];
}

/**
 * History against a candidate: what each call of the past would have met. Throws at once where the candidate does
 * not load; then tells how far it is, and at last what it found.
 */
export function backtestPolicies<Document>(
  document: Document,
  options: RunBacktestOptions<Document>,
): AsyncGenerator<BacktestProgress | BacktestResult, void, void> {
  // What is in shadow decides nothing, so it is not asked here.
  const { withShadows: _, ...set } = options.load(document);
  return streamBacktest({ ...options, set });
}

async function* streamBacktest(
  options: Omit<RunBacktestOptions<never>, "load"> & BacktestContext,
): AsyncGenerator<BacktestProgress | BacktestResult, void, void> {
  const { history, since, until, signal, most } = options;
  const total = await history.count(since, until);
  const tally = new BacktestTally(most);
  yield { kind: "progress", done: 0, total };
  for await (const page of history.pages(since, until)) {
    for await (const past of yieldWithPauses(page)) tally.add(past, await rulePastCall(past, options));
    signal?.throwIfAborted();
    yield { kind: "progress", done: tally.calls, total: Math.max(total, tally.calls) };
  }
  yield { kind: "result", version: options.set.version, since, until, ...tally.result() };
}

/** No longer than this at a stretch: callers of the API are served by the same thread. */
const maxStretchMs = 8;

async function* yieldWithPauses(page: readonly PastCall[]): AsyncGenerator<PastCall, void, void> {
  let begun = performance.now();
  for (const past of page) {
    yield past;
    if (performance.now() - begun < maxStretchMs) continue;
    await nextTurn();
    begun = performance.now();
  }
}

class BacktestTally {
  calls = 0;
  #judged = 0;
  #changed = 0;
  #unpreviewed = 0;
  readonly #most: number;
  readonly #moves = new Map<
    string,
    { was: RulingKind; wouldBe: RulingKind; calls: number; otherPolicies: number }
  >();
  readonly #byPolicy = new Map<string, { policy: string; wouldBe: RulingKind; calls: number }>();
  readonly #unjudged: Partial<Record<UnjudgedReason, number>> = {};
  readonly #differences: RulingDifference[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(past: PastCall, judgement: BacktestVerdict): void {
    this.calls++;
    if (judgement.kind === "unjudged") {
      this.#unjudged[judgement.reason] = (this.#unjudged[judgement.reason] ?? 0) + 1;
      return;
    }
    const { was } = past;
    const { wouldBe, unpreviewed } = judgement;
    this.#judged++;
    if (unpreviewed) this.#unpreviewed++;
    const move = getOrCreate(this.#moves, `${was.kind} ${wouldBe.kind}`, () => ({
      was: was.kind,
      wouldBe: wouldBe.kind,
      calls: 0,
      otherPolicies: 0,
    }));
    move.calls++;
    if (!hasSameMembers(was.policies, wouldBe.policies)) move.otherPolicies++;
    if (was.kind !== wouldBe.kind) this.#differ(past, wouldBe);
  }

  #differ({ call, capability, was }: PastCall, { kind, policies }: PastCall["was"]): void {
    this.#changed++;
    for (const policy of policies)
      getOrCreate(this.#byPolicy, `${kind} ${policy}`, () => ({ policy, wouldBe: kind, calls: 0 })).calls++;
    this.#differences.push({ call, capability, was: was.kind, wouldBe: kind, policies });
    if (this.#differences.length > this.#most) this.#differences.shift();
  }

  result(): Omit<BacktestResult, "kind" | "version" | "since" | "until"> {
    const mostFirst = (a: { calls: number }, b: { calls: number }) => b.calls - a.calls;
    return {
      calls: this.calls,
      judged: this.#judged,
      changed: this.#changed,
      unpreviewed: this.#unpreviewed,
      moves: [...this.#moves.values()].sort(mostFirst),
      byPolicy: [...this.#byPolicy.values()].sort(mostFirst),
      unjudged: this.#unjudged,
      differences: this.#differences.toReversed(),
    };
  }
}

function getOrCreate<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
