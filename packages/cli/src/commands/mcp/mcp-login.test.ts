import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LoginSite } from "../../../../../test/support/web/login-site.ts";
import { LoginStore } from "../../../../adapters/src/mcp/login/login-store.ts";
import { createFolder } from "../../../../adapters/src/mcp/testing/fixture.ts";
import { runCli, startCli } from "../../testing/run-cli.ts";
import { logInToMcpServer } from "./mcp-login.ts";

it("[TRUST 8] paraph mcp login needs a confirmed issuer, rejects forged callbacks and keeps tokens that logout revokes", async () => {
  await using folder = await createFolder();
  await using site = await LoginSite.open();
  await writeFile(
    join(folder.path, "paraph.config.mjs"),
    `import { defineConfig, mcp } from "paraph";
     export default defineConfig({ adapters: { srv: mcp.http("${site.url}", { oauth: { login: true } }) } });`,
  );
  const kept = () => new LoginStore({ folder: folder.path, adapter: "srv" }).read();
  const unasked = await runCli(["mcp", "login", "srv"], { folder: folder.path });
  expect(unasked).toMatchObject({ code: 2 });
  expect(unasked.stderr).toContain(`pass \`--issuer ${site.issuer}\``);
  expect(site.requests).toEqual(["GET /.well-known/oauth-authorization-server"]);

  const login = startCli(["mcp", "login", "srv", "--issuer", site.issuer], { folder: folder.path });
  const address = await login.firstLine;
  const redirect = new URL(new URL(address).searchParams.get("redirect_uri")!);
  const state = new URL(address).searchParams.get("state")!;
  const query = `?code=made-up&state=${state}&iss=${encodeURIComponent(site.issuer)}`;
  // A malicious page in the person's browser could send these requests.
  expect(await statusOf(`${redirect}?code=made-up&state=guessed`)).toBe(400);
  expect(await statusOf(`${redirect}?code=made-up`)).toBe(400);
  expect(await statusOf(`${redirect.origin}/other${query}`)).toBe(400);
  expect(await statusOf(`${redirect}${query}`, { method: "POST" })).toBe(400);
  expect(await statusOf(`${redirect}${query}`, { headers: { host: "rebound.example" } })).toBe(400);
  const back = await site.visit(address);
  expect([back.status, back.text]).toEqual([200, expect.stringContaining("close this page")]);
  const ended = await login.ended;
  expect(ended).toMatchObject({ code: 0, stdout: `${address}\n` });
  const { accessToken, refreshToken } = (await kept())!;
  for (const secret of [accessToken, refreshToken!, new URL(back.url).searchParams.get("code")!])
    expect(`${ended.stdout}${ended.stderr}`).not.toContain(secret);

  expect(await runCli(["mcp", "logout", "srv", "--json"], { folder: folder.path })).toMatchObject({
    code: 0,
    stdout: '{"adapter":"srv","ended":"revoked"}\n',
  });
  expect(await kept()).toBeUndefined();
});

it("[TRUST 8] the prompt names the issuer and the scopes, and without confirmation no login starts", async () => {
  await using folder = await createFolder();
  await using site = await LoginSite.open();
  const servers = { srv: { kind: "http", url: site.url, oauth: { login: true } } };
  await writeFile(join(folder.path, "paraph.mcp.json"), JSON.stringify({ servers }));
  const asked: string[] = [];
  const question = async (text: string) => {
    asked.push(text);
    return "";
  };
  const login = logInToMcpServer(
    { folder: folder.path, environment: { HOME: folder.path }, question } as never,
    "srv",
    {},
  );
  await expect(login).rejects.toMatchObject({ code: "not-confirmed", exitCode: 3 });
  expect(asked).toEqual([
    expect.stringContaining(`a login at ${new URL(site.issuer).host} (${site.issuer})`),
  ]);
  expect(asked[0]).toContain("Requested scopes: tools offline_access.");
  expect(site.requests).toEqual(["GET /.well-known/oauth-authorization-server"]);
});

/** Uses `node:http`, because `fetch` cannot send another host name. */
function statusOf(address: string, options: object = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(address, options, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });
}
