// An editor's agent handles drafts. A person denies one plan and returns another with instructions, the site closes, and
// the agent restarts in the middle. It believes what it observes, and replans from what it believes.
//
//   node --conditions=paraph-source examples/bdi-agent/main.ts
//
// With BDI_MODEL_URL, BDI_MODEL_NAME and BDI_MODEL_KEY, a model chooses between the ways.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startLocal } from "@paraph/dev-servers/local";
import { createClient } from "@paraph/sdk";
import { createLog, startParaph } from "@paraph/server";
import { BdiAgent } from "./agent.ts";
import type { Observed } from "./beliefs.ts";
import { createModelPlanner } from "./model-planner.ts";
import { createConfig } from "./paraph.config.ts";
import { chooseByOutcomes } from "./planner.ts";

/** The decisions of the person, by the title of the plan. The person approves every other plan. */
const answers: Readonly<Record<string, { decision: string; reason: string }>> = {
  "publish inbox/b.md": { decision: "deny", reason: "Not ready for the site." },
  "publish inbox/c.md": { decision: "return", reason: "File it in the folder archive." },
};

const printLine = (line: string) => process.stdout.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), "paraph-bdi-"));
const desk = await mkdtemp(join(tmpdir(), "paraph-desk-"));
await prepareDesk();
const local = await startLocal(folder, {}, { progress: () => {} });
const paraph = await startParaph({
  config: createConfig(desk),
  folder: folder,
  databaseUrl: local.databaseUrl,
  restate: local.restate,
  signer: local.signer,
  publicKeys: local.publicKeys,
  version: "0.0.0",
  log: createLog({ level: "error" }),
});
const url = paraph.url!;
const client = createClient({ url, key: local.access.agent });
const { BDI_MODEL_URL, BDI_MODEL_NAME, BDI_MODEL_KEY } = process.env;
const planner =
  BDI_MODEL_URL && BDI_MODEL_NAME
    ? createModelPlanner(
        { url: BDI_MODEL_URL, name: BDI_MODEL_NAME, ...(BDI_MODEL_KEY && { key: BDI_MODEL_KEY }) },
        chooseByOutcomes,
      )
    : chooseByOutcomes;
const observe = async (after: number) =>
  (await read<{ observations: Observed[] }>("agent", `/v1/observations?after=${after}`)).observations;
const startAgent = () =>
  BdiAgent.resume({ client, session: "editor-1", planner, observe, report: printLine });

try {
  await until(async () => {
    const { polls } = await read<{ polls: { polledAt?: string }[] }>("owner", "/v1/polls");
    return polls.length === 2 && polls.every(({ polledAt }) => polledAt !== undefined);
  });
  for (const name of ["a", "b", "c", "d", "e", "f"]) await writeFile(join(desk, `inbox/${name}.md`), name);
  let agent = await startAgent();
  await until(async () => {
    await agent.perceive();
    return Object.keys(agent.beliefs.drafts).length === 6;
  });
  printLine(`believes ${Object.keys(agent.beliefs.drafts).join(" ")}`);

  while (await agent.pursue()) {
    const goal = agent.beliefs.pursuit?.goal;
    if (goal === "inbox/f.md") {
      printLine("restarts");
      agent = await startAgent();
      printLine(`resumes  ${agent.beliefs.pursuit?.way} ${agent.beliefs.pursuit?.goal}`);
    }
    if (goal === "inbox/d.md") await writeFile(join(desk, "site-closed"), "");
    await decide();
    await agent.conclude();
  }
  await until(async () => {
    await agent.perceive();
    return agent.beliefs.commits > 0;
  });
  const { drafts, uncommitted, commits } = agent.beliefs;
  for (const [path, { way, ruledOut, folder }] of Object.entries(drafts))
    printLine(`belief   ${path} ${JSON.stringify({ way, ruledOut, folder })}`);
  printLine(`belief   ${JSON.stringify({ uncommitted, commits })}`);
  for (const place of ["inbox", "published", "review", "archive"])
    printLine(
      `desk     ${place}: ${(await readdir(join(desk, place))).filter((name) => name.endsWith(".md")).join(" ")}`,
    );
  printLine(`git      ${runGit("log", "--format=%s", "-1")}`);
  const { calls } = await read<{ calls: unknown[] }>("agent", "/v1/calls?session=editor-1&steps=false");
  const commit = (await readSnapshot())?.observations.find(({ adapter }) => adapter === "repo");
  printLine(`snapshot ${commit?.kind} ${commit?.subject}`);
  printLine(`plans    ${calls.length}`);
} finally {
  await paraph.stop();
  await local.stop();
  for (const one of [folder, desk]) await rm(one, { recursive: true, force: true });
}

/** Reads the session as the agent's owner, who may also see the observations that concern it. */
function readSnapshot() {
  return createClient({ url, key: local.access.owner }).session("editor-1");
}

async function prepareDesk(): Promise<void> {
  for (const name of ["inbox", "published", "review", "archive"]) await mkdir(join(desk, name));
  await writeFile(join(desk, "README.md"), "The editor's desk\n");
  runGit("init", "--quiet", "--initial-branch=main", "--template=");
  runGit("add", ".");
  runGit("commit", "--quiet", "--message=Begin");
}

function runGit(...args: string[]): string {
  const who = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"];
  return execFileSync("git", [...who, ...args], { cwd: desk, encoding: "utf8" }).trim();
}

/** Decides about the open plan, as a person does on its page. */
async function decide(): Promise<void> {
  type Open = { approvals: { approval: string; digest: string; headline: string; call: string }[] };
  let { approvals }: Open = { approvals: [] };
  // Paraph asks once the preview of the plan is ready, which can be later.
  await until(async () => {
    ({ approvals } = await read<Open>("owner", "/v1/approvals"));
    return approvals.length > 0;
  });
  for (const { approval, digest, call } of approvals) {
    const { input } = await read<{ input: { title: string } }>("owner", `/v1/calls/${call}`);
    const answer = answers[input.title] ?? { decision: "approve" };
    const response = await fetch(new URL(`/v1/approvals/${approval}/decision`, url), {
      method: "POST",
      headers: { authorization: `Bearer ${local.access.owner}`, "content-type": "application/json" },
      body: JSON.stringify({ ...answer, digest }),
    });
    if (!response.ok) throw new Error(`The decision failed: ${response.status}`);
  }
}

async function read<T>(as: "agent" | "owner", path: string): Promise<T> {
  const response = await fetch(new URL(path, url), {
    headers: { authorization: `Bearer ${local.access[as]}` },
  });
  return (await response.json()) as T;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await setTimeout(100);
}
