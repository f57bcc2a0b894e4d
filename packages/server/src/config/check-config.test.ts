import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codingAgent } from "@paraph/adapters/coding-agent";
import { files } from "@paraph/adapters/files";
import { git } from "@paraph/adapters/git";
import { http } from "@paraph/adapters/http";
import { mcp } from "@paraph/adapters/mcp";
import { openapi } from "@paraph/adapters/openapi";
import { remote } from "@paraph/adapters/remote";
import { postgres } from "@paraph/adapters/sql";
import { terminal } from "@paraph/adapters/terminal";
import { yamlTools } from "@paraph/adapters/yaml";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { checkConfig, checkStart } from "./check-config.ts";
import type { Config } from "./config.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-check-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

/** Casts a configuration, because JavaScript code is not bound by the types. */
const unchecked = (config: object) => config as Config;

function readFaults(config: object, source?: { file: string; text: string }): string {
  try {
    checkConfig(unchecked(config), source);
    return "";
  } catch (error) {
    expect(error).toMatchObject({ name: "ParaphError", code: "config-invalid" });
    return (error as Error).message;
  }
}

describe("the check of a configuration", () => {
  it("names the file, line and key of a misspelt key, and suggests the intended key", () => {
    const text =
      '// polcy: "a comment"\nexport default {\n  adapters: {},\n  polcy: "strict",\n  ask: { expries: {} },\n};\n';
    const message = readFaults(
      { adapters: {}, polcy: "strict", ask: { expries: {} } },
      { file: "paraph.config.ts", text },
    );
    expect(message).toContain("paraph.config.ts:4: `polcy` is not a known key. Did you mean `policy`?");
    expect(message).toContain(
      "paraph.config.ts:5: `ask.expries` is not a known key. Did you mean `expires`?",
    );
  });

  it("reports all faults in one message", () => {
    const message = readFaults({
      mode: "obsrve",
      policy: "strct",
      features: { executor_confirn: false },
      limits: [{ per: "everyone", calls: 1.5 }, { per: "tenant" }, { per: "tenant", call: 3 }],
      poll: { doc: { every: "10 minutes" } },
      webhooks: [{ url: "ftp://x", secret: "s" }],
      identity: { oidc: { issuer: "http://example.com", audience: "a", tenant: "acme", aud: "x" } },
      checks: { concurrency: 0, link: {} },
      worker: { host: "0.0.0.0", prot: 9080 },
      budgets: { stream: 3, totalStreams: 0 },
      adapters: { docs: {}, Odd: files({ root: "." }) },
      capabilities: [{}],
      unattended: "files.write",
      ask: { maxDenials: -1, escalation: { normal: [{ after: "soon" }] } },
    });
    for (const said of [
      '`mode`: expected one of "enforce", "observe". Did you mean "observe"?',
      '`policy`: expected one of "permissive", "balanced", "strict". Did you mean "strict"?',
      "`features.executor_confirn` is not a known key. Did you mean `executor_confirm`?",
      "`limits[0].per`",
      "`budgets.stream` is not a known key. Did you mean `streams`?",
      "`budgets.totalStreams`",
      "`worker.prot` is not a known key. Did you mean `port`?",
      "`limits[0].calls`",
      "`limits[1]`: name at least one of calls, money, concurrency",
      "`limits[2].call` is not a known key. Did you mean `calls`?",
      "`poll.doc.every`",
      "`poll.doc` is not an adapter. Did you mean `docs`?",
      "`webhooks[0].url`",
      "`identity.oidc.issuer`",
      "`identity.oidc.aud` is not a known key. Did you mean `audience`?",
      "`checks.concurrency`",
      "`checks.link` is not a known key. Did you mean `links`?",
      "`adapters.docs`: not an adapter",
      "`adapters.Odd`",
      "`capabilities[0]`: not a capability",
      "`unattended`",
      "`ask.maxDenials`",
      "`ask.escalation.normal[0].after`",
    ])
      expect(message).toContain(said);
  });

  it.each([
    ["files", files({ root: ".", maxByte: 1 } as never), "maxBytes"],
    ["git", git({ repository: ".", protct: [] } as never), "protect"],
    ["git's remotes", git({ repository: ".", remotes: { o: { ulr: "x" } } } as never), "url"],
    ["postgres", postgres("postgres://x/y", { maxRow: 1 } as never), "maxRows"],
    ["http", http({ hosts: { "https://x.example": { credentials: 1 } } } as never), "credential"],
    ["openapi", openapi({ document: "a.yaml", includes: [] } as never), "include"],
    ["openapi's overrides", openapi({ document: "a", overrides: { x: { rsk: "low" } } } as never), "risk"],
    ["yamlTools", yamlTools({ file: "a.yaml" } as never), "files"],
    ["mcp.stdio", mcp.stdio({ command: "x", agrs: [] } as never), "args"],
    ["mcp.stdio's sandbox", mcp.stdio({ command: "x", sandbox: { netwrok: true } } as never), "network"],
    ["mcp.http", mcp.http("https://x.example", { credentail: `\${A}` } as never), "credential"],
    [
      "mcp.http's login",
      mcp.http("https://x.example", { oauth: { login: true, isuer: 1 } } as never),
      "issuer",
    ],
    ["remote", remote({ url: "http://127.0.0.1:1", key: `\${K}`, serivce: "x" } as never), "service"],
    ["terminal", terminal({ workspace: ".", netwrk: true } as never), "network"],
    ["terminal's limits", terminal({ workspace: ".", limits: { memory: 1 } } as never), "memoryMb"],
    ["codingAgent", codingAgent({ risk: { bsh: "low" } } as never), "bash"],
  ])("reports a misspelt option of %s, and suggests the intended option", (_, adapter, meant) => {
    const message = readFaults({ adapters: { it: adapter } });
    expect(message).toMatch(/`adapters\.it\.[^`]+` is not a known key\./);
    expect(message).toContain(`Did you mean \`${meant}\`?`);
  });

  it.each([
    [2, "has version 2 of the adapter interface, but this Paraph supports version 1. Update Paraph"],
    [
      0,
      "has version 0 of the adapter interface, but this Paraph supports version 1. Update the package that the adapter comes from",
    ],
    [undefined, "has no `interfaceVersion`. Create the adapter with `defineAdapter`"],
  ])("[P11] refuses an adapter of the interface version %s before any server starts", (version, message) => {
    const other = { ...files({ root: "." }), interfaceVersion: version as number };
    expect(readFaults({ adapters: { docs: other } })).toContain(`\`adapters.docs\`: ${message}`);
  });

  it("never repeats a value, which may be a secret", () => {
    const message = readFaults({
      policy: "hunter2-secret",
      adapters: { db: postgres("hunter2-secret", { timeout: "hunter2-secret" }) },
      webhooks: [{ url: "hunter2-secret", secret: 4 }],
    });
    expect(message).toContain("`adapters.db.connection`");
    expect(message).not.toContain("hunter2");
  });

  it("accepts a configuration without faults, including a key that is `undefined`", () => {
    expect(readFaults({})).toBe("");
    expect(
      readFaults({
        policy: undefined,
        adapters: { docs: files({ root: "." }) },
        poll: { docs: { every: "1m" } },
      }),
    ).toBe("");
  });
});

describe("the check at the start", () => {
  const started = (config: object, environment: NodeJS.ProcessEnv = {}) => {
    try {
      checkStart(unchecked(config), { folder, environment });
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };

  it("reports missing policy files, invalid Cedar and invalid rules", async () => {
    await mkdir(join(folder, "policies"));
    await writeFile(join(folder, "policies/a.cedar"), "\nforbid (principal");
    expect(started({})).toContain("policies/a.cedar:");
    const message = started({
      policies: ["gone.cedar"],
      rules: [{ capabilty: "x.y", ask: true }],
      polcy: "strict",
    });
    expect(message).toContain("gone.cedar");
    expect(message).toContain("`rules[0].capabilty` is not a known key. Did you mean `capability`?");
    expect(message).toContain("Did you mean `policy`?");
  });

  it("reports a secret that is missing everywhere, and accepts one that any tenant has", async () => {
    const adapters = { db: postgres(`\${PROD_DB}`) };
    expect(started({ adapters })).toContain("`adapters.db`: there is no secret `PROD_DB`");
    expect(started({ adapters }, { PROD_DB: "postgres://x" })).toBe("");
    expect(started({ adapters }, { PARAPH_SECRET__ACME__PROD_DB: "postgres://x" })).toBe("");
    await mkdir(join(folder, "secrets/acme"), { recursive: true });
    await writeFile(join(folder, "secrets/acme/PROD_DB"), "postgres://x");
    expect(started({ adapters })).toBe("");
    expect(started({ webhooks: [{ url: "https://x.example", secret: "hook" }] })).toContain(
      "`webhooks[0].secret`: there is no secret `hook`",
    );
  });
});
