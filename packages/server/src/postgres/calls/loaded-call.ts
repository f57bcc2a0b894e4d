import type { Call, Child, Json, OutcomeKind } from "@paraph/core";

/** A row of `paraph.load`. Columns without a value are null. */
interface LoadedCall
  extends Omit<
    Call,
    | "payloads"
    | "session"
    | "outcome"
    | "attempts"
    | "supersedes"
    | "editedBy"
    | "parent"
    | "resolution"
    | "deaths"
    | "stuck"
    | "barredVoters"
    | "restoredAt"
  > {
  readonly payloads: readonly { name: string; salt: string; body: string }[];
  readonly session: string | null;
  readonly thread: string | null;
  readonly outcome: string | null;
  readonly outcomeCode: string | null;
  readonly attempts: readonly (Call["attempts"][number] & { ended: string | null })[];
  readonly supersedes: string | null;
  readonly editedBy: string | null;
  readonly parent: Call["parent"] | null;
  readonly barredVoters: readonly string[] | null;
  readonly resolution: Call["resolution"] | null;
  readonly deaths: number | null;
  readonly stuck: string | null;
  readonly restoredAt: number | null;
}

/** A row of `paraph.children`. */
export interface ChildRow extends Omit<Child, "outcome" | "output" | "undo" | "withheld"> {
  readonly withheld: true | false;
  readonly outcome: OutcomeKind | null;
  readonly outcomeCode: string | null;
  readonly output: string | null;
  readonly undo: string | null;
}

/** Converts a row of `paraph.load`, or its absence. */
export function toCall(raw: unknown): Call | undefined {
  if (raw === null || raw === undefined) return undefined;
  const { thread, outcomeCode, supersedes, editedBy, parent, resolution, ...rest } = raw as LoadedCall;
  const { deaths, stuck, barredVoters, restoredAt, ...row } = rest;
  return {
    ...row,
    ...(supersedes !== null && { supersedes }),
    ...(editedBy !== null && { editedBy }),
    ...(parent && { parent }),
    ...(resolution && { resolution }),
    ...(deaths !== null && { deaths }),
    ...(stuck !== null && { stuck }),
    ...(barredVoters && { barredVoters }),
    ...(restoredAt !== null && { restoredAt }),
    principal: omitNulls(row.principal),
    session: omitNulls({ session: row.session, thread }) as Call["session"],
    trace: row.trace ?? undefined,
    nextAt: row.nextAt ?? undefined,
    deadline: row.deadline ?? undefined,
    outcome:
      row.outcome === null ? undefined : ({ kind: row.outcome, code: outcomeCode ?? "" } as Call["outcome"]),
    approval: row.approval
      ? { ...row.approval, votes: row.approval.votes.map((vote) => omitNulls(vote)) }
      : undefined,
    attempts: row.attempts.map((attempt) => omitNulls(attempt)),
    payloads: Object.fromEntries(
      row.payloads.map(({ name, salt, body }) => [name, { salt, value: JSON.parse(body) as Json }]),
    ),
  };
}

export function toChild({ outcome, outcomeCode, output, undo, withheld, ...row }: ChildRow): Child {
  return {
    ...(omitNulls(row) as Child),
    ...(outcome !== null && { outcome: { kind: outcome, code: outcomeCode ?? "" } }),
    ...(output !== null && { output: JSON.parse(output) as Json }),
    ...(undo !== null && { undo: JSON.parse(undo) as Json }),
    ...(withheld && { withheld }),
  };
}

function omitNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as T;
}
