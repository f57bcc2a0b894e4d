// An agent requests a refund. A person approves it later, and the agent gets the result on its next turn. Then the
// agent writes a letter itself, which policy allows.
//
//   node --conditions=paraph-source examples/ai-sdk/main.ts
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { startLocal } from "@paraph/dev-servers/local";
import { createClient, type ParaphClient, verify } from "@paraph/sdk";
import { createLog, startParaph } from "@paraph/server";
import type { ModelMessage } from "ai";
import { letters, runTurn } from "./agent.ts";
import config, { refunds } from "./paraph.config.ts";
import { startScriptedModel } from "./scripted-model.ts";

const printLine = (line: string) => process.stdout.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), "paraph-example-"));
const local = await startLocal(folder, {}, { progress: () => {} });
const paraph = await startParaph({
  config,
  folder,
  databaseUrl: local.databaseUrl,
  restate: local.restate,
  signer: local.signer,
  publicKeys: local.publicKeys,
  version: "0.0.0",
  log: createLog({ level: "error" }),
});
const scripted = await startScriptedModel((messages) => {
  const last = messages.findLast(({ role }) => role === "tool");
  if (!last) return { tool: "billing_refund", input: { payment: "pay_8Zk2", cents: 1250 } };
  const { status, output } = JSON.parse(last.content ?? "{}");
  if (status === "pending") return { text: "I have asked a colleague about your refund." };
  return output?.letter === undefined
    ? { tool: "write_letter", input: { customer: "carla", text: `Refunded: ${output?.refund}.` } }
    : { text: `Your refund is ${status}, and a letter is on its way (${output.letter}).` };
});

try {
  const url = paraph.url!;
  const agent = createClient({ url, key: local.access.agent });
  const model = createOpenAICompatible({ name: "scripted", baseURL: scripted.url })("scripted");
  const first: ModelMessage[] = [{ role: "user", content: "I returned the lamp." }];

  const asked = await runTurn(model, agent, first, "chat-81");
  printLine(`agent:    ${asked.text}`);

  const call = await approveFirst(url, local.access.owner);
  printLine("approver: approved");
  // The example waits here only to learn when the refund is done. Paraph performs the refund even if no caller waits.
  await agent.wait(call, { timeoutMs: 30_000 });

  const later: ModelMessage[] = [...asked.conversation, { role: "user", content: "And?" }];
  const done = await runTurn(model, agent, later, "chat-81");
  printLine(`agent:    ${done.text}`);
  printLine(`refunds:  ${refunds.length}`);
  printLine(`receipt:  ${await describeReceipt(agent, call)}`);
  printLine(`letters:  ${letters.join(" ")}`);
  const { call: letter } = findLastAnswer(done.conversation);
  printLine(`receipt:  ${await describeReceipt(agent, letter)}`);
} finally {
  await scripted.stop();
  await paraph.stop();
  await local.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Approves the first request over the API, as a person does on the page. The decision names the exact digest. */
async function approveFirst(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const list = await fetch(new URL("/v1/approvals", url), { headers });
  const { approvals } = (await list.json()) as {
    approvals: { approval: string; call: string; digest: string }[];
  };
  const { approval, call, digest } = approvals[0]!;
  await fetch(new URL(`/v1/approvals/${approval}/decision`, url), {
    method: "POST",
    headers,
    body: JSON.stringify({ decision: "approve", digest }),
  });
  return call;
}

async function describeReceipt(agent: ParaphClient, call: string): Promise<string> {
  const { story } = await verify(await agent.receipt(call), local.publicKeys);
  const by = story.performer === "agent" ? "performed by the agent" : "performed by Paraph";
  return `${story.outcome.kind}, ${by}, verified`;
}

/** Returns the output of the last tool, which names its call. */
function findLastAnswer(conversation: readonly ModelMessage[]): { call: string } {
  const message = conversation.findLast(({ role }) => role === "tool");
  const [part] = (message as Extract<ModelMessage, { role: "tool" }>).content;
  return (part as unknown as { output: { value: { call: string } } }).output.value;
}
