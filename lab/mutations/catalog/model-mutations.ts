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
      caughtBy: poisonTest("fails where only its preview kills: certainly nothing happened"),
    },
    {
      name: "call a poison write failed",
      file: corePath("pipeline/execution/crashing-call.ts"),
      find: 'kind: isDoubtful ? "unknown" : "failed"',
      replace: 'kind: "failed"',
      caughtBy: poisonTest("is unknown where its probe kills, which is not run for the verdict"),
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
      find: "deaths = case when p ? 'segment' then deaths else 0 end",
      replace: "deaths = deaths",
      caughtBy: storeTest("[TRUST 29] deaths are forgotten with progress, not while a segment runs or fails"),
    },
    {
      name: "fail without end",
      file: corePath("pipeline/execution/segment-failed.ts"),
      find: "const isStuck = failures >= maxFailures;",
      replace: "const isStuck = false;",
      caughtBy: poisonTest(
        "is tried later and later, then stuck with a code, and goes on when a person lets it",
      ),
    },
  ];
}

function listPassingFaultMutations(): Mutation[] {
  return [
    {
      name: "probe without end",
      file: corePath("pipeline/execution/recover.ts"),
      find: "asked >= maxProbes",
      replace: "asked < 0",
      caughtBy: passingFaultsTest(
        "[P7] [P14] a probe that cannot be asked is asked less and less often, by one message, and then ends unknown",
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
      file: corePath("pipeline/execution/contract-changed.ts"),
      find: "if (capability?.unavailable && capability.contractDigest === call.contractDigest)",
      replace: "if (!capability)",
      caughtBy: passingFaultsTest(
        "[P12] an approved call waits for its adapter as long as its approval may be applied, then says why it ended",
      ),
    },
  ];
}

function listPlaceMutations(): Mutation[] {
  const waits = passingFaultsTest(
    "[P15] a call that waits for a place writes one event and looks at the world only when a place may be free",
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
      file: corePath("pipeline/execution/conclude.ts"),
      find: '...(fault.kind === "not-performed" && hasReservation(call) && { settle: { spent: "unknown" } }),',
      replace: "",
      caughtBy: passingFaultsTest(
        "[P15] a call that was not performed keeps no place while it waits, or while a person is asked",
      ),
    },
    {
      name: "wake nobody for a free place",
      file: sqlFunctionPath("gate.sql"),
      find: "order by c.place_since, c.id limit 1 for update skip locked",
      replace: "order by c.place_since, c.id limit 0 for update skip locked",
      caughtBy: storeTest(
        "[limits] whoever leaves a place wakes the one that waits longest, and makes it due",
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
          "a place is taken from the moment it is promised, and free again when it is given back or its segment is over",
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
      caughtBy: apart("one tenant's shut gates keep no other tenant's calls waiting"),
    },
    {
      name: "thaw the first piece alone",
      file: "packages/server/src/postgres/policy/freezes.ts",
      find: "after = last;",
      replace: "after = null;",
      caughtBy: apart(
        "a thaw wakes all that was parked, in pieces, and waits for no call under the tenant's shut gates",
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
      caughtBy: kept("[P7] what is committed is flushed, even where the database's default is not to"),
    },
    {
      name: "wake a long back-off",
      file: "packages/server/src/postgres/calls/sweep.ts",
      find: "interval '65 minutes'",
      replace: "interval '15 minutes'",
      caughtBy: kept("[P8] a retry that waits for an hour, as its Retry-After says, is not woken meanwhile"),
    },
    {
      name: "leave a lost call's lock rows",
      file: sqlFunctionPath("lock.sql"),
      find: "delete from lock l where tenant = p_tenant and key = any (v_keys) and holder is null",
      replace:
        "delete from lock l where false and tenant = p_tenant and key = any (v_keys) and holder is null",
      caughtBy: kept(
        "[locks] a call that lost its fence while it waited for its keys leaves none of their rows behind",
      ),
    },
  ];
}
