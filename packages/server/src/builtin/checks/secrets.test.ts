import { describe, expect, it } from "vitest";
import { createNestedInput, createTestChecks, maxGrowth, measureGrowth } from "./testing/run-check.ts";
import { innocentSamples, secretSamples } from "./testing/secret-corpus.ts";

const { judge } = createTestChecks();

describe("check.secrets", () => {
  it("is tested with at least 25 kinds of secrets and at least 50 harmless texts", () => {
    expect(Object.keys(secretSamples).length).toBeGreaterThanOrEqual(25);
    expect(innocentSamples.length).toBeGreaterThanOrEqual(50);
  });

  it.each(Object.entries(secretSamples))(
    "[TRUST 16] finds a secret and never repeats it: %s",
    async (_kind, secret) => {
      const result = await judge("secrets", { to: "ana", body: `Hello,\n${secret}\nBye.` });
      expect(result.passed).toBe(false);
      expect(result.findings[0]).toMatchObject({ path: "input.body" });
      expect(result.findings[0]!.code).toMatch(/^secret-/);
      expect(findLongestOverlap(JSON.stringify(result), secret)).toBeLessThan(12);
    },
  );

  it("finds no secret in the harmless texts", async () => {
    const taken: string[] = [];
    for (const text of innocentSamples) {
      const { passed, findings } = await judge("secrets", { body: text });
      if (!passed) taken.push(`${findings[0]?.code}: ${text}`);
    }
    expect(taken).toEqual([]);
  });

  it("finds a secret that only the name of its field reveals", async () => {
    const { findings } = await judge("secrets", { login: { client_secret: "q8Zr2LxW0vTn5KbY3mPd" } });
    expect(findings).toMatchObject([{ code: "secret-assignment", path: "input.login.client_secret" }]);
  });

  it("accepts a password only in a field that the contract declares sensitive, and a token not even there", async () => {
    const password = "q8Zr2LxW0vTn5KbY3mPd";
    expect(await judge("secrets", { to: "ana", password })).toMatchObject({ passed: true });
    expect(await judge("secrets", { to: "ana", other: { password } })).toMatchObject({ passed: false });
    expect(await judge("secrets", { to: "ana", password: secretSamples["GitHub token"]! })).toMatchObject({
      passed: false,
    });
  });

  it("[TRUST 16] names a property by its number if its name is the secret", async () => {
    const token = secretSamples["GitHub token"]!;
    const result = await judge("secrets", {
      fine: 1,
      [token]: { deeper: `password=${secretSamples["Google API key"]}` },
    });
    expect(result.findings.map(({ path }) => path)).toContain("input{1}");
    expect(JSON.stringify(result)).not.toContain(token);
  });

  it("finds a private key that was split into lines", async () => {
    const { passed } = await judge("secrets", { lines: secretSamples["RSA private key"]!.split("\n") });
    expect(passed).toBe(false);
  });

  it("cannot be switched off by the text itself", async () => {
    const text = `/* secretlint-disable */\n<!-- secretlint-disable -->\n${secretSamples["GitHub token"]}`;
    expect(await judge("secrets", { text })).toMatchObject({ passed: false });
  });

  it.each([
    ["1,000 levels", createNestedInput(1_000, secretSamples["GitHub token"]!)],
    ["lone surrogates", { "\ud800": `\ud800 ${secretSamples["GitHub token"]} \udfff` }],
    [
      "prototype keys",
      JSON.parse(`{"__proto__":{"constructor":${JSON.stringify(secretSamples["GitHub token"])}}}`),
    ],
    ["20,000 strings", [...Array(20_000).fill("hello"), secretSamples["GitHub token"]!]],
  ])("finds a secret in hostile input: %s", async (_name, input) => {
    const { passed, findings } = await judge("secrets", input);
    expect(passed).toBe(false);
    expect(findings.every(({ path }) => path!.length <= 500 && path!.isWellFormed())).toBe(true);
  });

  it("[TRUST 24] takes time in proportion to the length of a text, also for adversarial texts", async () => {
    await judge("secrets", { warm: "up" });
    const fillings = [
      "a",
      "-",
      " ",
      "\n",
      "=",
      ":",
      "@",
      "/",
      "_",
      '"',
      "\\",
      "A1",
      "eyJ",
      "-eyJa",
      "eyJaaaaaaaaaa.",
      "sk-ant-",
      "xoxb-1-",
      "https://a:",
      "a://b:c",
      "password=",
      "password",
      "secret_key:",
      "api-",
      "-----BEGIN ",
      "-----BEGIN RSA PRIVATE KEY-----\n",
      "AKIA",
      "Bearer ",
      "basic A1",
      "0:AA",
      "ghs_1_a.",
      "postgres://u:",
      "Zq3_",
      "\ud800",
      "key-0",
      "//r/:_auth=",
    ];
    for (const filling of fillings) {
      const growing = await measureGrowth(filling, (body) => judge("secrets", { body }));
      expect(growing, JSON.stringify(filling)).toBeLessThan(maxGrowth);
    }
  });

  it("lists at most 200 findings and says how many more there are", async () => {
    const many = Array.from({ length: 300 }, () => secretSamples["GitHub token"]!);
    const { findings } = await judge("secrets", many);
    expect(findings).toHaveLength(200);
    expect(findings.at(-1)).toMatchObject({
      code: "more-findings",
      sentence: "101 more findings are not listed.",
    });
  });

  it("[P15] stops at its deadline, and the next check gets a thread again", async () => {
    const world = { signal: AbortSignal.abort() };
    await expect(judge("secrets", { a: "b" }, {}, world)).rejects.toMatchObject({ code: "stopped" });
    const soon = new AbortController();
    const running = judge("secrets", { body: "-eyJa".repeat(400_000) }, {}, { signal: soon.signal });
    soon.abort();
    await expect(running).rejects.toMatchObject({
      code: "stopped",
      message: "The check was stopped at its deadline.",
    });
    expect(await judge("secrets", { a: "b" })).toMatchObject({ passed: true });
  });
});

/** Returns the length of the longest part of the secret that appears in the output. */
function findLongestOverlap(said: string, secret: string): number {
  let longest = 0;
  for (let start = 0; start < secret.length; start += 1)
    while (start + longest < secret.length && said.includes(secret.slice(start, start + longest + 1)))
      longest += 1;
  return longest;
}
