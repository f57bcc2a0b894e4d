import { setImmediate as nextTurn } from "node:timers/promises";
import type { Guard, PolicySet, RulingKind } from "@paraph/core";
import type { CallHistory, PastCall, RecordedRuling } from "./past-call.ts";
import {
  type BacktestContext,
  type BacktestVerdict,
  type NotEvaluatedReason,
  rulePastCall,
} from "./rule-past-call.ts";
import { compareRulings, type RequiredApprovers, type RulingDirection } from "./ruling-direction.ts";
import { hasSameMembers } from "./same-members.ts";

/** Options of `backtestPolicies`. */
export interface RunBacktestOptions<Document> extends Omit<BacktestContext, "set"> {
  /** Loads a document. Throws if it is not a valid policy set. */
  readonly load: (document: Document) => PolicySet;
  readonly history: CallHistory;
  /** The period in milliseconds since 1970. It includes `since` and excludes `until`. */
  readonly since: number;
  readonly until: number;
  /** The maximum number of calls that the result lists in `differences`. */
  readonly maxDifferences: number;
  readonly signal?: AbortSignal;
}

/** The progress of a backtest, in calls. */
export interface BacktestProgress {
  readonly kind: "progress";
  readonly done: number;
  readonly total: number;
}

/** A past call on which the candidate would have made a different ruling, or would have required other approvers. */
export interface RulingDifference {
  readonly call: string;
  readonly capability: string;
  readonly principal: string;
  readonly openedAt: number;
  readonly was: RulingKind;
  readonly wouldBe: RulingKind;
  readonly direction: RulingDirection;
  /** Whether people denied the call, and the candidate would allow it. */
  readonly wasDenied?: true;
  /** The people whose approval was and would be required, if people are asked in both cases. */
  readonly approvers?: {
    readonly was: readonly RequiredApprovers[];
    readonly wouldBe: readonly RequiredApprovers[];
  };
  /** The policies that would determine the ruling. */
  readonly policies: readonly string[];
}

/** The result of a backtest. */
export interface BacktestResult {
  readonly kind: "result";
  /** The version of the candidate. */
  readonly version: string;
  readonly since: number;
  readonly until: number;
  readonly calls: number;
  readonly evaluated: number;
  /** The number of calls for which the candidate's ruling or the required approvers differ. */
  readonly changed: number;
  /** The changed calls by direction. */
  readonly directions: Readonly<Record<RulingDirection, number>>;
  /** The number of calls that people denied and the candidate would allow. */
  readonly allowedAgainstDenial: number;
  /** The changed calls by the day of their request in UTC, oldest first. Days without a change are left out. */
  readonly days: readonly ({ readonly day: string } & Readonly<Record<RulingDirection, number>>)[];
  /**
   * The number of evaluated calls that have no preview, although their capability supports previews. Calls that the
   * candidate blocks do not count. Only the candidate's first ruling on the counted calls is known.
   */
  readonly unpreviewed: number;
  /**
   * The number of calls for each pair of past and new ruling. `otherPolicies` counts the calls for which the
   * candidate's ruling comes from different policies than the past ruling. `otherApprovers` counts the calls for which
   * the candidate also asks people, but other people or another number of people.
   */
  readonly byRuling: readonly {
    readonly was: RulingKind;
    readonly wouldBe: RulingKind;
    readonly calls: number;
    readonly otherPolicies: number;
    readonly otherApprovers: number;
  }[];
  /**
   * The policies that would have changed rulings. The policy that would have changed the rulings on the most calls
   * comes first.
   */
  readonly byPolicy: readonly {
    readonly policy: string;
    readonly wouldBe: RulingKind;
    readonly calls: number;
  }[];
  readonly notEvaluated: Readonly<Partial<Record<NotEvaluatedReason, number>>>;
  /**
   * Calls for which the candidate's ruling or the required approvers differ. Calls that people denied and the candidate
   * would allow come first, then looser rulings, then the others, and the newest first in each part.
   */
  readonly differences: readonly RulingDifference[];
}

/**
 * Rules on past calls with a candidate set. Throws immediately if the candidate cannot be loaded. Otherwise it yields
 * the progress and finally the result.
 */
export function backtestPolicies<Document>(
  document: Document,
  options: RunBacktestOptions<Document>,
): AsyncGenerator<BacktestProgress | BacktestResult, void, void> {
  // Shadow policies decide nothing, so the backtest leaves them out.
  const { withShadows: _, ...set } = options.load(document);
  return streamBacktest({ ...options, set });
}

async function* streamBacktest(
  options: Omit<RunBacktestOptions<never>, "load"> & BacktestContext,
): AsyncGenerator<BacktestProgress | BacktestResult, void, void> {
  const { history, since, until, signal, maxDifferences } = options;
  const total = await history.count(since, until);
  const tally = new BacktestTally(maxDifferences);
  yield { kind: "progress", done: 0, total };
  for await (const page of history.pages(since, until)) {
    for await (const past of yieldWithPauses(page)) tally.add(past, await rulePastCall(past, options));
    signal?.throwIfAborted();
    yield { kind: "progress", done: tally.calls, total: Math.max(total, tally.calls) };
  }
  yield { kind: "result", version: options.set.version, since, until, ...tally.result() };
}

/** The maximum time between two pauses. The backtest pauses because the same thread serves the API. */
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
  #evaluated = 0;
  #changed = 0;
  #unpreviewed = 0;
  readonly #maxDifferences: number;
  readonly #byRuling = new Map<
    string,
    { was: RulingKind; wouldBe: RulingKind; calls: number; otherPolicies: number; otherApprovers: number }
  >();
  readonly #byPolicy = new Map<string, { policy: string; wouldBe: RulingKind; calls: number }>();
  readonly #notEvaluated: Partial<Record<NotEvaluatedReason, number>> = {};
  readonly #directions = createDirectionCounts();
  readonly #days = new Map<string, Record<RulingDirection, number>>();
  #allowedAgainstDenial = 0;
  /** The newest differences, by how much they deserve attention. */
  readonly #differences: readonly RulingDifference[][] = [[], [], []];

  constructor(maxDifferences: number) {
    this.#maxDifferences = maxDifferences;
  }

  add(past: PastCall, verdict: BacktestVerdict): void {
    this.calls++;
    if (verdict.kind === "notEvaluated") {
      this.#notEvaluated[verdict.reason] = (this.#notEvaluated[verdict.reason] ?? 0) + 1;
      return;
    }
    const { was } = past;
    const { wouldBe, unpreviewed } = verdict;
    this.#evaluated++;
    if (unpreviewed) this.#unpreviewed++;
    const move = getOrCreate(this.#byRuling, `${was.kind} ${wouldBe.kind}`, () => ({
      was: was.kind,
      wouldBe: wouldBe.kind,
      calls: 0,
      otherPolicies: 0,
      otherApprovers: 0,
    }));
    move.calls++;
    if (!hasSameMembers(was.policies, wouldBe.policies)) move.otherPolicies++;
    const approvers = findOtherApprovers(was, wouldBe);
    if (approvers) move.otherApprovers++;
    if (was.kind !== wouldBe.kind || approvers) this.#differ(past, wouldBe, approvers);
  }

  #differ(past: PastCall, wouldBe: RecordedRuling, approvers: RulingDifference["approvers"]): void {
    const { call, capability, was, request, openedAt, outcome } = past;
    const { kind, policies } = wouldBe;
    const direction = compareRulings(
      { kind: was.kind, approvers: approvers?.was ?? [] },
      { kind, approvers: approvers?.wouldBe ?? [] },
    );
    const wasDenied = outcome === "denied" && kind === "allow";
    this.#changed++;
    this.#directions[direction]++;
    getOrCreate(this.#days, new Date(openedAt).toISOString().slice(0, 10), createDirectionCounts)[
      direction
    ]++;
    if (wasDenied) this.#allowedAgainstDenial++;
    for (const policy of policies)
      getOrCreate(this.#byPolicy, `${kind} ${policy}`, () => ({ policy, wouldBe: kind, calls: 0 })).calls++;
    const listed = this.#differences[wasDenied ? 0 : direction === "looser" ? 1 : 2]!;
    listed.push({
      call,
      capability,
      principal: request?.principal.id ?? "",
      openedAt,
      was: was.kind,
      wouldBe: kind,
      direction,
      ...(wasDenied && { wasDenied }),
      ...(approvers && { approvers }),
      policies,
    });
    if (listed.length > this.#maxDifferences) listed.shift();
  }

  result(): Omit<BacktestResult, "kind" | "version" | "since" | "until"> {
    const byCountDescending = (a: { calls: number }, b: { calls: number }) => b.calls - a.calls;
    return {
      calls: this.calls,
      evaluated: this.#evaluated,
      changed: this.#changed,
      directions: this.#directions,
      allowedAgainstDenial: this.#allowedAgainstDenial,
      days: [...this.#days].map(([day, counts]) => ({ day, ...counts })),
      unpreviewed: this.#unpreviewed,
      byRuling: [...this.#byRuling.values()].sort(byCountDescending),
      byPolicy: [...this.#byPolicy.values()].sort(byCountDescending),
      notEvaluated: this.#notEvaluated,
      differences: this.#differences.flatMap((listed) => listed.toReversed()).slice(0, this.#maxDifferences),
    };
  }
}

/** Returns the old and new approvers of a call, if people are asked in both cases and the approvers differ. */
function findOtherApprovers(was: RecordedRuling, wouldBe: RecordedRuling): RulingDifference["approvers"] {
  if (!was.guards || !wouldBe.guards) return undefined;
  const approvers = { was: toRequiredApprovers(was.guards), wouldBe: toRequiredApprovers(wouldBe.guards) };
  return JSON.stringify(approvers.was) === JSON.stringify(approvers.wouldBe) ? undefined : approvers;
}

/** Returns the people whose approval the guards require, each combination once and in a fixed order. */
function toRequiredApprovers(guards: readonly Guard[]): RequiredApprovers[] {
  const required = guards
    .filter(({ ruling }) => ruling === "ask")
    .map(({ quorum, group }) => ({ quorum, ...(group !== undefined && { group }) }));
  const byText = new Map(required.map((each) => [`${each.group ?? ""} ${each.quorum}`, each]));
  return [...byText.keys()].sort().map((key) => byText.get(key)!);
}

function createDirectionCounts(): Record<RulingDirection, number> {
  return { looser: 0, tighter: 0, other: 0 };
}

function getOrCreate<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
