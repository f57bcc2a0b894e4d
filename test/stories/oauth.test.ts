// Calls of a mailbox that takes access tokens, from the request to the receipt: real authorization server, Postfix,
// Dovecot and PostgreSQL.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mailbox } from "@paraph/adapters/mail";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { hasPostfixAndDovecot, PostfixDovecot } from "../support/servers/postfix-dovecot.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";
import { OauthServer, oauthClient } from "../support/web/oauth-server.ts";

const tenant = "acme";
const [assistant, ana] = ["assistant@paraph.example", "ana@example.com"];

describe.runIf(hasPostfixAndDovecot)("a mailbox that takes access tokens", () => {
  let issuer: OauthServer;
  let servers: PostfixDovecot;
  let paraph: TestParaph;
  let refreshToken: string;

  beforeAll(async () => {
    issuer = await OauthServer.start();
    servers = await PostfixDovecot.start([assistant, ana], { introspectionUrl: issuer.introspectionUrl });
    refreshToken = await issuer.logIn(assistant);
    const office = mailbox({
      address: assistant,
      ca: "authority.pem",
      imap: { url: servers.imapUrl },
      smtp: { url: servers.submissionUrl },
      allow: ["127.0.0.2", issuer.host],
      oauth: {
        tokenUrl: issuer.tokenUrl,
        clientId: oauthClient.id,
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
        clientSecret: "${mail-client}",
        refreshToken: "${mail-login}",
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      },
    });
    const secrets = { "mail-client": oauthClient.secret, "mail-login": refreshToken };
    paraph = await TestParaph.start(
      { policy: "permissive", adapters: { office } },
      [
        { tenant, id: "bo", kind: "person" },
        { tenant, id: "bot", kind: "agent", owner: "bo" },
      ],
      Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [`${tenant}/${name}`, secret])),
      (folder) => writeFile(join(folder, "authority.pem"), servers.authority),
    );
  });
  afterAll(async () => {
    await paraph?.stop();
    await servers?.stop();
    await issuer?.[Symbol.asyncDispose]();
  });

  async function send(subject: string) {
    const { body } = await paraph.request("bot", "POST", "/v1/calls", {
      capability: "office.send",
      input: { to: [ana], subject, text: "Hello." },
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test reads the outcome's fields by name.
    let outcome: any;
    await eventually(async () => {
      outcome = (await paraph.request("bot", "GET", `/v1/calls/${body.call}`)).body.outcome;
      expect(outcome).toBeDefined();
    });
    return outcome;
  }

  it("[P8] a call whose token was revoked gets a new one, and the message is sent once", async () => {
    expect(await send("First")).toMatchObject({ kind: "succeeded" });
    await issuer.revokeAccessTokens();
    expect(await send("Second")).toMatchObject({ kind: "succeeded" });
    expect(await servers.waitForMails(ana, "Subject: Second", 1)).toHaveLength(1);
    expect(issuer.tokenRequests).toBe(2);
  });

  it("[P8] [P10] [TRUST 16] a refused login ends the call, and no record contains a token", async () => {
    const replaced = "a-refresh-token-that-the-server-never-issued";
    await writeFile(join(paraph.folder, "secrets", tenant, "mail-login"), replaced);
    const outcome = await send("Third");
    expect(outcome).toMatchObject({ kind: "refused", code: "preview-failed" });
    const tables = await paraph.database.query(
      "select table_name as name from information_schema.tables where table_schema = 'paraph' and table_type = 'BASE TABLE'",
    );
    const rows: unknown[] = [];
    for (const { name } of tables)
      rows.push(await paraph.database.query(`select to_jsonb(t) as row from paraph."${name}" t`));
    const text = JSON.stringify([rows, outcome, paraph.logged]);
    expect(text).toContain("Second");
    expect(issuer.accessTokens).toHaveLength(2);
    for (const secret of [...issuer.accessTokens, refreshToken, replaced, oauthClient.secret])
      expect(text).not.toContain(secret);
    await servers.waitUntilDelivered();
    expect(await servers.waitForMails(ana, "Subject:", 2)).toHaveLength(2);
  });
});
