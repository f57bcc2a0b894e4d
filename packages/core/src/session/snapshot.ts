import type { CallState } from "../call.ts";
import type { Json } from "../json.ts";
import type { OutcomeKind } from "../outcome.ts";
import { utf8 } from "../receipts/bytes.ts";
import { digest } from "../receipts/digest.ts";

/** A call of a session, as its snapshot lists it. */
export interface SnapshotCall {
  readonly call: string;
  readonly headline: string;
  readonly capability: string;
  /** The time at which the call was requested. */
  readonly at: string;
  /** The state of an open call. */
  readonly state?: CallState;
  readonly outcome?: OutcomeKind;
  readonly code?: string;
  /** Whether the same request may succeed later, if the call failed. */
  readonly retryable?: boolean;
  /** The words of a person about the call: the reason of a denial, or the instructions of a return. */
  readonly said?: string;
  /** The call that replaced this one. */
  readonly successor?: string;
  /** For a plan, the number of its steps by outcome. `open` counts the steps that are not closed. */
  readonly steps?: Readonly<Record<string, number>>;
}

/** Something that a person still has to decide, to answer or to find out, or that the agent still has to answer. */
export interface SnapshotQuestion {
  /**
   * - `approval`: approvers must decide.
   * - `answer`: a person must answer a question of the agent.
   * - `comment`: a person asked or commented, and the requester has not answered.
   * - `unknown`: a person must find out whether the call took effect.
   */
  readonly kind: "approval" | "answer" | "comment" | "unknown";
  readonly call: string;
  readonly at: string;
  readonly approval?: string;
  /** The time at which the approval expires. */
  readonly until?: string;
  readonly by?: string;
  readonly text: string;
}

/** An observation that concerns a session: it comes from an adapter whose capabilities the session uses. */
export interface SnapshotObservation {
  readonly seq: number;
  readonly adapter: string;
  readonly kind: string;
  readonly subject: string;
  readonly at: string;
}

/** Everything that a snapshot can tell about a session, newest first. */
export interface SessionFacts {
  readonly session: string;
  /** The newest state that the agent gave with a call: its own words, which Paraph never relies on. */
  readonly compressedState?: { readonly call: string; readonly text: string };
  readonly questions: readonly SnapshotQuestion[];
  readonly calls: readonly SnapshotCall[];
  readonly observations: readonly SnapshotObservation[];
  /** Whether the session has older calls that are not among `calls`. */
  readonly hasOlder: boolean;
}

/** The state of a session, from which an agent resumes. The newest facts are listed, and older ones are counted. */
export interface SessionSnapshot extends Omit<SessionFacts, "compressedState" | "hasOlder"> {
  /** The SHA-256 of the snapshot. It changes only if the snapshot changes. */
  readonly version: string;
  readonly tokens: { readonly limit: number; readonly estimate: number };
  readonly compressedState?: {
    readonly call: string;
    readonly text: string;
    readonly checked: false;
    /** The number of characters that were cut from the end of the text. */
    readonly cut?: number;
  };
  /** The counts of everything that is left out. */
  readonly folded: {
    readonly calls: Readonly<Record<string, number>>;
    readonly questions: number;
    readonly observations: number;
    /** Whether there are still older calls, which are not counted. */
    readonly hasOlder: boolean;
  };
}

/** The limits of `tokens`. */
export const snapshotTokens = { min: 400, default: 2_000, max: 50_000 } as const;

/**
 * The bytes of UTF-8 that count as one token. Tokenizers need fewer tokens for English prose, and about this many for
 * JSON and for scripts with three bytes per character.
 */
const bytesPerToken = 3;

/** Estimates the number of tokens of a text. The estimate is the same for every model and every process. */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8(text).length / bytesPerToken);
}

/**
 * Builds the snapshot of a session within a number of tokens. Open questions and open calls come first, then closed
 * calls and observations from the newest to the oldest. What does not fit is counted.
 */
export function buildSessionSnapshot(facts: SessionFacts, limit: number): SessionSnapshot {
  const { session, compressedState: state } = facts;
  const budget = new Budget(limit * bytesPerToken);
  budget.reserve({ ...emptySnapshot(session, limit), folded: { ...emptyFolded, calls: worstCounts(facts) } });
  const compressedState = state && cutState(state, Math.floor((limit * bytesPerToken) / stateShare));
  if (compressedState) budget.reserve({ compressedState });

  const [open, closed] = partition(facts.calls, ({ outcome }) => outcome === undefined);
  const questions = budget.take(facts.questions);
  const openCalls = budget.take(open);
  const past = [...closed, ...facts.observations].toSorted((a, b) => compareTexts(b.at, a.at));
  const listed = new Set<unknown>([...openCalls, ...budget.take(past)]);
  const [calls, foldedCalls] = partition(facts.calls, (call) => listed.has(call));
  const observations = facts.observations.filter((one) => listed.has(one));
  const content = {
    ...emptySnapshot(session, limit),
    ...(compressedState && { compressedState }),
    questions,
    calls,
    observations,
    folded: {
      calls: countCalls(foldedCalls),
      questions: facts.questions.length - questions.length,
      observations: facts.observations.length - observations.length,
      hasOlder: facts.hasOlder,
    },
  };
  const estimate = estimateTokens(JSON.stringify(content));
  const { version: _none, ...versioned } = { ...content, tokens: { limit, estimate } };
  return { ...versioned, version: digest(versioned as unknown as Json) };
}

/** The share of the snapshot that the agent's own state can take. The rest stays for what Paraph knows. */
const stateShare = 3;

const emptyFolded = { questions: 0, observations: 0, hasOlder: false };

/** The parts of a snapshot that every snapshot has, at least as long as in the result. */
function emptySnapshot(session: string, limit: number) {
  return {
    session,
    version: "0".repeat(64),
    tokens: { limit, estimate: limit },
    questions: [],
    calls: [],
    observations: [],
    folded: { ...emptyFolded, calls: {} },
  };
}

/** The counts if all calls are left out. No other result has longer counts. */
function worstCounts(facts: SessionFacts) {
  const { questions, observations } = facts;
  return { ...countCalls(facts.calls), questions: questions.length, observations: observations.length };
}

function countCalls(calls: readonly SnapshotCall[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { outcome = "open" } of calls) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => compareTexts(a, b)));
}

/** Cuts the text at the end until it fits, and never within a character. */
function cutState({ call, text }: { readonly call: string; readonly text: string }, maxBytes: number) {
  const whole = { call, text, checked: false as const };
  if (sizeOf(whole) <= maxBytes) return whole;
  const characters = Array.from(text);
  const cutAt = (length: number) => ({
    ...{ ...whole, text: characters.slice(0, length).join("") },
    cut: characters.length - length,
  });
  let [fits, tooLong] = [0, characters.length];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (sizeOf(cutAt(middle)) <= maxBytes) fits = middle;
    else tooLong = middle;
  }
  return cutAt(fits);
}

function sizeOf(value: unknown): number {
  return utf8(JSON.stringify(value)).length;
}

/** The bytes that are left of a snapshot. */
class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  reserve(value: unknown): void {
    this.#left -= sizeOf(value);
  }

  /** Takes items in order until one does not fit. It then takes no further item, so that only older items are left. */
  take<T>(items: readonly T[]): T[] {
    const end = items.findIndex((item) => {
      const size = sizeOf(item) + 1;
      if (size > this.#left) return true;
      this.#left -= size;
      return false;
    });
    return end === -1 ? [...items] : items.slice(0, end);
  }
}

function partition<T>(items: readonly T[], fits: (item: T) => boolean): [T[], T[]] {
  return [items.filter(fits), items.filter((item) => !fits(item))];
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
