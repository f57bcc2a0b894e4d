import type { Approval, CastVote } from "../../approval.ts";
import { type AttemptEnd, type Call, type Child, maxStepBytes, type Payloads } from "../../call.ts";
import type { Event, NewEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import type { Principal } from "../../principal.ts";
import { utf8 } from "../../receipts/bytes.ts";
import { canonical } from "../../receipts/digest.ts";
import type { Resolution } from "../../receipts/resolution.ts";
import type {
  Gate,
  NewApproval,
  NewCall,
  NewIntent,
  NewPayload,
  NewReceipt,
  NewStatement,
} from "../../store.ts";

/** The process that wrote a row. The only fact that rows reveal about it is whether it is alive. */
export interface ModelProcess {
  isAlive: boolean;
}

export interface CallRow
  extends Omit<NewCall, "events" | "payloads" | "ask" | "intent" | "receipt" | "gate" | "segment"> {
  epoch: number;
  state: Call["state"];
  nextAt: number | undefined;
  deadline?: number;
  outcome?: NonNullable<Call["outcome"]>;
  closedAt?: number;
  receipt?: NewReceipt;
  resolution?: Resolution;
  statement?: NewStatement;
  /**
   * The process that runs the call. `deaths` counts the processes that died while running it since its last progress.
   */
  runner?: ModelProcess | undefined;
  deaths?: number;
  stuck?: string;
  /** The concurrency limit under which the call waits for a place, and since when. */
  place?: { readonly key: string; readonly since: number };
  readonly events: Event[];
  /** For each event, the epoch to which its transaction raised the call. */
  readonly epochs: number[];
  readonly payloads: NewPayload[];
  readonly rounds: RoundRow[];
  readonly intents: IntentRow[];
}

export interface RoundRow extends NewApproval {
  status: Approval["status"];
  votes: CastVote[];
}

export interface IntentRow {
  readonly attempt: number;
  readonly at: number;
  readonly deadline: number;
  /** The process that wrote the intent. Undefined if another process acts. */
  readonly writer: ModelProcess | undefined;
  readonly grant?: NonNullable<Gate["grant"]>;
  ended?: AttemptEnd;
}

/**
 * Returns the rows of a call as the pipeline sees them. The result is a copy, so that no caller can change rows through
 * it. `known` is the principal as it is registered now. Only `onBehalfOf` comes from the call.
 */
export function toCall(row: CallRow, known: Principal = row.principal): Call {
  const { rounds, intents, payloads, epochs: _epochs, closedAt: _at, ...columns } = row;
  const { receipt: _receipt, statement: _statement, runner: _runner, place: _place, ...rest } = columns;
  const { onBehalfOf } = row.principal;
  const newest = rounds.at(-1);
  return deepCopy({
    ...rest,
    principal: { ...known, ...(onBehalfOf !== undefined && { onBehalfOf }) },
    deadline: row.deadline,
    outcome: row.outcome,
    approval: newest,
    attempts: intents.map(({ attempt, writer, grant: _used, ...intent }) => ({
      number: attempt,
      writerGone: writer?.isAlive === false,
      ...intent,
    })),
    payloads: selectNewest(payloads),
  });
}

export function toIntentRow(
  { performer, ...intent }: NewIntent,
  writer: ModelProcess,
  gate: Gate | undefined,
): IntentRow {
  return { ...intent, writer: performer ? undefined : writer, ...(gate?.grant && { grant: gate.grant }) };
}

export function toRoundRow(ask: NewApproval): RoundRow {
  return { ...ask, status: "open", votes: [] };
}

/** Returns the row that inserting a call creates. */
export function toCallRow(newCall: NewCall, writer: ModelProcess, now: number): CallRow {
  const { parentEpoch: _fence, undelivered: _debt, ...facts } = deepCopy(newCall);
  const { events, payloads, ask, intent, receipt, gate, segment, ...columns } = facts;
  const row: CallRow = {
    ...columns,
    epoch: 1,
    ...(segment === "runs" && { runner: writer }),
    ...(newCall.state === "closed" && { closedAt: now }),
    events: [],
    epochs: [],
    payloads: [...(payloads ?? [])],
    rounds: ask ? [toRoundRow(ask)] : [],
    intents: intent ? [toIntentRow(intent, writer, gate)] : [],
    ...(receipt && { receipt }),
  };
  appendEvents(row, events);
  return row;
}

/** Appends events. The caller raises the row's epoch first, as the transaction does. */
export function appendEvents(
  row: Pick<CallRow, "events" | "epochs" | "epoch">,
  events: readonly NewEvent[],
): void {
  for (const { kind, at, data } of events) {
    row.events.push({ seq: row.events.length + 1, kind, at, data } as Event);
    row.epochs.push(row.epoch);
  }
}

/**
 * Selects the newest payload of each name. Rows keep older payloads, because commitments in older events refer to them.
 */
function selectNewest(payloads: readonly NewPayload[]): Payloads {
  return Object.fromEntries(payloads.map(({ name, salt, value }) => [name, { salt, value }]));
}

export function deepCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(deepCopy) as T;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = deepCopy((value as Record<string, unknown>)[name]);
    // Assigning to `__proto__` would not create a member.
    if (name === "__proto__")
      Object.defineProperty(copy, name, {
        value: member,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else copy[name] = member;
  }
  return copy as T;
}

/**
 * Returns the steps of one composite. If the total size of their values is too large, omits the values of all steps.
 */
export function toChildren(rows: readonly CallRow[]): Child[] {
  const children = rows.map(toModelChild);
  const bytes = children.reduce(
    (sum, { output, undo }) => sum + measureBytes(output) + measureBytes(undo),
    0,
  );
  if (bytes <= maxStepBytes) return children;
  return children.map(({ output: _, undo: __, ...child }) => ({ ...child, withheld: true }));
}

function measureBytes(value: Json | undefined): number {
  return value === undefined ? 0 : utf8(canonical(value)).length;
}

/** Returns the row as the composite that opened it sees it. */
export function toModelChild(row: CallRow): Child {
  const last = (name: "output" | "undo") => row.payloads.findLast((payload) => payload.name === name)?.value;
  const { call, state, capability, requestDigest, lockKeys, supersedes, outcome, receipt } = row;
  const closedAt = row.events.findLast(({ kind }) => kind === "closed")?.at;
  const output = last("output");
  const undo = last("undo");
  return deepCopy({
    call,
    step: row.parent!.step,
    state,
    capability,
    requestDigest,
    lockKeys,
    ...(supersedes !== undefined && { supersedes }),
    ...(outcome && { outcome }),
    ...(closedAt !== undefined && { closedAt }),
    ...(receipt && { receipt: receipt.digest }),
    ...(output !== undefined && { output }),
    ...(undo !== undefined && { undo }),
  });
}
