import { type Bug, sql } from "./bug.ts";

/** Bugs in who is taken for dead, and in what a stopping process leaves behind. */
export const livenessBugs: readonly Bug[] = [...deaths(), ...drains()];

function deaths(): Bug[] {
  const file = "packages/server/src/postgres/life.test.ts";
  return [
    {
      name: "take a free lock for a dead process",
      file: sql("lease.sql"),
      find: "select exists (select from process_lease where life = p_life and dead_at is not null)",
      replace:
        "select p_life is not null and pg_postmaster_start_time() < now() and not paraph.lease_held(p_life)",
      caughtBy: {
        file,
        title: "[P7] a live process whose session was terminated while it acts is not taken for dead",
      },
    },
    {
      name: "count the time before a lease was taken again",
      file: "packages/server/src/postgres/lease-watch.ts",
      find: "known?.taken === taken && known.server",
      replace: "known?.server",
      caughtBy: {
        file,
        title: "[P7] a session lost twice between two looks starts the grace period again",
      },
    },
    {
      name: "declare a process dead while it writes an intent",
      file: sql("lease.sql"),
      find: "  perform pg_advisory_xact_lock_shared(7417, p_life);\n",
      replace: "",
      caughtBy: { file, title: "[P7] no process is declared dead while an intent of its is being written" },
    },
    {
      name: "forget that a failover gives every process time to come back",
      file: "packages/server/src/postgres/lease-watch.ts",
      find: "if (seen - since < graceMs) continue;",
      replace: "",
      caughtBy: {
        file: "test/failover.test.ts",
        title:
          "[P7] a failover frees every lock: live processes are not taken for dead, and one that stays away is",
      },
    },
  ];
}

function drains(): Bug[] {
  const file = "test/drain.test.ts";
  return [
    {
      name: "end a worker in the middle of an attempt",
      file: "packages/server/src/start.ts",
      find: "drained = await segments.drain();",
      replace: "",
      caughtBy: {
        file,
        title:
          "[P2] a stopping worker finishes the attempt that it runs: the effect is recorded, not in doubt",
      },
    },
    {
      name: "end an API process in the middle of an attempt",
      file: "packages/server/src/start.ts",
      find: "segments.run(call, async () => done(await proceed(call, ports, within(call.call))))",
      replace: "proceed(call, ports, within(call.call)).then(done)",
      caughtBy: {
        file,
        title: "[P2] a stopping api finishes the attempt that it runs: the effect is recorded, not in doubt",
      },
    },
  ];
}
