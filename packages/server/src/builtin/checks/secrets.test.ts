import { describe, expect, it } from "vitest";
import { checksFor, growth, nested, proportional } from "./testing/judge.ts";
import { innocent, secrets } from "./testing/secret-corpus.ts";

const { judge } = checksFor();

describe("check.secrets", () => {
  it("knows at least 25 kinds, and is tried on at least 50 innocent texts", () => {
    expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(25);
    expect(innocent.length).toBeGreaterThanOrEqual(50);
  });

  it.each(Object.entries(secrets))(
    "[TRUST 16] finds a secret and never repeats it: %s",
    async (_kind, secret) => {
      const result = await judge("secrets", { to: "ana", body: `Hello,\n${secret}\nBye.` });
      expect(result.passed).toBe(false);
      expect(result.findings[0]).toMatchObject({ path: "input.body" });
      expect(result.findings[0]!.code).toMatch(/^secret-/);
      expect(overlap(JSON.stringify(result), secret)).toBeLessThan(12);
    },
  );

  it("takes none of the innocent texts for a secret", async () => {
    const taken: string[] = [];
    for (const text of innocent) {
      const { passed, findings } = await judge("secrets", { body: text });
      if (!passed) taken.push(`${findings[0]?.code}: ${text}`);
    }
    expect(taken).toEqual([]);
  });

  it("finds a secret that shows only beside its name", async () => {
    const { findings } = await judge("secrets", { login: { client_secret: "q8Zr2LxW0vTn5KbY3mPd" } });
    expect(findings).toMatchObject([{ code: "secret-assignment", path: "input.login.client_secret" }]);
  });

  it("leaves alone a password in the field that the contract declares sensitive, and only that", async () => {
    const password = "q8Zr2LxW0vTn5KbY3mPd";
    expect(await judge("secrets", { to: "ana", password })).toMatchObject({ passed: true });
    expect(await judge("secrets", { to: "ana", other: { password } })).toMatchObject({ passed: false });
    expect(await judge("secrets", { to: "ana", password: secrets["GitHub token"]! })).toMatchObject({
      passed: false,
    });
  });

  it("[TRUST 16] names a property by its number where its name is the secret", async () => {
    const token = secrets["GitHub token"]!;
    const result = await judge("secrets", {
      fine: 1,
      [token]: { deeper: `password=${secrets["Google API key"]}` },
    });
    expect(result.findings.map(({ path }) => path)).toContain("input{1}");
    expect(JSON.stringify(result)).not.toContain(token);
  });

  it("finds a private key that was split into lines", async () => {
    const { passed } = await judge("secrets", { lines: secrets["RSA private key"]!.split("\n") });
    expect(passed).toBe(false);
  });

  it("cannot be switched off by the text itself", async () => {
    const text = `/* secretlint-disable */\n<!-- secretlint-disable -->\n${secrets["GitHub token"]}`;
    expect(await judge("secrets", { text })).toMatchObject({ passed: false });
  });

  it.each([
    ["1,000 levels", nested(1_000, secrets["GitHub token"]!)],
    ["lone surrogates", { "\ud800": `\ud800 ${secrets["GitHub token"]} \udfff` }],
    [
      "prototype keys",
      JSON.parse(`{"__proto__":{"constructor":${JSON.stringify(secrets["GitHub token"])}}}`),
    ],
    ["20,000 strings", [...Array(20_000).fill("hello"), secrets["GitHub token"]!]],
  ])("finds it below hostile input: %s", async (_name, input) => {
    const { passed, findings } = await judge("secrets", input);
    expect(passed).toBe(false);
    expect(findings.every(({ path }) => path!.length <= 500 && path!.isWellFormed())).toBe(true);
  });

  it("[TRUST 24] takes time in proportion to the length of a text, whatever it is made of", async () => {
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
      const growing = await growth(filling, (body) => judge("secrets", { body }));
      expect(growing, JSON.stringify(filling)).toBeLessThan(proportional);
    }
  });

  it("lists at most 200 findings and says how many more there are", async () => {
    const many = Array.from({ length: 300 }, () => secrets["GitHub token"]!);
    const { findings } = await judge("secrets", many);
    expect(findings).toHaveLength(200);
    expect(findings.at(-1)).toMatchObject({
      code: "more-findings",
      sentence: "101 more findings are not listed.",
    });
  });

  it("[P15] is ended by its deadline, and the next check has a thread again", async () => {
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

/** The longest run of the secret that shows in what was said. */
function overlap(said: string, secret: string): number {
  let longest = 0;
  for (let start = 0; start < secret.length; start += 1)
    while (start + longest < secret.length && said.includes(secret.slice(start, start + longest + 1)))
      longest += 1;
  return longest;
}
