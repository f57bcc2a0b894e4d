import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { sourceEnvironment } from "../../test/support/servers/source-environment.ts";
import { filterPerformed } from "../history/history-index.ts";
import { checkClusterReplay } from "../history/replay.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import { LabCluster } from "../lab-cluster.ts";
import type { LabProcess } from "../lab-process.ts";
import { formatCounts } from "../report/coverage.ts";
import { finishRun } from "../report/finish.ts";
import { BackupArchive } from "./archive.ts";
import { judgeRestore, listCallsInDoubt } from "./judge.ts";
import { loadUntil, requestWaitingCalls, type WaitingCall } from "./load.ts";

/**
 * Loses the database under load and restores it to a moment some seconds before the loss. Calls of every idempotency and
 * a plan act between that moment and the loss. Then runs the steps of docs/operate/backup.md, and compares the rows with
 * the oracle, which knows every effect.
 */
export async function runRestore(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const perKind = options.calls ?? (options.quick ? 3 : 12);
  options.progress("starting PostgreSQL with an archive, the oracle, an API process and a worker");
  const cluster = await LabCluster.start({ engine: options.engine });
  try {
    const archive = await BackupArchive.open(cluster);
    let processes = await startProcesses(cluster);
    const client = new LabClient(cluster.keys, () => [processes[0]!.ready.url]);
    const lost = Promise.withResolvers<void>();
    const loading = loadUntil(lost.promise, cluster.keys.agent, processes[0]!.ready.url);

    options.progress("making a base backup under load");
    await archive.makeBaseBackup();
    const waiting = await requestWaitingCalls(client, perKind);
    const to = new Date();
    options.progress("acting after the moment of the restore");
    await sleep(1_000);
    const isLater = ({ number }: WaitingCall) => number % 3 === 2;
    await decideUntilClosed(
      client,
      waiting.filter((call) => !isLater(call)),
      () => "approve",
    );
    await archive.archiveLog();
    await sleep(options.quick ? 500 : 5_000);
    const evidence = await exportActivity(cluster, processes[0]!.ready.url);

    options.progress("losing the database");
    await Promise.all([cluster.postgres.kill(), ...processes.map((running) => running.end("SIGKILL"))]);
    lost.resolve();
    const callsBefore = await loading;
    const lostAt = Date.now();
    options.progress(`restoring the database to ${to.toISOString()}`);
    await archive.restore(to);
    const recorded = await runRestoredCommand(cluster, "record", "--to", to.toISOString(), "--reason", "lab");
    const { at: restoredAt, tenants } = JSON.parse(recorded.stdout) as RecordedRestore;
    const listed = await runRestoredCommand(cluster, "evidence", evidence);
    const restoreSeconds = (Date.now() - lostAt) / 1_000;

    options.progress("starting Paraph on the restored database, and thawing the tenant");
    processes = await startProcesses(cluster);
    await thaw(client, tenants[0]!.freeze);
    // People decide again. They deny some calls, which may have acted all the same.
    await decideUntilClosed(client, waiting, ({ number }) => (number % 3 === 1 ? "deny" : "approve"));
    await cluster.waitForRest();
    const history = await cluster.collectHistory(
      { run: "restore", seed: options.seed, startedAt, minSucceeded: perKind },
      [],
    );
    const replay = await checkClusterReplay(cluster);
    const inDoubt = listCallsInDoubt(history, restoredAt);
    const known = new Set(history.ledger.map(({ call }) => call));
    const missing = new Set(
      filterPerformed(history.oracle).flatMap(({ call }) => (known.has(call) ? [] : [call])),
    );
    const effects = (JSON.parse(listed.stdout) as { effects: readonly ListedEffect[] }).effects;
    const figures = {
      "calls before the loss": callsBefore + waiting.length,
      "restore seconds": Math.round(restoreSeconds * 10) / 10,
      "calls in doubt": inDoubt.length,
      "doubt succeeded": inDoubt.filter(({ outcome }) => outcome?.kind === "succeeded").length,
      "doubt unknown": inDoubt.filter(({ outcome }) => outcome?.kind === "unknown").length,
      "calls only at the oracle": missing.size,
      "calls only in evidence": effects.filter(({ database }) => database === "missing").length,
      "calls rebuilt": replay.calls,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    return await finishRun(
      options,
      history,
      [...(await judgeRestore(history, restoredAt)), ...replay.violations],
      figures,
      [
        `1 API process, 1 worker, PostgreSQL with an archive of its log, ${cluster.engineText}; 4 callers.`,
        `${perKind} waiting calls of each idempotency and a plan. People approve two thirds of them after the moment of the restore and before the loss.`,
        "PostgreSQL and all processes are killed under load. The base backup is restored to the moment, in a new folder.",
        "Restore seconds: from the loss until the restore is recorded and the evidence is compared.",
        ...formatCounts(
          "Calls in doubt",
          inDoubt.map(({ capability, outcome }) => `${capability} ${outcome?.kind} (${outcome?.code})`),
        ),
      ],
    );
  } finally {
    await cluster.stop();
  }
}

interface RecordedRestore {
  readonly at: number;
  readonly tenants: readonly { readonly freeze: string }[];
}

interface ListedEffect {
  readonly call: string;
  readonly database: "missing" | "open" | "unknown";
}

/** Starts an API process and a worker. On a busy machine, people need more than the laboratory's two seconds. */
const startProcesses = (cluster: LabCluster): Promise<LabProcess[]> =>
  Promise.all(
    (["api", "worker"] as const).map((role) => cluster.startProcess(role, { HIGH_EXPIRES: "10m" })),
  );

/** Lets people decide about the calls, round after round, until every call is closed. */
async function decideUntilClosed(
  client: LabClient,
  calls: readonly WaitingCall[],
  choose: (call: WaitingCall) => "approve" | "deny",
): Promise<void> {
  await Promise.all(
    calls.map(async (call) => {
      const deadline = Date.now() + 60_000;
      while (Date.now() < deadline) {
        const view = await client.getCall(call.key, call.capability, call.call, 2);
        if (view.state === "closed") return;
        const asked = view.waiting?.approval;
        if (asked) await client.decide(asked.id, choose(call), asked.digest);
        for (const step of call.isPlan ? await client.steps(call.call) : []) {
          const round = step.call === undefined ? undefined : await client.findApproval(step.call);
          if (round) await client.decide(round.id, choose(call), round.digest);
        }
      }
    }),
  );
}

/** Thaws the tenant as an administrator, with the approval of another person. */
async function thaw(client: LabClient, freeze: string): Promise<void> {
  const { call = "" } = await client.call("thaw", "admin.thaw", { freeze }, { as: "owner" });
  await decideUntilClosed(
    client,
    [{ key: "thaw", capability: "admin.thaw", call, number: 0, isPlan: false }],
    () => "approve",
  );
  const { outcome } = await client.getCall("thaw", "admin.thaw", call, 0);
  if (outcome?.kind !== "succeeded") throw new Error(`the thaw ended ${outcome?.kind} (${outcome?.code})`);
}

/** Exports the activity, as an operator does regularly, and returns its file. */
async function exportActivity(cluster: LabCluster, url: string): Promise<string> {
  const response = await fetch(`${url}/v1/activity?format=jsonl`, {
    headers: { authorization: `Bearer ${cluster.keys.owner}` },
  });
  const file = join(cluster.folder, "activity.jsonl");
  await writeFile(file, await response.text());
  return file;
}

/** Runs `paraph restored` with the owner's login. It exits with 1 if it lists effects. */
async function runRestoredCommand(
  cluster: LabCluster,
  ...args: string[]
): Promise<{ readonly stdout: string }> {
  const node = ["--conditions=paraph-source", "--no-warnings", "packages/cli/src/main.ts"];
  const env = { ...sourceEnvironment, DATABASE_OWNER_URL: cluster.ownerUrl };
  try {
    return await promisify(execFile)(process.execPath, [...node, "restored", ...args, "--json"], { env });
  } catch (error) {
    const { code, stdout = "" } = error as { code?: unknown; stdout?: string };
    if (code === 1 && stdout.startsWith('{"effects"')) return { stdout };
    throw error;
  }
}
