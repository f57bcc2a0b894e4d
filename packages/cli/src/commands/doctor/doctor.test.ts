import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../../testing/run-cli.ts";

it("outside of a Paraph folder, says which folder and which settings it checked, and what to do", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-doctor-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { code, stdout } = await runCli(["doctor"], { folder });
  expect(code).toBe(1);
  expect(stdout).toContain(`no paraph.config.ts in ${folder}`);
  expect(stdout).toMatch(
    new RegExp(`no \\.paraph in ${folder} or a folder above it\n +→ change to your Paraph`),
  );
  expect(stdout).toMatch(/no server to check: `--url` and PARAPH_URL are not set.*\n +→ start one with/);
});

it("[P11] rejects rules and policies that name an unknown capability, as `paraph dev` does", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-doctor-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, "paraph.config.mjs"),
    `import { files } from "paraph";
export default {
  adapters: { files: files({ root: "." }) },
  rules: [{ capability: "files.wirte", block: true }],
};`,
  );
  const { stdout } = await runCli(["doctor"], { folder });
  expect(stdout).toContain(
    "✘ configuration paraph.config.mjs:4: `rules[0].capability`: no capability is called `files.wirte`. Did you mean `files.write`?\n",
  );
});

it("[TRUST 5] shows an adapter's lines without control characters, policies that are not in force, and too few approvers", async () => {
  const adapter = { name: "tickets", kind: "yaml", state: "unavailable", capabilities: 0 };
  const starting = {
    ...{ name: "notes", kind: "mcp", state: "unavailable", capabilities: 0 },
    ...{ code: "adapter-starting", message: "Still starting." },
  };
  const answers: Record<string, object> = {
    "/readyz": { parts: {} },
    "/v1/me": { id: "ana", kind: "person", tenant: "acme" },
    "/v1/adapters": {
      adapters: [{ ...adapter, message: "Two faults:\n  a.yaml:1\u001b[2K\n  b.yaml:2\n" }, starting],
    },
    "/v1/policy": {
      ...{ version: "a", source: "published", configured: "b" },
      policies: [
        { id: "rule-1-stock.order", file: "rules", line: 1, shadow: false, quorum: 2, group: "owners" },
        { id: "pair", file: "policies/a.cedar", line: 4, shadow: false, quorum: 2 },
        { id: "one", file: "policies/a.cedar", line: 9, shadow: false, quorum: 1 },
        { id: "critical", file: "presets/balanced.cedar", line: 9, shadow: false, quorum: 2 },
      ],
    },
    "/v1/principals?limit=100": {
      principals: [
        { id: "ana", kind: "person", groups: [], channels: [] },
        { id: "bot", kind: "agent", groups: [] },
      ],
    },
  };
  const server = createServer((request, response) =>
    response.end(JSON.stringify(answers[request.url!] ?? {})),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await mkdtemp(join(tmpdir(), "paraph-doctor-"));
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = { PARAPH_URL: url, PARAPH_KEY: "k", PARAPH_APPROVER_KEY: "k" };
  const listed = await runCli(["adapters"], { folder, environment });
  expect(listed.stdout).toMatch(/^tickets +yaml +unavailable +0$/m);
  expect(listed.stdout).toMatch(/^notes +mcp +starting +0$/m);
  expect(listed.stdout).toContain("\ntickets\n  Two faults:\n    a.yaml:1<U+001B>[2K\n    b.yaml:2\n");
  expect(listed.stdout).toContain("\nnotes (adapter-starting)\n  Still starting.\n");
  const { stdout } = await runCli(["doctor"], { folder, environment });
  const indent = " ".repeat(16);
  expect(stdout).toContain(
    `✘ tickets       unavailable. Two faults:\n${indent}  a.yaml:1<U+001B>[2K\n${indent}  b.yaml:2\n`,
  );
  expect(stdout).toContain("! notes         starting. Still starting.\n");
  expect(stdout).not.toContain("<U+000A>");
  expect(stdout).toMatch(
    /! policy +a published policy set is in force, and the configuration's policies differ/,
  );
  expect(stdout.match(/^! policy .*\n.*$/gm)?.slice(1)).toEqual([
    `! policy        rules[0]: the group owners has 0 members, but 2 must approve\n${indent}→ \`paraph groups add owners PERSON\``,
    `! policy        policies/a.cedar:4: pair: there is 1 person, but 2 must approve\n${indent}→ \`paraph invite PERSON\``,
  ]);
  expect(stdout).toContain("! notices       no channel reaches 1 of the people who can approve: ana\n");
});
