import { escapeInvisible, escapeInvisibleLines } from "../escape-invisible.ts";
import type { SessionSnapshot, SnapshotCall, SnapshotObservation, SnapshotQuestion } from "./snapshot.ts";

/**
 * Renders a snapshot as text for a model or a person. Texts of the agent and of other people are quoted, so that they
 * cannot look like lines of Paraph.
 */
export function renderSessionSnapshot(snapshot: SessionSnapshot): string {
  const { session, version, compressedState: state, questions, calls, observations, folded } = snapshot;
  const section = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : [title, ...lines]);
  return [
    `Session ${quote(session)}, version ${version.slice(0, 16)}`,
    ...section(
      `State in the agent's own words, not verified (${state?.call}):`,
      state ? escapeInvisibleLines(state.text).map((line) => `> ${line}`) : [],
    ),
    ...section("Open questions:", questions.map(renderQuestion)),
    ...section("Calls, newest first:", calls.map(renderCall)),
    ...section("Observations, newest first:", observations.map(renderObservation)),
    ...section("Left out:", renderFolded(folded)),
  ].join("\n");
}

function renderQuestion({ kind, call, approval, until, by, text }: SnapshotQuestion): string {
  const who = by === undefined ? "" : ` by ${quote(by)}`;
  const limit = until === undefined ? "" : ` until ${until}`;
  return `- ${kind} ${approval ?? call}${who}${limit}: ${quote(text)}`;
}

function renderCall(call: SnapshotCall): string {
  const { outcome, code, state, retryable, said, successor, steps } = call;
  const status = outcome === undefined ? `open (${state})` : `${outcome} (${code})`;
  const counts = steps && Object.entries(steps).map(([kind, count]) => `${count} ${kind}`);
  return [
    `- ${call.call} ${call.at} ${call.capability} ${quote(call.headline)}: ${status}`,
    counts && `steps: ${counts.join(", ")}`,
    retryable && "retryable",
    successor !== undefined && `replaced by ${successor}`,
    said !== undefined && `a person said ${quote(said)}`,
  ]
    .filter(Boolean)
    .join("; ");
}

function renderObservation({ seq, adapter, kind, subject, at }: SnapshotObservation): string {
  return `- ${seq} ${at} ${adapter} ${kind} ${quote(subject)}`;
}

function renderFolded({ calls, questions, observations, hasOlder }: SessionSnapshot["folded"]): string[] {
  const counts = [
    ...Object.entries(calls).map(([kind, count]) => `${count} ${kind} calls`),
    ...(questions > 0 ? [`${questions} questions`] : []),
    ...(observations > 0 ? [`${observations} observations`] : []),
    ...(hasOlder ? ["older calls, not counted"] : []),
  ];
  return counts.length === 0 ? [] : [`- ${counts.join(", ")}`];
}

function quote(text: string): string {
  return JSON.stringify(escapeInvisible(text));
}
