import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Contract,
  checkInput,
  checkResult,
  enforceAll,
  type Json,
  type Preview,
  type Principal,
  type Ruling,
  roles,
  rule,
} from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  assemblePolicyDocument,
  compileRules,
  createCedarPolicy,
  loadPolicies,
  presets,
  type Rule,
} from "./index.ts";
import { createContract } from "./testing/sample-contracts.ts";

const file = fileURLToPath(new URL("../../../../../docs/reference/presets.md", import.meta.url));

const path = z.object({ path: z.string() });
const [readFile, writeFile, removeFile] = [
  createContract("files.read", { effect: "read", input: path }),
  createContract("files.write", { input: path }),
  createContract("files.delete", { effect: "destroy", input: path }),
];
const note = createContract("notes.append", { risk: "low" });
const exportAll = createContract("crm.export", { effect: "read", risk: "high" });
const publish = createContract("reports.publish", {});
const restart = createContract("ops.restart", { risk: "high" });
const deploy = createContract("ops.deploy", { risk: "critical" });
const refund = createContract("billing.refund", { input: z.object({ cents: z.int() }) });
const send = createContract("mail.send", { input: z.object({ to: z.string() }) });
const execute = createContract("db.execute", { input: z.object({ sql: z.string() }) });
const freeze = createContract("admin.freeze", { risk: "low" });
const addMember = createContract("admin.group_add", { risk: "high" });
const publishPolicy = createContract("admin.policy_publish", { risk: "critical" });
const breakGlass = createContract("admin.break_glass", { risk: "critical" });
const addPasskey = createContract("admin.passkey_add", { risk: "high" });
const removePasskey = createContract("admin.passkey_remove", { risk: "low" });
const recipients = createContract("check.recipients", {
  effect: "read",
  input: checkInput,
  output: checkResult,
});
const contracts = [
  ...[readFile, writeFile, removeFile, note, exportAll, publish, restart, deploy, refund, send, execute],
  ...[freeze, addMember, publishPolicy, breakGlass, addPasskey, removePasskey, recipients],
];

const agent: Principal = { tenant: "acme", id: "helper", kind: "agent", owner: "anna" };
const bot: Principal = { ...agent, id: "finance-bot", groups: ["finance-bots"] };
const service: Principal = { tenant: "acme", id: "nightly", kind: "service" };
const person: Principal = { tenant: "acme", id: "anna", kind: "person" };
const admin: Principal = { ...person, groups: [roles.admins] };
const keeper: Principal = { ...person, groups: [roles.breakGlass] };

const unattended = ["reports.publish"];
const rules: readonly Rule[] = [
  {
    capability: "billing.refund",
    when: { "input.cents": { under: 2_000 } },
    for: { group: "finance-bots" },
    allow: "unattended",
  },
  { capability: "billing.refund", when: { "input.cents": { over: 100_000 } }, ask: "finance", people: 2 },
  { capability: "mail.send", check: ["check.recipients"], onFail: "ask" },
  { capability: "db.execute", when: { "preview.rows": { over: 1_000 } }, ask: "dba", people: 2 },
];

const rows: Preview = {
  changes: [{ kind: "update", target: "table customers", details: { rows: 12_431 } }],
  basis: { rows: 12_431 },
};
interface TypicalCall {
  readonly what: string;
  readonly who: Principal;
  readonly contract: Contract;
  readonly input?: Json;
  readonly preview?: Preview;
}
const at = { path: "/srv/a" };
const calls: readonly TypicalCall[] = [
  { what: "An agent reads a file", who: agent, contract: readFile, input: at },
  { what: "An agent exports all customers (a read of high risk)", who: agent, contract: exportAll },
  { what: "An agent appends a note (low risk)", who: agent, contract: note },
  { what: "An agent writes a file", who: agent, contract: writeFile, input: at },
  { what: "A service writes a file", who: service, contract: writeFile, input: at },
  { what: "A person writes a file", who: person, contract: writeFile, input: at },
  { what: "An agent publishes a report (named in `unattended`)", who: agent, contract: publish },
  { what: "An agent deletes a file", who: agent, contract: removeFile, input: at },
  { what: "A person deletes a file", who: person, contract: removeFile, input: at },
  { what: "An agent restarts production (high risk)", who: agent, contract: restart },
  { what: "An agent deploys (critical risk)", who: agent, contract: deploy },
  { what: "A person deploys (critical risk)", who: person, contract: deploy },
  { what: "An agent refunds 5 €", who: agent, contract: refund, input: { cents: 500 } },
  {
    what: "An agent in the group `finance-bots` refunds 5 €",
    who: bot,
    contract: refund,
    input: { cents: 500 },
  },
  { what: "An agent refunds 5,000 €", who: agent, contract: refund, input: { cents: 500_000 } },
  {
    what: "An agent sends a mail to the outside",
    who: agent,
    contract: send,
    input: { to: "x@example.net" },
  },
  {
    what: "An agent's SQL would update 12,431 rows",
    who: agent,
    contract: execute,
    input: { sql: "update …" },
    preview: rows,
  },
  { what: "An administrator freezes an agent", who: admin, contract: freeze },
  { what: "An agent freezes another", who: agent, contract: freeze },
  { what: "An administrator adds a person to a group", who: admin, contract: addMember },
  { what: "A person who is not an administrator does the same", who: person, contract: addMember },
  { what: "An administrator publishes policies", who: admin, contract: publishPolicy },
  { what: "A member of `paraph:break-glass` uses break-glass", who: keeper, contract: breakGlass },
];

const compiled = compileRules(rules, contracts);
const columns = [
  ...presets.map((preset) => ({
    title: `\`${preset}\``,
    document: assemblePolicyDocument({ preset, unattended }),
  })),
  {
    title: "`balanced` and four rules",
    document: assemblePolicyDocument({
      sources: [compiled.source],
      unattended: [...unattended, ...compiled.unattended],
    }),
  },
].map(({ title, document }) => ({ title, policy: createCedarPolicy(loadPolicies(document, contracts)) }));

const ruleTypicalCall = ({ policy }: (typeof columns)[number], call: TypicalCall): Ruling => {
  const { who, contract, input = {}, preview } = call;
  return rule(policy, { principal: who, contract, input, preview }, { votes: [] }, enforceAll);
};

function describeRuling(ruling: Ruling): string {
  switch (ruling.kind) {
    case "allow":
      return "allow";
    case "check":
      return `check ${ruling.checks.map((name) => `\`${name}\``).join(", ")}, then ask`;
    case "ask": {
      // The strictest guard is shown, because a vote counts for every guard whose group the voter is in.
      const max = ruling.guards.reduce((a, b) => (b.quorum > a.quorum || (b.group && !a.group) ? b : a));
      return `ask ${max.quorum}${max.group ? ` of \`${max.group}\`` : ""}, ${ruling.urgency}`;
    }
    case "block":
      return "**block**";
  }
}

function formatTable(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const lines = calls.map((call) =>
    row([call.what, ...columns.map((column) => describeRuling(ruleTypicalCall(column, call)))]),
  );
  return `# Policy presets

This table shows how each preset rules on ${calls.length} typical calls before any approval. It is generated from the
shipped policies. For example, *ask 2 of \`dba\`, high* means that two members of the group \`dba\` must approve, with the urgency
\`high\`. An approval by the requester, or by the owner of the requesting agent, never counts. The presets are in
[presets/](../../packages/server/src/policy/cedar/presets/). [Policy](../guides/policy.md) explains how to add your own policies.

${row(["Call", ...columns.map(({ title }) => title)])}
${row(["---", ...columns.map(() => "---")])}
${lines.join("\n")}

The last column uses these four rules:

\`\`\`ts
rules: [
${rules.map((one) => `  ${formatLiteral(one)},`).join("\n")}
]
\`\`\`
`;
}

function formatLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatLiteral).join(", ")}]`;
  if (typeof value === "number") return value.toLocaleString("en").replaceAll(",", "_");
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const key = (name: string) => (/^[a-z]+$/i.test(name) ? name : JSON.stringify(name));
  const parts = Object.entries(value).map(([name, one]) => `${key(name)}: ${formatLiteral(one)}`);
  return `{ ${parts.join(", ")} }`;
}

it("docs/reference/presets.md matches the presets (run this test with UPDATE=1 after a change)", () => {
  if (process.env.UPDATE) writeFileSync(file, formatTable());
  expect(existsSync(file) && readFileSync(file, "utf8"), "out of date: run this test with UPDATE=1").toBe(
    formatTable(),
  );
});

describe.each(columns)("$title", (column) => {
  const kind = (who: Principal, asked: Contract) =>
    ruleTypicalCall(column, { what: "", who, contract: asked }).kind;

  it("[TRUST 12] blocks administration by non-administrators, and by agents and services in any group", () => {
    for (const asked of [freeze, addMember, publishPolicy]) {
      for (const who of [agent, service, person, keeper]) expect(kind(who, asked)).toBe("block");
      for (const who of [agent, service]) {
        const inGroups = { ...who, groups: [roles.admins, roles.breakGlass] };
        expect(kind(inGroups, asked)).toBe("block");
      }
    }
  });

  it("[TRUST 25] allows an administrator to freeze at once, and requires approval to change groups or policy", () => {
    expect(kind(admin, freeze)).toBe("allow");
    expect(kind(admin, addMember)).toBe("ask");
    expect(kind(admin, publishPolicy)).toBe("ask");
  });

  it("blocks break-glass except for people in its group, even for administrators", () => {
    for (const who of [agent, service, person, admin]) expect(kind(who, breakGlass)).toBe("block");
    expect(kind({ ...agent, groups: [roles.breakGlass] }, breakGlass)).toBe("block");
    expect(kind(keeper, breakGlass)).not.toBe("block");
  });

  it("[TRUST 27] lets every person enrol a passkey, if an administrator or, for an administrator, another person approves", () => {
    const groups = (who: Principal) => {
      const ruling = ruleTypicalCall(column, { what: "", who, contract: addPasskey });
      return ruling.kind === "ask" ? ruling.guards.map(({ group }) => group) : ruling.kind;
    };
    expect(groups(person)).toContain(roles.admins);
    expect(groups(admin)).toHaveLength(1);
    expect(kind(person, removePasskey)).toBe("allow");
    for (const who of [agent, service]) {
      expect(groups({ ...who, groups: [roles.admins] })).toBe("block");
      expect(kind(who, removePasskey)).toBe("block");
    }
  });

  it("[P4] never allows a destructive or high-risk call of an agent or a service without approval", () => {
    for (const who of [agent, service]) {
      for (const asked of [restart, deploy]) expect(["ask", "block"]).toContain(kind(who, asked));
      const asked = { what: "", who, contract: removeFile, input: at };
      expect(ruleTypicalCall(column, asked).kind).toBe("ask");
    }
  });
});
