// Logins with access tokens, at a real authorization server and real Postfix and Dovecot.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasPostfixAndDovecot } from "../../../../test/support/servers/postfix-dovecot.ts";
import { OauthServer, oauthClient } from "../../../../test/support/web/oauth-server.ts";
import { createEgressPolicy } from "../egress/egress-policy.ts";
import { openTestAdapter, type TestAdapter } from "../egress/testing/open-adapter.ts";
import { AccessTokens } from "../oauth/access-tokens.ts";
import { readFault } from "../testing.ts";
import { withSmtp } from "./connection/with-smtp.ts";
import { mailbox, mailboxConfig } from "./index.ts";
import { ana, assistant, MailServers, otherPerson } from "./testing/mail-servers.ts";

const message = { to: [ana], subject: "Numbers", text: "About four hundred." };

describe.runIf(hasPostfixAndDovecot)("mailbox() with `oauth`", () => {
  let issuer: OauthServer;
  let mail: MailServers;
  let folder: string;
  let api: TestAdapter;
  let login: { CLIENT_SECRET: string; REFRESH_TOKEN: string };

  beforeAll(async () => {
    issuer = await OauthServer.start();
    mail = await MailServers.start({ introspectionUrl: issuer.introspectionUrl });
  });
  beforeEach(async () => {
    await mail.reset();
    folder = await mkdtemp(join(tmpdir(), "paraph-mail-oauth-"));
    login = { CLIENT_SECRET: oauthClient.secret, REFRESH_TOKEN: await issuer.logIn(assistant) };
    api = await open();
  });
  afterEach(async () => {
    issuer.tokenLifetimeSeconds = 3_600;
    issuer.respond = undefined;
    await api[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    await mail?.stop();
    await issuer?.[Symbol.asyncDispose]();
  });

  function createOptions(over: Partial<Parameters<typeof mailbox>[0]> = {}) {
    const { imapUrl, smtpUrl, ca } = mail.addresses;
    return {
      ...{ address: assistant, ca, imap: { url: imapUrl }, smtp: { url: smtpUrl } },
      allow: ["127.0.0.2", issuer.host],
      oauth: {
        tokenUrl: issuer.tokenUrl,
        clientId: oauthClient.id,
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
        clientSecret: "${CLIENT_SECRET}",
        refreshToken: "${REFRESH_TOKEN}",
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      },
      ...over,
    };
  }

  const open = (over: Partial<Parameters<typeof mailbox>[0]> = {}) =>
    openTestAdapter(mailbox(createOptions(over)), folder, login);
  /** The context of connections outside of any capability. */
  function createConnectionContext() {
    const config = mailboxConfig.parse(createOptions());
    const egress = createEgressPolicy(config.allow);
    const tokens = new AccessTokens({ folder, egress });
    const mailContext = { name: "office", config, egress, tokens, ca: mail.servers.authority };
    const credential = async (name: string) => login[name as keyof typeof login];
    return { mailContext, context: { signal: new AbortController().signal, credential } };
  }
  const search = (from = api) => readFault(from.perform("search", {}));
  const send = (from = api) => readFault(from.perform("send", message));

  it("logs in to both servers with one access token, and refreshes it when it has expired", async () => {
    issuer.tokenRequests = 0;
    expect(await api.health()).toEqual({ kind: "well" });
    expect(await send()).toBe("no fault");
    expect(issuer.tokenRequests).toBe(1);
    expect(await mail.snapshot()).toContain(`${ana} INBOX: Numbers`);
    const readLogs = () => mail.servers.readLogs();
    await expect.poll(readLogs).toMatch(/imap-login: Info: Login: .*method=OAUTHBEARER/);
    await expect.poll(readLogs).toMatch(/submission-login: Info: Login: .*method=XOAUTH2/);

    // Too short for a second use, because Paraph replaces a token a minute before its expiry. The server replaces
    // the refresh token with each answer.
    issuer.tokenLifetimeSeconds = 45;
    await using other = await open();
    expect([await search(other), await search(other)]).toEqual(["no fault", "no fault"]);
    expect(issuer.tokenRequests).toBe(3);
  });

  it("[P8] replaces a revoked access token in the same attempt, at each server", async () => {
    issuer.tokenRequests = 0;
    expect(await send()).toBe("no fault");
    await issuer.revokeAccessTokens();
    expect(await search()).toBe("no fault");
    expect(issuer.tokenRequests).toBe(2);
    // Over SMTP, with an IMAP login of before.
    const { mailContext, context } = createConnectionContext();
    await withSmtp(mailContext, context, async () => {});
    await issuer.revokeAccessTokens();
    await withSmtp(mailContext, context, async () => {});
    await mailContext.tokens.close();
    expect(issuer.tokenRequests).toBe(4);
  });

  it("[P8] refuses a login that the authorization server or a mail server refuses, and sends nothing", async () => {
    const before = await mail.snapshot();
    // The token is for another person.
    await using wrong = await open({ smtp: { url: mail.addresses.smtpUrl, user: otherPerson } });
    expect(await search(wrong)).toBe("no fault");
    expect(await send(wrong)).toBe("permanent login-refused");
    await using other = await open({ address: otherPerson });
    expect(await search(other)).toBe("permanent login-refused");
    expect(await other.health()).toMatchObject({
      code: "login-refused",
      message: expect.stringContaining("Check `user` and `scope` in `oauth`"),
    });

    login = { ...login, REFRESH_TOKEN: "no such token" };
    await using stranger = await open();
    expect(await send(stranger)).toBe("permanent oauth-refused");
    expect(await stranger.health()).toMatchObject({
      code: "oauth-refused",
      message: expect.stringContaining("`invalid_grant`"),
    });
    issuer.respond = (response) => response.destroy();
    expect(await send(stranger)).toBe("not-performed oauth-unavailable");
    expect(await mail.snapshot()).toBe(before);
  });

  it("[P10] [TRUST 16] no fault, output or health contains a token", async () => {
    const said: unknown[] = [await api.perform("search", {}), await api.perform("send", message)];
    await issuer.revokeAccessTokens();
    await using wrong = await open({ smtp: { url: mail.addresses.smtpUrl, user: otherPerson } });
    for (const from of [api, wrong])
      for (const attempt of [1, 2])
        said.push(
          await from.perform("send", message, { attempt }).catch((error) => error),
          await from.health(),
        );
    const text = inspect(said, { depth: 20, maxStringLength: null });
    expect(text).toContain("login-refused");
    expect(issuer.accessTokens.length).toBeGreaterThan(2);
    for (const secret of [...issuer.accessTokens, ...Object.values(login)])
      expect(text).not.toContain(secret);
  });

  it("takes either `oauth` or the passwords of both servers", () => {
    const faults = (over: object) =>
      mailboxConfig
        .safeParse({ ...createOptions(), ...over })
        .error?.issues.map(({ path }) => path.join("."));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
    const server = { url: "imaps://imap.example.org", password: "${MAIL_PASSWORD}" };
    const smtp = { ...server, url: "smtps://smtp.example.org" };
    expect(faults({})).toBeUndefined();
    expect(faults({ imap: server })).toEqual(["imap.password"]);
    expect(faults({ imap: server, smtp, oauth: undefined })).toBeUndefined();
    expect(faults({ imap: server, oauth: undefined })).toEqual(["smtp.password"]);
  });
});
