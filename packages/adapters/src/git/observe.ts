import { CapabilityError, type Observation, type ObservationPage, type ObserveContext } from "@paraph/core";
import { formatCursor, parseCursor, toObservationId } from "../observe-cursor.ts";
import type { GitContext } from "./context.ts";
import { withRepository } from "./repository/repository.ts";

/** The maximum number of refs. A cursor holds all of them. */
const maxRefs = 5_000;
/** The maximum number of changes per page. */
const batchSize = 200;

/**
 * The refs that a cursor knows. `start` and `change` tell two equal movements of a ref apart: `start` is the time of the
 * first poll, and `change` counts the pages with changes since then.
 */
interface KnownRefs {
  readonly start: number;
  readonly change: number;
  readonly refs: Readonly<Record<string, string>>;
}

/**
 * Returns a function that reports the branches, tags and remote branches that were created, moved or deleted since the
 * cursor. The first poll only records the existing refs.
 */
export function createRefObserver(
  gitContext: GitContext,
): (cursor: string | undefined, context: ObserveContext) => Promise<ObservationPage> {
  return async (cursor, { signal }) => {
    const refs = await readRefs(gitContext, signal);
    if (cursor === undefined)
      return { observations: [], cursor: formatCursor({ start: Date.now(), change: 0, refs }) };
    const known = parseCursor<KnownRefs>(cursor);
    const names = [...new Set([...Object.keys(known.refs), ...Object.keys(refs)])].sort();
    const moved = names.filter((name) => known.refs[name] !== refs[name]);
    if (moved.length === 0) return { observations: [], cursor };
    const next: Record<string, string> = { ...known.refs };
    for (const name of moved.slice(0, batchSize)) {
      if (refs[name] === undefined) delete next[name];
      else next[name] = refs[name];
    }
    return {
      observations: moved.slice(0, batchSize).map((name) => toObservation(name, known, refs[name])),
      cursor: formatCursor({ ...known, change: known.change + 1, refs: next }),
      more: moved.length > batchSize,
    };
  };
}

function toObservation(name: string, known: KnownRefs, to: string | undefined): Observation {
  const from = known.refs[name];
  const kind = from === undefined ? "ref.created" : to === undefined ? "ref.deleted" : "ref.moved";
  return {
    id: toObservationId(kind, name, from, to, known.start, known.change),
    kind,
    subject: name,
    data: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
  };
}

async function readRefs(gitContext: GitContext, signal: AbortSignal): Promise<Record<string, string>> {
  const { stdout } = await withRepository(gitContext, { to: "look", signal }, ({ git }) =>
    git([
      "for-each-ref",
      `--count=${maxRefs + 1}`,
      "--format=%(objectname) %(refname)",
      ...["refs/heads", "refs/tags", "refs/remotes"],
    ]),
  );
  const lines = stdout.toString("utf8").split("\n").filter(Boolean);
  if (lines.length > maxRefs)
    throw new CapabilityError(
      "permanent",
      "too-many-refs",
      `The repository has more than ${maxRefs} branches and tags, so Paraph does not observe it.`,
    );
  return Object.fromEntries(
    lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]),
  );
}
