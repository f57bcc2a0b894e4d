import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { resolveConnection } from "../../lib/api/connection.ts";
import { readLogin, writeLogin } from "../../lib/api/stored-login.ts";
import { runCli } from "../../testing/run-cli.ts";
import { startTestServer } from "../../testing/test-server.ts";

const kinds: Readonly<Record<string, string>> = {
  paraph_acme_ana1_secret: "person",
  paraph_acme_bot1_secret: "agent",
};

let home: string;
let folder: string;
let url: string;
let file: string;

beforeEach(async () => {
  const server = await startTestServer((request, response) => {
    const kind = kinds[request.headers.authorization?.replace("Bearer ", "") ?? ""];
    response.writeHead(kind ? 200 : 401, { "content-type": "application/json" });
    response.end(
      JSON.stringify(kind ? { id: "ana", kind, tenant: "acme" } : { code: "not-authenticated", status: 401 }),
    );
  });
  onTestFinished(server.remove);
  url = server.url;
  home = server.folder;
  file = join(home, ".local/state/.paraph/login.json");
  folder = join(home, "project");
  await mkdir(folder);
});

const run = (args: readonly string[], input = "", environment: Record<string, string> = {}) =>
  runCli(args, { folder, input, environment: { HOME: home, ...environment } });

describe("`paraph login`", () => {
  it("[TRUST 21] stores a key that the server accepts, for this user only, and `paraph logout` deletes it", async () => {
    const rejected = await run(["login", "--url", url], "paraph_acme_eve1_secret\n");
    expect([rejected.code, rejected.stderr]).toEqual([
      4,
      expect.stringMatching(/does\s+not\s+accept\s+this\s+API\s+key/),
    ]);
    await expect(stat(file)).rejects.toThrow("ENOENT");

    const { code, stderr, stdout } = await run(["login", "--url", url], "paraph_acme_ana1_secret\n");
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain(`✔ signed in to ${url} as ana (person, tenant acme)`);
    expect(stderr).not.toContain("paraph_acme_ana1_secret");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, ".."))).mode & 0o777).toBe(0o700);
    await run(["login"], "paraph_acme_bot1_secret");
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      url,
      person: "paraph_acme_ana1_secret",
      agent: "paraph_acme_bot1_secret",
    });

    const out = await run(["logout"]);
    expect([out.code, out.stderr]).toEqual([
      0,
      expect.stringMatching(/still accepts the keys ana1 and bot1\..*`paraph keys revoke ID`/s),
    ]);
    await expect(stat(file)).rejects.toThrow("ENOENT");
    expect((await run(["logout"])).stderr).toBe("No login is stored.\n");
  });

  it("says where the login cannot be stored, and what to do", async () => {
    await writeFile(join(home, ".local"), "a file");
    const { code, stderr } = await run(["login", "--url", url], "paraph_acme_ana1_secret\n");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot\s+be\s+stored.*ENOTDIR.*PARAPH_URL/s)]);
  });

  it("takes the key only from a terminal or standard input", async () => {
    expect((await run(["login", "--url", url])).stderr).toMatch(/No\s+API\s+key\s+was\s+given/);
    expect((await run(["login", "--url", url], "two words")).code).toBe(2);
    expect((await run(["login", "paraph_acme_ana1_secret", "--url", url])).code).toBe(2);
    expect((await run(["login"], "paraph_acme_ana1_secret")).stderr).toContain("Name the server");
  });
});

describe("later commands", () => {
  const login = { url: "https://paraph.example.com", person: "stored-person", agent: "stored-agent" };
  const environment = () => ({ HOME: home });
  const context = () => ({ environment: environment(), folder, url: undefined });

  beforeEach(() => writeLogin(environment(), login));

  it("use the stored key for its role", async () => {
    expect(await resolveConnection(context(), "person")).toEqual({ url: login.url, key: "stored-person" });
    expect(await resolveConnection(context(), "reader")).toEqual({ url: login.url, key: "stored-person" });
    expect(await resolveConnection(context(), "agent")).toEqual({ url: login.url, key: "stored-agent" });
    await writeLogin(environment(), { url: login.url, person: "stored-person" });
    await expect(resolveConnection(context(), "agent")).rejects.toThrow("There is no API key of an agent");
  });

  it("[TRUST 31] send a stored key only to its own server", async () => {
    const named = (address: string) => ({ ...context(), url: address });
    expect((await resolveConnection(named(login.url), "person")).key).toBe("stored-person");
    for (const other of ["https://paraph.example.com:8443", "http://paraph.example.com", "https://x.test"])
      await expect(resolveConnection(named(other), "person")).rejects.toThrow("There is no API key");
  });

  it("prefer the environment, and refuse a key without its address", async () => {
    const set = { ...environment(), PARAPH_URL: "https://x.test", PARAPH_APPROVER_KEY: "k" };
    expect(await resolveConnection({ ...context(), environment: set }, "person")).toEqual({
      url: "https://x.test",
      key: "k",
    });
    for (const [speaker, name] of [
      ["person", "PARAPH_APPROVER_KEY"],
      ["agent", "PARAPH_KEY"],
    ] as const)
      await expect(
        resolveConnection({ ...context(), environment: { ...environment(), [name]: "k" } }, speaker),
      ).rejects.toThrow(`To use the key of \`paraph login\`, unset ${name}.`);
  });

  it("do not use the stored login in a folder of `paraph dev`, or if they are for one folder", async () => {
    await expect(resolveConnection({ ...context(), ignoresLogin: true }, "person")).rejects.toThrow(
      "There is no Paraph in this folder",
    );
    await mkdir(join(folder, ".paraph"));
    await expect(resolveConnection(context(), "person")).rejects.toThrow("Paraph is not running for");
  });

  it.each(["640", "604", "602"])("[TRUST 21] refuse a stored login with mode %s", async (mode) => {
    await chmod(file, Number.parseInt(mode, 8));
    await expect(readLogin(environment())).rejects.toThrow("Other users can read or change the stored login");
  });
});
