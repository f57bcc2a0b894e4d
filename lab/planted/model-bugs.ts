import { type Bug, core, sql, store } from "./bug.ts";

const poison = (title: string) => ({ file: core("pipeline/poison.test.ts"), title });

/** Mutations of what keeps one call, one tenant or one passing fault from hurting everything else. */
export const modelBugs: readonly Bug[] = [...crashes()];

function crashes(): Bug[] {
  return [
    {
      name: "run a poison call again",
      file: core("pipeline/crashing-call.ts"),
      find: "const maxDeaths = 3;",
      replace: "const maxDeaths = 1_000;",
      caughtBy: poison("fails where only its preview kills: certainly nothing happened"),
    },
    {
      name: "call a poison write failed",
      file: core("pipeline/crashing-call.ts"),
      find: 'kind: isDoubtful ? "unknown" : "failed"',
      replace: 'kind: "failed"',
      caughtBy: poison("is unknown where its probe kills, which is not run for the verdict"),
    },
    {
      name: "count no death",
      file: sql("begin.sql"),
      find: "deaths = deaths + v_dead::int",
      replace: "deaths = deaths",
      caughtBy: store("[TRUST 29] a process that dies while it runs a call is counted once"),
    },
    {
      name: "blame a call for ever",
      file: sql("commit.sql"),
      find: "deaths = case when p ? 'segment' then deaths else 0 end",
      replace: "deaths = deaths",
      caughtBy: store("[TRUST 29] deaths are forgotten with progress, not while a segment runs or fails"),
    },
    {
      name: "fail without end",
      file: core("pipeline/segment-failed.ts"),
      find: "const isStuck = failures >= maxFailures;",
      replace: "const isStuck = false;",
      caughtBy: poison("is tried later and later, then stuck with a code, and goes on when a person lets it"),
    },
  ];
}
