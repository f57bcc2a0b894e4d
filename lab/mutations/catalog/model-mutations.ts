import { corePath, type Mutation, sqlFunctionPath, storeTest } from "../mutation.ts";

const passingFaultsTest = (title: string) => ({
  file: corePath("pipeline/execution/passing-faults.test.ts"),
  title,
});
const poisonTest = (title: string) => ({ file: corePath("pipeline/execution/poison.test.ts"), title });

/** Mutations of the isolation that keeps one call, one tenant or one transient fault from affecting others. */
export const modelMutations: readonly Mutation[] = [
  ...listCrashMutations(),
  ...listPassingFaultMutations(),
  ...listPlaceMutations(),
  ...listTenantMutations(),
  ...listPromiseMutations(),
];

function listCrashMutations(): Mutation[] {
  return [
    {
      name: "run a poison call again",
      file: corePath("pipeline/execution/crashing-call.ts"),
      find: "const maxDeaths = 3;",
      replace: "const maxDeaths = 1_000;",
      caughtBy: poisonTest(
        "closes as failed if only its preview kills the process, because nothing happened",
      ),
    },
    {
      name: "call a poison write failed",
      file: corePath("pipeline/execution/crashing-call.ts"),
      find: 'kind: isDoubtful ? "unknown" : "failed"',
      replace: 'kind: "failed"',
      caughtBy: poisonTest(
        "closes as unknown if its probe kills the process, without running the probe again",
      ),
    },
    {
      name: "count no death",
      file: sqlFunctionPath("begin.sql"),
      find: "deaths = deaths + v_dead::int",
      replace: "deaths = deaths",
      caughtBy: storeTest("[TRUST 29] a process that dies while it runs a call is counted once"),
    },
    {
      name: "keep counting deaths after progress",
      file: sqlFunctionPath("commit.sql"),
      find: "deaths = case when d ? 'segment' then c.deaths else 0 end",
      replace: "deaths = c.deaths",
      caughtBy: storeTest(
        "[TRUST 29] progress resets the count of deaths; a running or failed segment does not",
      ),
    },
    {
      name: "fail without end",
      file: corePath("pipeline/segment-failed.ts"),
      find: "const isStuck = failures >= maxFailures;",
      replace: "const isStuck = false;",
      caughtBy: poisonTest(
        "is retried with back-off, then is stuck with a code, and continues when a person resumes it",
      ),
    },
  ];
}

function listPassingFaultMutations(): Mutation[] {
  return [
    {
      name: "probe without end",
      file: corePath("pipeline/execution/possible-effect.ts"),
      find: "asked >= maxProbes",
      replace: "asked < 0",
      caughtBy: passingFaultsTest(
        "[P7] [P14] a failing probe is retried with back-off, by one message, until the outcome is unknown",
      ),
    },
    {
      name: "forget the result when the signer fails",
      file: corePath("pipeline/transition.ts"),
      find: `  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    try {
      return await commitTransition(call, await conclude(), ports);`,
      replace: `  const move = await conclude();
  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    try {
      return await commitTransition(call, move, ports);`,
      caughtBy: passingFaultsTest("[P2] [P7] a signer that fails once after the effect loses nothing (none)"),
    },
    {
      name: "take an absent adapter for a changed contract",
      file: corePath("pipeline/contract-changed.ts"),
      find: "if (capability?.unavailable && capability.contractDigest === call.contractDigest)",
      replace: "if (!capability)",
      caughtBy: passingFaultsTest(
        "[P12] an approved call waits for its adapter until `applyWithin` ends, then is refused as unavailable",
      ),
    },
  ];
}

function listPlaceMutations(): Mutation[] {
  const waits = passingFaultsTest(
    "[P15] a call that waits for a concurrency limit writes one event and previews only when a place may be free",
  );
  return [
    {
      name: "say again and again that a call waits",
      file: corePath("pipeline/execution/perform.ts"),
      find: "events: isWaitingForPlace(call) ?",
      replace: "events: call.epoch < 0 ?",
      caughtBy: waits,
    },
    {
      name: "keep a place while people are asked",
      file: corePath("pipeline/attempt/conclude.ts"),
      find: '...(countsAsNotBegun(fault.kind) && hasReservation(call) && { settle: { spent: "unknown" } }),',
      replace: "",
      caughtBy: passingFaultsTest(
        "[P15] a call that was not performed holds no place while it waits for a retry or an approval",
      ),
    },
    {
      name: "wake nobody for a free place",
      file: sqlFunctionPath("gate.sql"),
      find: "order by c.place_since, c.id limit 1 for update skip locked",
      replace: "order by c.place_since, c.id limit 0 for update skip locked",
      caughtBy: storeTest(
        "[limits] a call that frees a place wakes the call that has waited longest, and makes it due",
      ),
    },
    {
      name: "promise more places than there are",
      file: "packages/server/src/engine/inline-runner.ts",
      find: "      taken += 1;\n",
      replace: "",
      caughtBy: {
        file: "packages/server/src/engine/inline-runner.test.ts",
        title:
          "a slot is taken as soon as it is reserved, and free again after its release or the end of its segment",
      },
    },
  ];
}

function listTenantMutations(): Mutation[] {
  const apart = (title: string) => ({
    file: "packages/server/src/postgres/calls/tenant-gates.test.ts",
    title,
  });
  return [
    {
      name: "batch tenants together",
      file: "packages/server/src/postgres/group-commit.ts",
      find: "const name = this.#groupOf(item);",
      replace: 'const name = this.#groupOf(item) && "all";',
      caughtBy: apart("the shut gates of one tenant do not delay the calls of other tenants"),
    },
    {
      name: "thaw the first piece alone",
      file: "packages/server/src/postgres/policy/freezes.ts",
      find: "after = last;",
      replace: "after = null;",
      caughtBy: apart(
        "a thaw wakes parked calls in batches, and does not wait for a locked call under the tenant's shut gates",
      ),
    },
  ];
}

function listPromiseMutations(): Mutation[] {
  const kept = (title: string) => ({ file: "packages/server/src/postgres/calls/durability.test.ts", title });
  return [
    {
      name: "leave flushing to the default",
      file: "packages/server/src/postgres/database.ts",
      find: 'const durabilityOptions = "-c synchronous_commit=on";',
      replace: 'const durabilityOptions = "";',
      caughtBy: kept("[P7] commits are synchronous, even if the database's default is asynchronous"),
    },
    {
      name: "wake a long back-off",
      file: "packages/server/src/postgres/calls/sweep.ts",
      find: "interval '65 minutes'",
      replace: "interval '15 minutes'",
      caughtBy: kept(
        "[P8] the sweeper wakes a retry dated a day ahead, but not one that waits an hour for its Retry-After",
      ),
    },
    {
      name: "leave a lost call's lock rows",
      file: sqlFunctionPath("lock.sql"),
      find: "delete from lock l where tenant = p_tenant and key = any (v_keys) and holder is null",
      replace:
        "delete from lock l where false and tenant = p_tenant and key = any (v_keys) and holder is null",
      caughtBy: kept(
        "[locks] a call that loses its fence while it waits for its lock keys leaves no lock rows behind",
      ),
    },
  ];
}
