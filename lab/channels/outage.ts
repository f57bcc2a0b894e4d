import { setTimeout as sleep } from "node:timers/promises";
import { ScenarioRun, type StartedCall } from "../crash-points/scenario-run.ts";
import { LabClient } from "../lab-client.ts";
import type { LabCluster } from "../lab-cluster.ts";
import type { MailReceiver } from "./mail-receiver.ts";
import { type AnnouncedCall, createMailEnv, denyUntilClosed, waitUntilAtRest } from "./mail-script.ts";
import { moveClockBy } from "./notices.ts";

const hourMs = 3_600_000;

/**
 * Takes the mail server down for an hour, by the database's clock. Half of the requests are decided meanwhile, and the
 * sending process is killed. The other half must arrive when the server is back.
 */
export async function runMailOutage(
  cluster: LabCluster,
  mails: MailReceiver,
): Promise<{ readonly announced: readonly AnnouncedCall[]; readonly decidedMeanwhile: readonly string[] }> {
  const env = createMailEnv(mails);
  const first = await cluster.startProcess("api,worker", env);
  let url = first.ready.url;
  const run = new ScenarioRun(new LabClient(cluster.keys, () => [url]), "outage");
  const bringUp = await mails.takeDown();
  const calls: StartedCall[] = [];
  for (const capability of ["asked.natural", "asked.keyed", "asked.probe", "asked.none"])
    for (const turn of [1, 2]) calls.push(await run.begin(`${capability}${turn}`, capability));
  await waitForFailures(cluster);
  const [decided, open] = [calls.slice(0, 4), calls.slice(4)];
  for (const call of decided) await denyUntilClosed(run, call);
  await first.end("SIGKILL");
  await moveClockBy(cluster, hourMs);
  const second = await cluster.startProcess("api,worker", env);
  url = second.ready.url;
  await waitForFailures(cluster);
  await bringUp();
  // The longest delay between two attempts is an hour.
  await moveClockBy(cluster, hourMs);
  await waitUntilAtRest(cluster);
  for (const call of open) await denyUntilClosed(run, call);
  await waitUntilAtRest(cluster);
  await second.end();
  return {
    announced: open.map(({ call }) => ({ call, recipients: ["approver", "second"] })),
    decidedMeanwhile: decided.map(({ call }) => call),
  };
}

/** Waits until an attempt failed in the time that the database's clock shows now. */
async function waitForFailures(cluster: LabCluster): Promise<void> {
  const text = `select from paraph.notice where failing_since is not null and attempted_at > paraph.now() - interval '30 minutes'`;
  while ((await cluster.query(text)).length === 0) await sleep(100);
}
