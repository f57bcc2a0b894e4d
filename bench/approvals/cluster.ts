import type { LabEngine } from "../../lab/lab.ts";
import type { Provisioner } from "../../packages/server/src/postgres/index.ts";
import { type ChildHandle, startChild } from "../lib/child.ts";
import { type BenchDatabase, type Servers, startServers } from "../lib/servers.ts";
import type { TrackStart } from "../lib/with-folder.ts";

export const approvalsTenant = "acme";

/** The people who decide. None of them owns an agent. */
export const approvers = ["ana", "bo", "cem", "dina"] as const;

/** The agents that request calls occasionally, and the agents that send floods of requests. */
export const agentIds: readonly string[] = Array.from({ length: 100 }, (_, n) => `agent${n}`);
export const flooderIds: readonly string[] = ["flooder0", "flooder1", "flooder2"];

/** The part of a cluster that takes requests and decisions. */
export interface DecisionCluster {
  readonly apiUrl: string;
  readonly restate: Servers["restate"];
  readonly query: BenchDatabase<unknown>["query"];
  findKey(principal: string): string;
  /** Returns the calls that started since this function last ran, with their start times. */
  takeStartedCalls(): Promise<readonly { readonly call: string; readonly at: number }[]>;
}

/** A production setup with one instance of each part, and a second database in which no approval waits. */
export interface ApprovalsCluster extends DecisionCluster {
  /** An API process on the database in which no approval waits. */
  readonly calm: Pick<ApprovalsCluster, "apiUrl" | "findKey" | "login">;
  /** The process ids of everything that the cluster started. */
  readonly pids: readonly number[];
  /** Opens a browser session of this person and returns its cookie. */
  login(person: string): Promise<string>;
}

export async function startApprovalsCluster(
  folder: string,
  engine: LabEngine,
  starting: TrackStart,
): Promise<ApprovalsCluster> {
  const servers = await startServers(folder, engine, starting);
  const busy = await servers.database("paraph", provisionPrincipals);
  const calm = await servers.database("calm", provisionPrincipals);
  const paraph = (role: "api" | "worker", { env }: typeof busy) =>
    starting(startChild(new URL("./process.ts", import.meta.url), { ...env, ROLE: role }));
  const worker = await paraph("worker", busy);
  const [api, calmApi] = await Promise.all([paraph("api", busy), paraph("api", calm)]);
  const onDatabase = (child: ChildHandle, { provisioned }: typeof busy) => ({
    apiUrl: readUrl(child),
    findKey: (principal: string) => provisioned.get(principal) ?? "",
    login: (person: string) => openSession(child, person),
  });
  return {
    ...onDatabase(api, busy),
    calm: onDatabase(calmApi, calm),
    restate: servers.restate,
    query: busy.query,
    pids: [...[worker, api, calmApi].map(({ pid }) => pid), ...Object.values(servers.pids)],
    takeStartedCalls: () => takeStartedCalls([worker, api]),
  };
}

/** Asks the processes which calls they started since they were last asked. */
export async function takeStartedCalls(
  processes: readonly ChildHandle[],
): Promise<readonly { readonly call: string; readonly at: number }[]> {
  const answers = await Promise.all(
    processes.map((child) => {
      const answer = child.waitForMessage<{ begun: { call: string; at: number }[] }>("begun");
      child.send({ kind: "begun" });
      return answer;
    }),
  );
  return answers.flatMap(({ begun }) => begun);
}

export const readUrl = ({ ready }: ChildHandle): string => (ready as { url: string }).url;

/** Returns the API keys by principal. */
export async function provisionPrincipals(p: Provisioner): Promise<ReadonlyMap<string, string>> {
  await p.addTenant(approvalsTenant);
  await p.addPrincipal({ tenant: approvalsTenant, id: "owner", kind: "person" });
  for (const id of approvers) await p.addPrincipal({ tenant: approvalsTenant, id, kind: "person" });
  for (const id of [...agentIds, ...flooderIds])
    await p.addPrincipal({ tenant: approvalsTenant, id, kind: "agent", owner: "owner" });
  const keys = new Map<string, string>();
  for (const id of [...approvers, ...agentIds, ...flooderIds])
    keys.set(id, await p.createKey(approvalsTenant, id));
  return keys;
}

async function openSession(api: ChildHandle, person: string): Promise<string> {
  const answer = api.waitForMessage<{ link: string }>("link");
  api.send({ kind: "link", tenant: approvalsTenant, person });
  const link = new URL((await answer).link);
  const { status, headers } = await fetch(new URL("/login/local", link), {
    method: "POST",
    headers: { origin: link.origin },
    body: new URLSearchParams({ token: link.searchParams.get("token") ?? "" }),
    redirect: "manual",
  });
  const [cookie] = headers.getSetCookie();
  if (status !== 303 || cookie === undefined) throw new Error(`no login: HTTP ${status}`);
  return cookie.split(";")[0] ?? "";
}
