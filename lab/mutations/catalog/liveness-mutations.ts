import { type Mutation, sqlFunctionPath } from "../mutation.ts";

/** Mutations of the detection of dead processes, and of the state that a stopping process leaves. */
export const livenessMutations: readonly Mutation[] = [
  ...listDeathMutations(),
  ...listLostAnswerMutations(),
  ...listDrainMutations(),
  ...listWaitMutations(),
  ...listVersionMutations(),
  ...listRestoreMutations(),
];

function listRestoreMutations(): Mutation[] {
  const file = "packages/core/src/pipeline/execution/restored.test.ts";
  return [
    {
      name: "perform a call from before a restore on trust",
      file: "packages/core/src/pipeline/execution/perform.ts",
      find: "if (isInDoubt(locked.call, capability.contract))",
      replace: "if (locked.call.epoch < 0)",
      caughtBy: {
        file,
        title:
          "ends unknown and does not act if its contract allows neither a key nor a probe, and keeps its lock",
      },
    },
  ];
}

function listDeathMutations(): Mutation[] {
  const file = "packages/server/src/postgres/process-lease.test.ts";
  return [
    {
      name: "take a free lock for a dead process",
      file: sqlFunctionPath("lease.sql"),
      find: "select exists (select from process_lease where life = p_life and dead_at is not null)",
      replace:
        "select p_life is not null and pg_postmaster_start_time() < now() and not paraph.lease_held(p_life)",
      caughtBy: {
        file,
        title: "[P7] a live process whose session is terminated while it acts is not declared dead",
      },
    },
    {
      name: "count the time before a lease was taken again",
      file: "packages/server/src/postgres/lease-watch.ts",
      find: "known?.taken === taken && known.server",
      replace: "known?.server",
      caughtBy: {
        file,
        title: "[P7] a session that is lost again between two checks starts the grace period again",
      },
    },
    {
      name: "declare a process dead while it writes an intent",
      file: sqlFunctionPath("lease.sql"),
      find: "  perform pg_advisory_xact_lock_shared(7417, p_life);\n",
      replace: "",
      caughtBy: {
        file,
        title: "[P7] a process is not declared dead while one of its intents is being written",
      },
    },
    {
      name: "forget that a failover gives every process time to come back",
      file: "packages/server/src/postgres/lease-watch.ts",
      find: "if (seen - since < graceMs) continue;",
      replace: "",
      caughtBy: {
        file: "test/failover.test.ts",
        title: "[P7] after a failover frees every lock, only a process that does not return counts as dead",
      },
    },
  ];
}

function listLostAnswerMutations(): Mutation[] {
  const file = "packages/server/src/postgres/calls/write-intent.test.ts";
  const own =
    "[P7] an opening whose answer got lost is recognised as this process's own, and writes one intent";
  return [
    {
      name: "do not recognise one's own intent after a lost answer",
      file: "packages/server/src/postgres/calls/write-intent.ts",
      find: "(repeats && isTaken && (await findOwn())) || result",
      replace: "result",
      caughtBy: { file, title: own },
    },
    {
      name: "do not repeat an intent whose answer got lost",
      file: "packages/server/src/postgres/calls/write-intent.ts",
      find: "repeats ||= intent.sent && !isRolledBack(error);",
      replace: "",
      caughtBy: {
        file,
        title: "a write that never reached PostgreSQL is repeated, and writes one intent",
      },
    },
    {
      name: "wait for minutes although there is no connection",
      file: "packages/server/src/postgres/calls/write-intent.ts",
      find: "intent.sent && ",
      replace: "",
      caughtBy: { file, title: "without a connection, a write fails at once and is not repeated" },
    },
    {
      name: "take another segment's intent for one's own",
      file: sqlFunctionPath("commit.sql"),
      find: " and i.token = p_token",
      replace: "",
      caughtBy: {
        file,
        title: "[fence] the same transition of another segment is not taken for one's own",
      },
    },
    {
      name: "act on one's own intent after the call has changed",
      file: sqlFunctionPath("commit.sql"),
      find: "c.epoch = p_epoch and i.token = p_token and i.ended is null and",
      replace: "i.token = p_token and",
      caughtBy: {
        file,
        title: "[fence] a process does not act on its own intent if the call has changed since",
      },
    },
    {
      name: "act on an intent after this process was declared dead",
      file: sqlFunctionPath("commit.sql"),
      find: " and not paraph.is_gone(i.life)",
      replace: "",
      caughtBy: { file, title: "[P15] a process that was declared dead does not act on its own intent" },
    },
  ];
}

function listDrainMutations(): Mutation[] {
  const file = "test/drain.test.ts";
  return [
    {
      name: "end a worker in the middle of an attempt",
      file: "packages/server/src/start/start-paraph.ts",
      find: "drained = await segments.drain();",
      replace: "",
      caughtBy: {
        file,
        title:
          "[P2] a stopping worker on postgres finishes its running attempt, so that the outcome is recorded and not unknown",
      },
    },
    {
      name: "end an API process in the middle of an attempt",
      file: "packages/server/src/start/api-role.ts",
      find: "runSegment(call, (runInTrace) => continueCall(call, ports, runInTrace))",
      replace: "continueCall(call, ports, (_trace, body) => body()).then(({ wakes }) => wakes)",
      caughtBy: {
        file,
        title:
          "[P2] a stopping api on postgres finishes its running attempt, so that the outcome is recorded and not unknown",
      },
    },
  ];
}

function listWaitMutations(): Mutation[] {
  const file = "test/unreachable.test.ts";
  const dropped =
    "[P11] the server answers 503 in time while the network to PostgreSQL drops packets, then recovers";
  return [
    {
      name: "wait for PostgreSQL without an end",
      file: "packages/server/src/postgres/database.ts",
      find: "  query_timeout: 10_000,\n",
      replace: "",
      caughtBy: { file, title: dropped },
    },
    {
      name: "call an unreachable database our own fault",
      file: "packages/server/src/http/problem.ts",
      find: "if (isUnavailable(error)) {",
      replace: "if (false) {",
      caughtBy: { file, title: dropped },
    },
    {
      name: "be ready with a read-only database",
      file: sqlFunctionPath("lease.sql"),
      find: "update process_lease set taken = taken where life = p_life\n",
      replace: "select from process_lease where life = p_life\n",
      caughtBy: {
        file,
        title: "[P11] the server is not ready and answers calls with 503 while the database is read-only",
      },
    },
    {
      name: "accept a call only once the engine answers",
      file: "packages/server/src/engine/wake-sender.ts",
      find: "await Promise.race([Promise.all(wakes.map(one)), moment]);",
      replace: "await Promise.all([...wakes.map(one), moment]);",
      caughtBy: { file, title: "[P14] accepting a call does not wait for an engine that does not answer" },
    },
  ];
}

function listVersionMutations(): Mutation[] {
  const file = "packages/server/src/postgres/migrate.test.ts";
  return [
    {
      name: "lock the table of events whenever the functions change",
      file: sqlFunctionPath("webhook.sql"),
      find: "then return; end if;\n  create trigger",
      replace: "then null; end if;\n  create or replace trigger",
      caughtBy: {
        file,
        title:
          "new functions lock no table, so a migration that locks one cannot deadlock with running calls",
      },
    },
    {
      name: "fail a call that a deadlock rolled back",
      file: "packages/server/src/postgres/unavailable.ts",
      find: "const maxDeadlocks = 3;",
      replace: "const maxDeadlocks = 1;",
      caughtBy: {
        file: "packages/server/src/postgres/calls/durability.test.ts",
        title: "a call that PostgreSQL rolls back because of a deadlock is written again",
      },
    },
    {
      name: "let an older version put its functions back",
      file: "packages/server/src/postgres/migrate.ts",
      find: "if (unknown.length === 0 && (there <= generation || allowDowngrade)) return;",
      replace: "return;",
      caughtBy: {
        file,
        title: "[P5] an older version does not reinstall its functions unless a downgrade is allowed",
      },
    },
    {
      name: "apply nothing of an edited migration, and say nothing",
      file: "packages/server/src/postgres/migrate.ts",
      find: "if (applied === undefined || applied === hashText(text)) continue;",
      replace: "continue;",
      caughtBy: {
        file,
        title: "[P11] Paraph refuses to migrate if the text of an applied migration changed",
      },
    },
    {
      name: "let an older version configure the policy",
      file: sqlFunctionPath("policy_set.sql"),
      find: "if least(v.generation, (select g.generation from paraph.schema_generation() g)) > p_generation or v.version not in (p_expected, p_version) then return 'superseded'; end if;",
      replace: "",
      caughtBy: {
        file,
        title: "[P5] an older version or a superseded process does not reactivate its configured policy",
      },
    },
    {
      name: "let an old configuration win that starts last",
      file: sqlFunctionPath("policy_set.sql"),
      find: "and paraph.others_run(p_life) then",
      replace: "and paraph.others_run(p_life) and false then",
      caughtBy: {
        file,
        title:
          "[P5] an old configuration is not reactivated while newer ones run, regardless of the start order",
      },
    },
    {
      name: "preview under the policy of the last call",
      file: "packages/core/src/pipeline/admission/preview-only.ts",
      find: "await ports.policy.refresh(request.principal.tenant);",
      replace: "",
      caughtBy: {
        file: "test/preview-policy.test.ts",
        title:
          "[P5] the active policy rules on a preview, in a process that started before its activation and in one after",
      },
    },
  ];
}
